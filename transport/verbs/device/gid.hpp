// GIDs: the addresses of a port, the networks that they are in, and how they are read and shown.
// Knows verbs; keeps nothing.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "transport/verbs/device/fabric.hpp"

namespace tutti::transport::verbs {

bool same(const ibv_gid& a, const ibv_gid& b) noexcept;
bool is_ipv4(const ibv_gid& gid) noexcept;
std::uint32_t ipv4_of(const ibv_gid& gid) noexcept;  // network byte order
std::string text_of(const ibv_gid& gid);
std::string_view type_name(std::uint32_t gid_type) noexcept;  // "IB", "RoCE v1", "RoCE v2"

// The GIDs of one port of a device with `ports` ports, by index. One system call: the tables have
// hundreds of entries, most of them empty.
std::vector<ibv_gid_entry> gids_of(ibv_context* context, int port, const ibv_port_attr& attributes,
                                   int ports);

// An address of a network device of this process; IPv4 as a GID has it.
struct InterfaceAddress {
  ibv_gid gid;
  std::uint32_t netmask;  // of IPv4, in host byte order
};
std::vector<InterfaceAddress> interface_addresses();

// A GID that may be used, and what its address says.
struct UsableGid {
  ibv_gid_entry entry;
  Fabric fabric;
  // No network device has the address. The kernel finds no way from it, unless the network device
  // is only out of sight: it may be outside of this container.
  bool unassigned;
};
// The GIDs of one port, the best first: in a known network before link-local, RoCE v2 before v1,
// IPv4, which routers and rxe handle best, before IPv6. `wanted`: only the one with this index,
// unless negative.
std::vector<UsableGid> usable_gids(const std::vector<ibv_gid_entry>& gids,
                                   const ibv_port_attr& port,
                                   const std::vector<InterfaceAddress>& addresses, int wanted);

}  // namespace tutti::transport::verbs
