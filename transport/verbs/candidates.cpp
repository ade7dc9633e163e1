// Ranking, agreeing, sharing.
#include "transport/verbs/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace tutti::transport::verbs {
namespace {

bool as_good(const Candidate& a, const Candidate& b) {
  return a.software == b.software && a.rate == b.rate && a.distance == b.distance;
}

std::size_t place_in(const Offer& offer, const Fabric& fabric) {
  const auto end = offer.fabrics.begin() + offer.count;
  return static_cast<std::size_t>(std::find(offer.fabrics.begin(), end, fabric) -
                                  offer.fabrics.begin());
}

}  // namespace

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

std::vector<Candidate> ranked(std::vector<Candidate> candidates, bool in_order) {
  std::erase_if(candidates, [](const Candidate& c) { return !c.problem.empty(); });
  if (!in_order)
    std::ranges::stable_sort(candidates, [](const Candidate& a, const Candidate& b) {
      return std::tuple(a.software, b.rate, a.distance) <
             std::tuple(b.software, a.rate, b.distance);
    });
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

Offer offer_of(std::span<const Candidate> ranked, int rails, bool in_order) {
  Offer offer;
  offer.rails = static_cast<std::uint32_t>(std::clamp(rails, 1, static_cast<int>(kMostRails)));
  for (const Candidate& candidate : ranked) {
    if (offer.count == Offer::kMost || place_in(offer, candidate.fabric) != offer.count) continue;
    offer.ports[offer.count] =
        static_cast<std::uint32_t>(equals(ranked, candidate.fabric, in_order).size());
    offer.fabrics[offer.count++] = candidate.fabric;
  }
  return offer;
}

int rails_of_a_rank(std::span<const Candidate> ranked, int ranks_of_node, bool in_order) {
  if (ranked.empty() || ranked.front().software) return 1;
  const auto good = std::ranges::count_if(
      ranked, [&](const Candidate& c) { return in_order || as_good(c, ranked.front()); });
  return std::max(1, static_cast<int>(good) / std::max(1, ranks_of_node));
}

std::optional<Fabric> common_fabric(std::span<const Offer> offers, std::size_t mine) {
  const Offer& own = offers[mine];
  std::optional<Fabric> best;
  std::tuple<std::size_t, std::size_t, Fabric> least;
  for (std::size_t i = 0; i < own.count; ++i) {
    const Fabric& fabric = own.fabrics[i];
    std::size_t worst = 0, sum = 0;
    bool everywhere = true;
    for (const Offer& offer : offers) {
      if (offer.count == 0) continue;
      const std::size_t place = place_in(offer, fabric);
      everywhere &= place < offer.count;
      worst = std::max(worst, place);
      sum += place;
    }
    // The fabric itself at last, so that all ranks decide alike.
    const std::tuple value{worst, sum, fabric};
    if (!everywhere || (best && least <= value)) continue;
    least = value;
    best = fabric;
  }
  const auto has = [](const Offer& offer, bool ethernet) {
    return offer.count == 0 ||
           std::any_of(offer.fabrics.begin(), offer.fabrics.begin() + offer.count,
                       [&](const Fabric& f) { return f.ethernet == ethernet; });
  };
  // InfiniBand first, on all ranks: it is there for this.
  for (const bool ethernet : {false, true})
    for (std::size_t i = 0; i < own.count && !best; ++i)
      if (own.fabrics[i].ethernet == ethernet &&
          std::ranges::all_of(offers, [&](const Offer& o) { return has(o, ethernet); }))
        best = own.fabrics[i];
  return best;
}

std::vector<Fabric> common_rails(std::span<const Offer> offers, std::size_t mine) {
  const auto first = common_fabric(offers, mine);
  if (!first) return {};
  std::uint32_t wanted = kMostRails;
  std::map<Fabric, std::uint32_t> ports;  // that every rank has
  const Offer& own = offers[mine];
  for (std::size_t i = 0; i < own.count; ++i) ports[own.fabrics[i]] = own.ports[i];
  for (const Offer& offer : offers) {
    if (offer.count == 0) continue;
    wanted = std::min(wanted, offer.rails);
    for (auto& [fabric, count] : ports) {
      const std::size_t place = place_in(offer, fabric);
      count = place < offer.count ? std::min(count, offer.ports[place]) : 0;
    }
  }
  std::vector<Fabric> rails{*first};
  rails.reserve(wanted);
  if (ports[*first] == 0) return rails;  // joined by routers
  --ports[*first];
  for (const auto& [fabric, count] : ports)
    for (std::uint32_t i = 0; i < count && rails.size() < wanted; ++i) rails.push_back(fabric);
  return rails;
}

std::vector<std::size_t> share(std::span<const Candidate> ranked, std::span<const Fabric> rails,
                               int local_rank, bool in_order) {
  std::vector<std::size_t> places;
  places.reserve(rails.size());
  for (std::size_t i = 0; i < rails.size(); ++i) {
    const auto equal = equals(ranked, rails[i], in_order);
    const auto before = std::ranges::count(rails.first(i), rails[i]);
    const auto all = std::ranges::count(rails, rails[i]);
    const auto turn = static_cast<std::size_t>(local_rank * all + before);
    places.push_back(equal[turn % equal.size()]);
  }
  return places;
}

std::string reason(std::span<const Candidate> ranked, std::size_t chosen, bool in_order) {
  if (in_order) return "as set";
  if (ranked.size() == 1) return "the only usable one";
  const Candidate& mine = ranked[chosen];
  std::size_t equal = 0;
  bool better = false;
  for (const Candidate& other : ranked) {
    if (other.fabric == mine.fabric)
      equal += as_good(other, mine) ? 1 : 0;
    else if (&other < &mine)
      better = true;
  }
  std::string why = better ? "on the fabric that all ranks have"
                           : "the best of hardware before software, rate and distance";
  if (equal > 1) why += fmt::format(", one of {} for the ranks of this node by turns", equal);
  return why;
}

}  // namespace tutti::transport::verbs
