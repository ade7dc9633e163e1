// Turns the times of rings and broadcasts into equations for transfers, and solves these.
#include "models/tau_lop/rings.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/index.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/world.hpp"
#include "models/tau_lop/least_squares.hpp"

namespace tutti::models::tau_lop {
namespace {

using Table = std::map<int, std::vector<Curve::Point>>;  // by τ; ascending in bytes

// Never less for more bytes, and for more processes.
Surface ascending(Table table) {
  for (auto& [tau, points] : table)
    for (std::size_t i = 1; i < points.size(); ++i)
      points[i].value = std::max(points[i].value, points[i - 1].value);
  std::map<int, Curve> curves;
  const Curve* fewer = nullptr;
  for (auto& [tau, points] : table) {
    if (fewer)
      for (Curve::Point& point : points) point.value = std::max(point.value, (*fewer)(point.bytes));
    fewer = &(curves[tau] = Curve(std::move(points)));
  }
  return Surface(std::move(curves));
}

Surface at_once(std::vector<AtOnce> all) {
  std::sort(all.begin(), all.end(),
            [](const AtOnce& a, const AtOnce& b) { return a.bytes < b.bytes; });
  Table table;
  for (const AtOnce& one : all) table[one.tau].push_back({one.bytes, std::max(0.0, one.time)});
  return ascending(std::move(table));
}

Curve overhead_of(const Rings& rings) {
  const double o = rings.round_trip / 2;
  if (rings.eager >= kNever) return Curve(o);
  return Curve({{0, o}, {rings.eager, o}, {rings.eager + 1, rings.round_trip}});
}

// A broadcast's equation for the transfers of a channel: all else that it takes is known. The
// greatest of several sums is the one that is so by what is known.
void add(Equation& equation, const Cost& cost, int channel, Bytes m, const Parameters& known,
         double how_often = 1) {
  for (const auto& [term, times] : cost.terms()) {
    const double all = static_cast<double>(times) * how_often;
    if (term.kind == Kind::transfer && term.channel == channel)  // L(Am,τ) = A·L(m,τ), §3.3
      equation.transfers[term.tau] +=
          all * static_cast<double>(term.bytes) / static_cast<double>(m);
    else
      equation.time -= all * time_of(Cost(term), known);
  }
  for (const Cost::Greatest& greatest : cost.maxima()) {
    const auto most = std::ranges::max_element(
        greatest.of, {}, [&](const Cost& one) { return time_of(one, known); });
    add(equation, *most, channel, m, known, how_often * static_cast<double>(greatest.times));
  }
}

Equation equation_of(const TreeTime& broadcast, int channel, const Parameters& known) {
  using collectives::Collective;
  collectives::Problem problem{{.collective = Collective::bcast, .bytes = broadcast.bytes},
                               broadcast.P};
  collectives::World world(broadcast.P, [&](Rank rank) {
    problem.rank = rank;
    return collectives::find(Collective::bcast, "binomial")->build(problem, {});
  });
  std::vector<int> node(index(broadcast.P));
  if (channel == kNetwork)
    for (std::size_t i = 0; i < node.size(); ++i) node[i] = static_cast<int>(i % 2);
  Equation equation{.transfers = {}, .time = broadcast.time};
  add(equation, evaluate(world, node, ways_of(known)).cost, channel, broadcast.bytes, known);
  return equation;
}

// The transfers that rings tell, `hops` of which are a ring, as broadcasts make them.
std::vector<AtOnce> with_broadcasts(const std::vector<AtOnce>& of_rings,
                                    const std::vector<int>& hops, const Rings& rings, int channel,
                                    const Parameters& known) {
  std::map<Bytes, std::vector<Equation>> equations;
  std::map<Bytes, std::set<int>> taus;
  for (std::size_t i = 0; i < of_rings.size(); ++i) {
    const auto& [bytes, tau, time] = of_rings[i];
    equations[bytes].push_back({{{tau, hops[i]}}, hops[i] * time});
    taus[bytes].insert(tau);
  }
  for (const TreeTime& one : rings.broadcasts)
    if (taus.contains(one.bytes) && one.P > 1)
      equations[one.bytes].push_back(equation_of(one, channel, known));
  std::vector<AtOnce> all;
  for (const auto& [bytes, some] : equations)
    for (const auto& [tau, time] : solve(some, {taus[bytes].begin(), taus[bytes].end()}))
      all.push_back({bytes, tau, time});
  return all;
}

// Transfers of one channel, whose overhead is known, and for the network the times of copies.
Surface transfer_of(const Rings& rings, int channel, Parameters known) {
  const Ways ways = ways_of(known);
  std::vector<AtOnce> all = rings.rings;
  std::vector<int> hops_of;
  for (AtOnce& one : all) {
    const Way way = ways(one.bytes, protocols::Use::stored, channel);
    int hops = 0;
    one.time -= known.overhead[channel](one.bytes);
    for (const Hop hop : way.hops)
      if ((hop == Hop::on_wire) == (channel == kNetwork))
        ++hops;
      else
        one.time -= known.transfer[kMemory](one.bytes, one.tau);
    one.time /= hops;
    hops_of.push_back(hops);
  }
  if (rings.broadcasts.empty()) return at_once(std::move(all));
  known.transfer[channel] = at_once(all);
  return at_once(with_broadcasts(all, hops_of, rings, channel, known));
}

}  // namespace

Parameters derive(const RingReadings& readings) {
  Parameters all{.name = "measured", .protocols = readings.protocols};
  if (readings.within) {
    all.overhead[kMemory] = overhead_of(*readings.within);
    all.transfer[kMemory] = transfer_of(*readings.within, kMemory, all);
  } else {
    constexpr Bytes kMuch = 1 << 20;
    all.transfer[kMemory] = Surface(
        {{1, Curve({{0, 0}, {kMuch, readings.copy_per_byte * static_cast<double>(kMuch)}})}});
  }
  if (readings.between) {
    all.overhead[kNetwork] = overhead_of(*readings.between);
    all.transfer[kNetwork] = transfer_of(*readings.between, kNetwork, all);
    if (!readings.within) all.overhead[kMemory] = all.overhead[kNetwork];
  } else {
    all.overhead[kNetwork] = all.overhead[kMemory];
    all.transfer[kNetwork] = all.transfer[kMemory];
  }
  if (!readings.combining.empty()) all.combine = at_once(readings.combining);
  return all;
}

}  // namespace tutti::models::tau_lop
