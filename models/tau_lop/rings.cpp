// Each ring is a stage of the schedule that it is.
#include "models/tau_lop/rings.hpp"

#include <algorithm>
#include <map>

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

// Of one channel, whose overhead is known, and for the network what copies take.
Surface transfer_of(const Rings& rings, int channel, const Parameters& known) {
  const Ways ways = ways_of(known);
  std::vector<AtOnce> all = rings.rings;
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
  }
  return at_once(std::move(all));
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
