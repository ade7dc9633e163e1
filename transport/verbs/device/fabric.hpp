// A fabric: what ports must share to reach each other, and how ranks agree on fabrics. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "transport/memory.hpp"

namespace tutti::transport::verbs {

// GIDs of different kinds do not reach each other, even within a network.
enum class FabricKind : std::uint8_t {
  infiniband,
  roce_v2_ipv4,
  roce_v2_ipv6,
  roce_v1_ipv4,
  roce_v1_ipv6
};
std::string_view name_of(FabricKind kind) noexcept;  // "InfiniBand", "RoCE v2 over IPv4", …

struct Fabric {
  FabricKind kind = FabricKind::infiniband;
  // InfiniBand's prefix, or the network of the IP address. 0: the address does not tell, because
  // it is link-local, which every network has.
  std::uint64_t subnet = 0;
  // The LID of InfiniBand's subnet manager, as most subnets keep the default prefix.
  std::uint16_t manager = 0;

  bool ethernet() const noexcept { return kind != FabricKind::infiniband; }
  bool roce_v1() const noexcept { return kind >= FabricKind::roce_v1_ipv4; }
  // Ports of an unknown fabric may be on networks that do not reach each other.
  bool known() const noexcept { return !ethernet() || subnet != 0; }
  friend bool operator==(const Fabric&, const Fabric&) = default;
  // Not <=> by default: clang-tidy takes its zero for a null pointer.
  friend bool operator<(const Fabric& a, const Fabric& b) noexcept {
    return std::tie(a.kind, a.subnet, a.manager) < std::tie(b.kind, b.subnet, b.manager);
  }
};

// A rank's offer to all others, of fixed size: its fabrics, the best first, with the ports on each
// that are equally good.
struct Offer {
  static constexpr std::size_t kMost = 16;
  std::uint32_t count = 0;
  std::uint32_t rails = 0;  // how many ports for a large message, as set; 0: a share of `best`
  std::int32_t node = 0;    // on which this rank runs
  std::array<Fabric, kMost> fabrics{};
  // A bit for each port of the host.
  std::array<std::uint64_t, kMost> ports{};
  // The ports, on whatever known fabric, that are as good as the best one; none if packets cost CPU
  // time.
  std::uint64_t best = 0;
  // The list of devices that may be used: a hash of it, 0 for none, and a bit for each of the first
  // 64 that this host has.
  std::uint64_t list = 0, found = 0;

  // The place of `fabric`; `count`: it is not offered.
  std::size_t place_of(const Fabric& fabric) const noexcept;
};

// The fabric that all ranks have, and that is the best for the rank that likes it least. If there
// is none, subnets may be joined by routers: then the first known fabric of rank `mine` of a kind
// that all have. As a last resort an unknown fabric that all have. Nullopt: there is none of these.
// Offers of nothing are left out: those ranks say themselves what they lack.
std::optional<Fabric> common_fabric(std::span<const Offer> offers, std::size_t mine);

// How many ports each rank can use for a large message: what is set, or the best ports of a rank
// by the number of ranks of its node to which one of these is also among the best. The least of all
// ranks, and at least 1.
std::size_t rails_wanted(std::span<const Offer> offers);

// Which of the devices in the list of rank `mine` are on a host of some rank with the same list, as
// bits.
std::uint64_t found_anywhere(std::span<const Offer> offers, std::size_t mine);

// How many rails a rank has set, if `rails` are fewer because some rank lacks ports; else 0. Equal
// on all ranks.
std::size_t rails_missed(std::span<const Offer> offers, std::size_t rails);

// The fabrics of the rails, equal on all ranks that offer anything: common_fabric() first, then
// more known ones, or repetitions of the first, as long as every rank has different ports for them
// and no more than rails_wanted(). Empty: there is none.
std::vector<Fabric> common_rails(std::span<const Offer> offers, std::size_t mine);

}  // namespace tutti::transport::verbs
