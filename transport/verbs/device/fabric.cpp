// Agrees with all ranks on the fabrics that they share.
#include "transport/verbs/device/fabric.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>

namespace tutti::transport::verbs {
namespace {

std::span<const Fabric> fabrics_of(const Offer& offer) {
  return std::span(offer.fabrics).first(offer.count);
}

// The best fabric of all offers, among those that are known or those that are not.
std::optional<Fabric> shared_fabric(std::span<const Offer> offers, std::size_t mine, bool known) {
  std::optional<Fabric> best;
  std::tuple<std::size_t, std::size_t, Fabric> least;
  for (const Fabric& fabric : fabrics_of(offers[mine])) {
    std::size_t worst = 0, sum = 0;
    bool everywhere = fabric.known() == known;
    for (const Offer& offer : offers) {
      if (offer.count == 0) continue;
      const std::size_t place = offer.place_of(fabric);
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
  return best;
}

std::optional<Fabric> routed_fabric(std::span<const Offer> offers, std::size_t mine) {
  // InfiniBand first, on all ranks: it is there for this. RoCE v1 passes no router.
  for (const FabricKind kind :
       {FabricKind::infiniband, FabricKind::roce_v2_ipv4, FabricKind::roce_v2_ipv6}) {
    const auto fits = [kind](const Fabric& f) { return f.kind == kind && f.known(); };
    const auto own = std::ranges::find_if(fabrics_of(offers[mine]), fits);
    if (own != fabrics_of(offers[mine]).end() && std::ranges::all_of(offers, [&](const Offer& o) {
          return o.count == 0 || std::ranges::any_of(fabrics_of(o), fits);
        }))
      return *own;
  }
  return std::nullopt;
}

// Whether there is a port of its own for each rail.
bool has_ports(const Offer& offer, std::span<const Fabric> rails, std::uint64_t taken = 0) {
  if (rails.empty()) return true;
  const std::size_t place = offer.place_of(rails.front());
  if (place == offer.count) return false;
  for (std::uint64_t left = offer.ports[place] & ~taken; left != 0; left &= left - 1)
    if (has_ports(offer, rails.subspan(1), taken | (left & -left))) return true;
  return false;
}

}  // namespace

std::string_view name_of(FabricKind kind) noexcept {
  switch (kind) {
    case FabricKind::infiniband: return "InfiniBand";
    case FabricKind::roce_v2_ipv4: return "RoCE v2 over IPv4";
    case FabricKind::roce_v2_ipv6: return "RoCE v2 over IPv6";
    case FabricKind::roce_v1_ipv4: return "RoCE v1 with IPv4 addresses";
    default: return "RoCE v1 with IPv6 addresses";
  }
}

std::size_t Offer::place_of(const Fabric& fabric) const noexcept {
  const auto end = fabrics.begin() + count;
  return static_cast<std::size_t>(std::find(fabrics.begin(), end, fabric) - fabrics.begin());
}

std::optional<Fabric> common_fabric(std::span<const Offer> offers, std::size_t mine) {
  if (const auto shared = shared_fabric(offers, mine, true)) return shared;
  if (const auto routed = routed_fabric(offers, mine)) return routed;
  return shared_fabric(offers, mine, false);
}

std::size_t rails_wanted(std::span<const Offer> offers) {
  std::size_t wanted = kMostRails;
  std::map<std::int32_t, std::map<std::uint64_t, int>> alike;  // ranks, by node and best ports
  for (const Offer& offer : offers) {
    if (offer.count == 0) continue;
    ++alike[offer.node][offer.best];
    if (offer.rails != 0) wanted = std::min<std::size_t>(wanted, offer.rails);
  }
  for (const Offer& offer : offers) {
    if (offer.count == 0 || offer.rails != 0) continue;
    int sharing = 0;
    for (const auto& [best, ranks] : alike[offer.node])
      if ((best & offer.best) != 0) sharing += ranks;
    const int share = std::popcount(offer.best) / std::max(sharing, 1);
    wanted = std::min(wanted, static_cast<std::size_t>(std::max(share, 1)));
  }
  return wanted;
}

std::uint64_t found_anywhere(std::span<const Offer> offers, std::size_t mine) {
  std::uint64_t found = 0;
  for (const Offer& offer : offers)
    if (offer.list == offers[mine].list) found |= offer.found;
  return found;
}

std::size_t rails_missed(std::span<const Offer> offers, std::size_t rails) {
  const std::size_t wanted = rails_wanted(offers);
  const bool set = std::ranges::any_of(
      offers, [&](const Offer& o) { return o.count != 0 && o.rails == wanted; });
  return set && rails < wanted ? wanted : 0;
}

std::vector<Fabric> common_rails(std::span<const Offer> offers, std::size_t mine) {
  const auto first = common_fabric(offers, mine);
  if (!first) return {};
  const std::size_t wanted = rails_wanted(offers);
  std::vector<Fabric> rails{*first};
  rails.reserve(kMostRails + 1);
  const auto own = fabrics_of(offers[mine]);
  // In an order that all ranks have.
  for (const Fabric& fabric : std::set<Fabric>(own.begin(), own.end()))
    while (rails.size() < wanted && (fabric.known() || fabric == *first)) {
      rails.push_back(fabric);
      if (std::ranges::all_of(offers,
                              [&](const Offer& o) { return o.count == 0 || has_ports(o, rails); }))
        continue;
      rails.pop_back();
      break;
    }
  return rails;
}

}  // namespace tutti::transport::verbs
