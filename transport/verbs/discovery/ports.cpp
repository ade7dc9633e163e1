// Ranks the ports of a machine, and shares them among the ranks of a node.
#include "transport/verbs/discovery/ports.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace tutti::transport::verbs {
namespace {

// How sure it is that peers are reached. Small is good, as below.
auto doubts(const Candidate& c) {
  return std::tuple(!c.fabric.known(), c.unassigned, c.fabric.roce_v1());
}

// Nearness does not count on an unknown fabric: ranks near different ports would choose ports that
// may not reach each other.
auto quality(const Candidate& c) {
  return std::tuple(c.software, doubts(c), -static_cast<std::int64_t>(c.rate),
                    c.fabric.known() ? c.distance : 0);
}

bool as_good(const Candidate& a, const Candidate& b) { return quality(a) == quality(b); }

// Numbers of ports that all ranks of a host have alike, whatever each of them is near to.
std::set<std::pair<std::string, int>> ports_of(std::span<const Candidate> candidates) {
  std::set<std::pair<std::string, int>> ports;
  for (const Candidate& c : candidates) ports.emplace(c.device, c.port);
  return ports;
}

// Ports that a rail may take: these places, from `first` on.
struct Turn {
  std::vector<std::size_t> places;
  std::size_t first;
};

// Takes a port for each rail that no rail before it has. false: there are not enough.
bool take(std::span<const Candidate> ranked, std::span<const Turn> turns,
          std::vector<std::size_t>& taken) {
  if (taken.size() == turns.size()) return true;
  const auto& [places, first] = turns[taken.size()];
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::size_t place = places[(first + i) % places.size()];
    if (std::ranges::any_of(
            taken, [&](std::size_t other) { return same_port(ranked[place], ranked[other]); }))
      continue;
    taken.push_back(place);
    if (take(ranked, turns, taken)) return true;
    taken.pop_back();
  }
  return false;
}

// How many ranks of the node before this one choose among the same ports.
std::ptrdiff_t ranks_before(std::span<const Offer> node, int local_rank, const Fabric& fabric) {
  const auto ports = [&](const Offer& offer) {
    const std::size_t place = offer.place_of(fabric);
    return place < offer.count ? offer.ports[place] : 0;
  };
  const auto mine = static_cast<std::size_t>(local_rank);
  return std::ranges::count(node.first(mine), ports(node[mine]), ports);
}

}  // namespace

bool same_port(const Candidate& a, const Candidate& b) noexcept {
  return a.device == b.device && a.port == b.port;
}

std::vector<Candidate> named(std::vector<Candidate> candidates,
                             std::span<const std::string> devices, int port) {
  std::erase_if(candidates, [&](const Candidate& c) {
    return (port != 0 && c.port != port) ||
           (!devices.empty() && std::ranges::find(devices, c.device) == devices.end());
  });
  std::ranges::stable_sort(candidates, {}, [&](const Candidate& c) {
    return std::ranges::find(devices, c.device) - devices.begin();
  });
  return candidates;
}

std::string not_there(std::span<const Candidate> all, std::span<const std::string> devices,
                      int port) {
  std::set<std::string> present, ports, missing;
  for (const Candidate& c : all) {
    present.insert(c.device);
    ports.insert(fmt::format("port {} of {}", c.port, c.device));
  }
  for (const std::string& device : devices)
    if (!present.contains(device)) missing.insert(device);
  const auto these = [](const std::set<std::string>& names) {
    return names.empty() ? "no RDMA device" : fmt::format("{}", fmt::join(names, ", "));
  };
  if (!missing.empty())
    return fmt::format("the setting `device` names {}, which this host does not have; it has {}",
                       fmt::join(missing, ", "), these(present));
  if (port != 0 && named({all.begin(), all.end()}, devices, port).empty())
    return fmt::format(
        "the setting `port` is {}, and no device{} has such a port; this host has {}", port,
        devices.empty() ? "" : " that `device` names", these(ports));
  return {};
}

std::vector<Candidate> ranked(std::vector<Candidate> candidates, bool in_order) {
  std::erase_if(candidates, [](const Candidate& c) { return !c.problem.empty(); });
  if (in_order)
    std::ranges::stable_sort(candidates, {}, doubts);
  else
    std::ranges::stable_sort(candidates, {}, quality);
  return candidates;
}

std::vector<std::size_t> equals(std::span<const Candidate> ranked, const Fabric& fabric,
                                bool in_order) {
  std::vector<std::size_t> equal;
  equal.reserve(ranked.size());
  for (std::size_t i = 0; i < ranked.size(); ++i)
    if (ranked[i].fabric == fabric &&
        (equal.empty() || in_order || as_good(ranked[i], ranked[equal.front()])))
      equal.push_back(i);
  return equal;
}

Offer offer_of(std::span<const Candidate> ranked, int rails, bool in_order, int node) {
  const auto numbers = ports_of(ranked);
  const auto bit_of = [&](const Candidate& c) {
    const auto number = std::distance(numbers.begin(), numbers.find({c.device, c.port}));
    return number < 64 ? std::uint64_t{1} << number : 0;
  };
  Offer offer;
  offer.rails = static_cast<std::uint32_t>(std::clamp(rails, 0, static_cast<int>(kMostRails)));
  offer.node = node;
  for (const Candidate& candidate : ranked) {
    if (candidate.fabric.known() && !ranked.front().software &&
        (in_order || as_good(candidate, ranked.front())))
      offer.best |= bit_of(candidate);
    if (offer.count == Offer::kMost || offer.place_of(candidate.fabric) != offer.count) continue;
    for (const std::size_t place : equals(ranked, candidate.fabric, in_order))
      offer.ports[offer.count] |= bit_of(ranked[place]);
    offer.fabrics[offer.count++] = candidate.fabric;
  }
  return offer;
}

std::vector<std::size_t> share(std::span<const Candidate> ranked, std::span<const Fabric> rails,
                               std::span<const Offer> node, int local_rank, bool in_order) {
  std::vector<Turn> turns;
  turns.reserve(rails.size());
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const auto all = std::ranges::count(rails, rails[i]);
    const auto own = std::ranges::count(rails.first(i), rails[i]);
    const auto before = rails[i].known() ? ranks_before(node, local_rank, rails[i]) : 0;
    turns.push_back(
        {equals(ranked, rails[i], in_order), static_cast<std::size_t>(before * all + own)});
  }
  std::vector<std::size_t> taken;
  taken.reserve(rails.size());
  take(ranked, turns, taken);
  return taken;
}

std::string reason(std::span<const Candidate> ranked, std::size_t chosen, bool in_order) {
  if (in_order) return "as set";
  if (ports_of(ranked).size() == 1) return "the only usable one";
  const Candidate& mine = ranked[chosen];
  const bool better = std::ranges::any_of(
      ranked.first(chosen), [&](const Candidate& c) { return c.fabric != mine.fabric; });
  std::string why = better
                        ? "on the fabric that all ranks have"
                        : "the best of hardware before software, known network, rate and distance";
  if (const auto equal = equals(ranked, mine.fabric, false).size(); equal > 1)
    why += mine.fabric.known()
               ? fmt::format(", one of {} for the ranks of this node in turn", equal)
               : fmt::format(", the first of {} on all ranks, as addresses tell no network", equal);
  return why;
}

}  // namespace tutti::transport::verbs
