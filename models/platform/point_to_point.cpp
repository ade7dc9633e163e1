// The costs of one message under each model. Pure.
#include "models/platform/point_to_point.hpp"

#include <algorithm>
#include <utility>

namespace tutti::models {
namespace {

// (m−1)G: the first byte is in L. A message of no bytes has none.
double bytes_after_first(Bytes m, double G) noexcept {
  return m > 1 ? static_cast<double>(m - 1) * G : 0;
}

// The processors are free; the ports carry one message at a time.
Costs ports_only(double time) noexcept {
  return {.held = time, .gap = time, .flight = time, .spacing = time};
}

Costs burstless(Costs costs) noexcept {
  costs.send_next = costs.send;
  costs.receive_next = costs.receive;
  return costs;
}

Costs loggp(double L, double o_s, double o_r, double g, double bytes) noexcept {
  return burstless({.send = o_s,
                    .held = o_s + bytes,
                    .gap = g + bytes,
                    .flight = L + bytes,
                    .spacing = g + bytes,
                    .receive = o_r});
}

// A table whose values beyond its first point are `factor` times as large.
Curve stretched(const Curve& curve, double factor) {
  std::vector<Curve::Point> points = curve.points();
  const double first = points.front().value;
  for (Curve::Point& point : points) point.value = first + factor * (point.value - first);
  return Curve(std::move(points));
}

struct Congest {
  double factor;
  void operator()(Hockney& model) const {
    std::vector<Curve::Point> points = model.beta.points();
    for (Curve::Point& point : points) point.value *= factor;
    model.beta = Curve(std::move(points));
  }
  void operator()(SplitHockney& model) const { model.beta_s *= factor, model.beta_r *= factor; }
  void operator()(Piecewise& model) const {
    for (Piecewise::Range& range : model.ranges) range.beta *= factor;
  }
  void operator()(LogP&) const {}
  void operator()(LogfP&) const {}
  void operator()(LogGP& model) const { model.G *= factor; }
  void operator()(LogGPS& model) const { model.G *= factor; }
  void operator()(LogGPO& model) const { model.G *= factor; }
  void operator()(PLogP& model) const { model.g = stretched(model.g, factor); }
  void operator()(LognP& model) const {
    for (LognP::Transfer& transfer : model.transfers) transfer.g = stretched(transfer.g, factor);
  }
};

}  // namespace

Costs Hockney::costs(Bytes m) const noexcept {
  return ports_only(alpha(m) + beta(m) * static_cast<double>(m));
}

Costs SplitHockney::costs(Bytes m) const noexcept {
  const double S = alpha_s + beta_s * static_cast<double>(m);
  const double R = alpha_r + beta_r * static_cast<double>(m);
  return burstless({.send = S, .held = S, .gap = S, .receive = R});
}

Costs Piecewise::costs(Bytes m) const noexcept {
  const auto range = std::find_if(ranges.begin(), ranges.end() - 1,
                                  [m](const Range& some) { return m <= some.up_to; });
  return ports_only(range->alpha + range->beta * static_cast<double>(m));
}

Costs LogP::costs(Bytes) const noexcept { return loggp(L, o_s, o_r, g, 0); }

Costs LogGP::costs(Bytes m) const noexcept {
  return loggp(L, o_s, o_r, g, bytes_after_first(m, G));
}

Costs LogGPS::costs(Bytes m) const noexcept {
  return loggp(L, o_s, o_r, g, bytes_after_first(m, G));
}

Costs LogGPO::costs(Bytes m) const noexcept {
  const double more = O * static_cast<double>(m);
  return loggp(L, o_s + more, o_r + more, g, bytes_after_first(m, G));
}

Costs LogfP::costs(Bytes) const noexcept {
  return {.send = o_s_max,
          .held = o_s_max,
          .gap = g,
          .flight = L,
          .spacing = g,
          .receive = o_r_max,
          .send_next = o_s_min,
          .receive_next = o_r_min,
          .ahead = (f - 1) * g};
}

Costs PLogP::costs(Bytes m) const noexcept {
  const double gap = g(m), send = o_s(m), receive = o_r(m);
  return burstless({.send = send,
                    .held = send,
                    .gap = gap,
                    .flight = L + gap - send - receive,
                    .spacing = gap,
                    .receive = receive});
}

Costs LognP::costs(Bytes m) const noexcept {
  const auto time = [m](const Transfer& some) {
    return std::max(some.o(m), some.g(m)) + some.l(m);
  };
  Costs costs{.send = time(transfers.front())};
  costs.held = costs.gap = costs.send;
  for (std::size_t i = 1; i + 1 < transfers.size(); ++i) costs.flight += time(transfers[i]);
  if (transfers.size() > 1) costs.receive = time(transfers.back());
  return burstless(costs);
}

Model congested(Model model, double factor) {
  std::visit(Congest{factor}, model);
  return model;
}

Costs with_gap(const Model& model, Costs costs, double factor) noexcept {
  const double more = (factor - 1) * costs_of(model, 0).gap;
  costs.gap = std::max(0.0, costs.gap + more);  // a table may have a longer gap at 0 bytes
  costs.ahead *= factor;
  return costs;
}

std::string_view name_of(const Model& model) noexcept {
  return std::visit([](const auto& some) { return some.kName; }, model);
}

Bytes rendezvous_above(const Model& model) noexcept {
  const auto* const loggps = std::get_if<LogGPS>(&model);
  return loggps ? loggps->S : kNever;
}

double time_of(const Model& model, Bytes m) noexcept {
  const Costs costs = costs_of(model, m);
  const double time = costs.send + costs.flight + costs.receive;
  if (m <= rendezvous_above(model)) return time;
  const Costs notice = costs_of(model, 0);
  return time + notice.send + notice.flight;
}

}  // namespace tutti::models
