// Each model's parameters from readings. Pure.
#include "models/platform/derive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "models/platform/names.hpp"

namespace tutti::models {
namespace {

using Size = Readings::Size;

std::vector<Sample> each_size(const Readings& readings, double (*value)(const Size&)) {
  std::vector<Sample> all;
  for (const Size& size : readings.sizes) all.push_back({size.bytes, value(size)});
  return all;
}

// Longer messages than those that were measured: a curve would stay where its points end.
std::vector<Sample> extended(std::vector<Sample> samples) {
  constexpr Bytes kFar = Bytes{1} << 40;
  const auto end = std::span(samples).last(std::min<std::size_t>(samples.size(), 3));
  const bool some =
      std::all_of(end.begin(), end.end(), [](const Sample& s) { return s.value > 0; });
  const auto [bytes, value] = samples.back();
  const double slope = some ? fit_line(end).per_byte : 0;
  samples.push_back({kFar, value + slope * static_cast<double>(kFar - bytes)});
  return samples;
}

Curve curve_of(const std::vector<Sample>& samples) {
  std::vector<Curve::Point> points;
  points.reserve(samples.size());
  for (const Sample& sample : samples) points.push_back({sample.bytes, sample.value});
  return Curve{std::move(points)};
}

// One line over all sizes; the ranges say whether lines fit at all.
Line line_over(std::string_view what, const std::vector<Sample>& samples) {
  fit_ranges(what, samples);
  return fit_line(samples);
}

// L, o_s, o_r and g are those of the least size; G from the gaps of all: g + (s−1)G.
LogGP loggp(const Readings& readings) {
  const Line gap = line_over("the gap g + (m-1)G", readings.gaps());
  const Size& least = readings.sizes.front();
  return {.L = latency_of(readings),
          .o_s = least.o_s,
          .o_r = least.o_r,
          .g = gap.at_zero + gap.per_byte,
          .G = gap.per_byte};
}

LogGPO with_overhead_per_byte(const Readings& readings) {
  const LogGP plain = loggp(readings);
  const auto send = each_size(readings, [](const Size& s) { return s.o_s; });
  const auto receive = each_size(readings, [](const Size& s) { return s.o_r; });
  const Line o_s = line_over("the overhead o_s + O m", send);
  const Line o_r = line_over("the overhead o_r + O m", receive);
  return {.L = plain.L,
          .o_s = o_s.at_zero,
          .o_r = o_r.at_zero,
          .g = plain.g,
          .G = plain.G,
          .O = (o_s.per_byte + o_r.per_byte) / 2};
}

SplitHockney split_hockney(const Readings& readings) {
  // The receiver has what the sender leaves of the time; never nothing, which has no relative
  // error.
  const auto sent =
      each_size(readings, [](const Size& s) { return std::min(s.sent, 0.98 * s.round_trip / 2); });
  const auto left = each_size(readings, [](const Size& s) {
    return std::max(s.round_trip / 2 - s.sent, 0.02 * s.round_trip / 2);
  });
  const Line S = line_over("the sender's time S(m)", sent);
  const Line R = line_over("the receiver's time R(m)", left);
  return {.alpha_s = S.at_zero, .alpha_r = R.at_zero, .beta_s = S.per_byte, .beta_r = R.per_byte};
}

Piecewise piecewise(const Readings& readings) {
  Piecewise model{.ranges = {}};
  for (const FittedRange& range : fit_ranges("alpha + beta m", readings.times()))
    model.ranges.push_back({range.most, range.line.at_zero, range.line.per_byte});
  model.ranges.back().up_to = kNever;
  return model;
}

PLogP plogp(const Readings& readings) {
  fit_ranges("the gap g(m)", readings.gaps());  // usable at all sizes
  const Size& least = readings.sizes.front();
  auto gap = extended(each_size(readings, [](const Size& s) {
    return std::max({s.gap, s.o_s, s.o_r});
  }));
  const auto o_s = extended(each_size(readings, [](const Size& s) { return s.o_s; }));
  const auto o_r = extended(each_size(readings, [](const Size& s) { return s.o_r; }));
  gap.back().value = std::max({gap.back().value, o_s.back().value, o_r.back().value});
  return {.L = std::max(0.0, least.round_trip / 2 - gap.front().value),
          .o_s = curve_of(o_s),
          .o_r = curve_of(o_r),
          .g = curve_of(gap)};
}

// The mean time of a hop of the chains of so many bytes, by least squares of relative errors.
double hop(const std::vector<Readings::Collective>& chains, Bytes bytes) {
  double above = 0, below = 0;
  for (const auto& chain : chains) {
    if (chain.bytes != bytes) continue;
    const double hops = (chain.P - 1) / chain.time;
    above += hops;
    below += hops * hops;
  }
  return above / below;
}

void require_fittable(const Readings& readings) {
  std::set<int> ranks;
  for (const auto& barrier : readings.flat_barriers) ranks.insert(barrier.P);
  if (ranks.size() < 2 || readings.chains.empty())
    throw Error(Code::bad_configuration,
                "plogp-fitted needs barriers of two numbers of ranks, so three ranks on one level: "
                "one barrier does not tell its gap from its latency");
  for (const auto* const all : {&readings.flat_barriers, &readings.chains})
    for (const auto& one : *all)
      if (!(one.time > 0))
        throw Error(
            Code::bad_configuration,
            fmt::format("the fit of g(m) does not converge: no time above zero was measured "
                        "for {} ranks and {} bytes",
                        one.P, one.bytes));
}

// The gap is no less than either overhead, at all points of the three tables.
PLogP plogp_fitted(const Readings& readings) {
  require_fittable(readings);
  std::vector<Sample> barriers, gaps;
  for (const auto& one : readings.flat_barriers) barriers.push_back({one.P, one.time});
  const Line flat = fit_line(barriers);
  const double L = flat.at_zero / 2;
  std::set<Bytes> sizes, all{0};
  for (const auto& chain : readings.chains) sizes.insert(chain.bytes);
  if (!sizes.contains(0)) gaps.push_back({0, flat.per_byte});
  for (const Bytes bytes : sizes)
    gaps.push_back({bytes, std::max(0.0, hop(readings.chains, bytes) - L)});
  const auto o_s = extended(each_size(readings, [](const Size& s) { return s.o_s; }));
  const auto o_r = extended(each_size(readings, [](const Size& s) { return s.o_r; }));
  gaps = extended(std::move(gaps));
  const Curve send = curve_of(o_s), receive = curve_of(o_r), gap = curve_of(gaps);
  for (const std::vector<Sample>* const table : {&o_s, &o_r, &std::as_const(gaps)})
    for (const Sample& sample : *table) all.insert(sample.bytes);
  std::vector<Curve::Point> covering;
  covering.reserve(all.size());
  for (const Bytes bytes : all)
    covering.push_back({bytes, std::max({gap(bytes), send(bytes), receive(bytes)})});
  return {.L = L, .o_s = send, .o_r = receive, .g = Curve{std::move(covering)}};
}

LogfP logfp(const Readings& readings) {
  const auto& peers = readings.peers;
  if (peers.size() < 2)
    throw Error(Code::bad_configuration,
                "logfp needs two peers at least, so three ranks on one level: with one peer "
                "there is no burst to see");
  const LogGP plain = loggp(readings);
  std::vector<double> send, receive, times;
  for (const Readings::Peers& n : peers) {
    send.push_back(n.o_s);
    receive.push_back(n.o_r);
    times.push_back(n.time);
  }
  const BurstOverhead o_s = fit_overhead(send), o_r = fit_overhead(receive);
  return {.L = plain.L,
          .o_s_min = o_s.least,
          .o_s_max = o_s.most,
          .o_r_min = o_r.least,
          .o_r_max = o_r.most,
          .g = plain.g,
          .f = fit_free_messages(times, o_s, plain.L, o_r(1), plain.g)};
}

// Two transfers of half a message's time each (TAU §2: what is measured is their overhead).
LognP lognp(const Readings& readings) {
  fit_ranges("the time of a message", readings.times());
  const Curve half =
      curve_of(extended(each_size(readings, [](const Size& s) { return s.round_trip / 4; })));
  return {.transfers = {{.o = half}, {.o = half}}};
}

// The gap to some destinations as a share of that to one, or 1 where that may be noise: of readings
// that are repeated until their intervals are about this wide.
double factor_of(const Readings::Destinations& some, const Readings::Destinations& one) {
  constexpr double kNoise = 0.05;
  const double factor = some.gap / one.gap;
  const bool may_be_one = some.low <= one.high && one.low <= some.high;
  return may_be_one || std::abs(factor - 1) <= kNoise ? 1 : factor;
}

}  // namespace

std::vector<Sample> Readings::times() const {
  return each_size(*this, [](const Size& s) { return s.round_trip / 2; });
}
std::vector<Sample> Readings::gaps() const {
  return each_size(*this, [](const Size& s) { return s.gap; });
}

double latency_of(const Readings& readings) noexcept {
  const Size& least = readings.sizes.front();
  return std::max(0.0, least.round_trip / 2 - least.o_s - least.o_r);
}

std::vector<std::string_view> derivable() {
  std::vector<std::string_view> all{"hockney-table", kFittedPLogP};
  for (const Model& model : models()) all.push_back(name_of(model));
  return all;
}

Model derive(std::string_view model, const Readings& readings) {
  if (model == "hockney-table") {
    fit_ranges("the time of a message", readings.times());
    return Hockney{.alpha = curve_of(extended(readings.times())), .beta = 0};
  }
  if (model == kFittedPLogP) return plogp_fitted(readings);
  const Model blank = model_named(model);
  if (std::holds_alternative<Hockney>(blank)) {
    const Line line = line_over("alpha + beta m", readings.times());
    return Hockney{.alpha = line.at_zero, .beta = line.per_byte};
  }
  if (std::holds_alternative<SplitHockney>(blank)) return split_hockney(readings);
  if (std::holds_alternative<Piecewise>(blank)) return piecewise(readings);
  if (std::holds_alternative<LogGPO>(blank)) return with_overhead_per_byte(readings);
  if (std::holds_alternative<LogfP>(blank)) return logfp(readings);
  if (std::holds_alternative<PLogP>(blank)) return plogp(readings);
  if (std::holds_alternative<LognP>(blank)) return lognp(readings);
  const LogGP plain = loggp(readings);
  if (std::holds_alternative<LogP>(blank)) return LogP{plain.L, plain.o_s, plain.o_r, plain.g};
  if (std::holds_alternative<LogGP>(blank)) return plain;
  return LogGPS{plain.L, plain.o_s, plain.o_r, plain.g, plain.G, readings.eager};
}

std::optional<Curve> gap_by_destinations(const Readings& readings) {
  constexpr double kSure = 0.5;  // a gap's interval, as a share of it
  std::vector<Readings::Destinations> sure;
  for (const Readings::Destinations& some : readings.destinations)
    if (some.low > 0 && some.high - some.low <= kSure * some.gap) sure.push_back(some);
  if (sure.size() < 2 || sure.front().n != 1) return {};
  std::vector<Curve::Point> points;
  points.reserve(sure.size());
  for (const Readings::Destinations& some : sure)
    points.push_back({some.n, factor_of(some, sure.front())});
  const bool differs = std::any_of(points.begin(), points.end(),
                                   [](const Curve::Point& point) { return point.value != 1; });
  return differs ? std::optional(Curve{std::move(points)}) : std::nullopt;
}

}  // namespace tutti::models
