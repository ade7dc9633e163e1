// Which GID of a port comes first, and the network that each is in.
#include "transport/verbs/device/gid.hpp"

#include <arpa/inet.h>

#include <catch2/catch.hpp>

using namespace tutti::transport::verbs;

namespace {

ibv_gid gid(const char* text) {
  ibv_gid result{};
  REQUIRE(inet_pton(AF_INET6, text, result.raw) == 1);
  return result;
}

ibv_gid_entry entry(std::uint32_t index, const char* address,
                    std::uint32_t type = IBV_GID_TYPE_ROCE_V2) {
  ibv_gid_entry result{};
  result.gid = gid(address);
  result.gid_index = index;
  result.gid_type = type;
  return result;
}

ibv_port_attr port(std::uint8_t link_layer, std::uint16_t manager = 0) {
  ibv_port_attr result{};
  result.link_layer = link_layer;
  result.sm_lid = manager;
  return result;
}

std::vector<std::uint32_t> order(const std::vector<ibv_gid_entry>& gids,
                                 const std::vector<InterfaceAddress>& addresses, int wanted = -1) {
  std::vector<std::uint32_t> indices;
  for (const UsableGid& g : usable_gids(gids, port(IBV_LINK_LAYER_ETHERNET), addresses, wanted))
    indices.push_back(g.entry.gid_index);
  return indices;
}

}  // namespace

TEST_CASE("known networks before link-local addresses, RoCE v2 before v1, IPv4 before IPv6",
          "[verbs]") {
  const std::vector<ibv_gid_entry> gids{entry(0, "fe80::1", IBV_GID_TYPE_ROCE_V1),
                                        entry(1, "fe80::1"),
                                        entry(2, "::ffff:169.254.7.1"),
                                        entry(3, "fd00::1"),
                                        entry(4, "::ffff:10.0.0.1", IBV_GID_TYPE_ROCE_V1),
                                        entry(5, "::ffff:10.0.0.1")};
  const std::vector<InterfaceAddress> all{{gid("fe80::1"), 0},
                                          {gid("fd00::1"), 0},
                                          {gid("::ffff:169.254.7.1"), 0xffff0000},
                                          {gid("::ffff:10.0.0.1"), 0xffffff00}};
  using Order = std::vector<std::uint32_t>;
  CHECK(order(gids, all) == Order{5, 3, 4, 2, 1, 0});
  CHECK(order(gids, all, 1) == Order{1});
  CHECK(order(gids, all, 9).empty());
  // Without IPv6, the kernel finds no way from the default GID; RoCE v1 does not ask it.
  CHECK(order({gids[1], gids[0]}, {}) == Order{0, 1});
}

TEST_CASE("the network of a GID is that of the network device's address", "[verbs]") {
  const auto fabric = [](const char* address, std::uint32_t netmask) {
    return usable_gids({entry(0, address)}, port(IBV_LINK_LAYER_ETHERNET),
                       {{gid(address), netmask}}, -1)[0]
        .fabric;
  };
  CHECK(fabric("::ffff:10.0.1.2", 0xffffff00) == Fabric{FabricKind::roce_v2_ipv4, 0x0a000100, 0});
  CHECK(fabric("fd00:0:0:7::1", 0) == Fabric{FabricKind::roce_v2_ipv6, 0xfd00000000000007, 0});
  CHECK_FALSE(fabric("fe80::1", 0).known());
  CHECK_FALSE(fabric("::ffff:169.254.7.1", 0xffff0000).known());
  // In a container the network device may be out of sight.
  const auto hidden =
      usable_gids({entry(0, "::ffff:10.0.1.2")}, port(IBV_LINK_LAYER_ETHERNET), {}, -1)[0];
  CHECK(hidden.unassigned);
  CHECK_FALSE(hidden.fabric.known());
  // Two subnets of InfiniBand may have the same prefix, but have different managers.
  const auto subnet = [](std::uint16_t manager) {
    return usable_gids({entry(0, "fe80::1", IBV_GID_TYPE_IB)},
                       port(IBV_LINK_LAYER_INFINIBAND, manager), {}, -1)[0]
        .fabric;
  };
  CHECK(subnet(1).known());
  CHECK(subnet(1) == subnet(1));
  CHECK(subnet(1) != subnet(2));
}
