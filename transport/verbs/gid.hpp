// GIDs: the addresses of a port, and how they are read and shown. Knows verbs; keeps nothing.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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

// The one with index `wanted`; if that is negative RoCE v2 over IPv4, which routers and rxe handle
// best, then any RoCE v2, then the first. Null if there is none.
const ibv_gid_entry* best_of(const std::vector<ibv_gid_entry>& gids, bool ethernet,
                             int wanted) noexcept;
// The subnet of a port with this GID: InfiniBand's prefix, or the network of its IP address; 0 if
// no network device has that address.
std::uint64_t subnet_of(const ibv_gid& gid, bool ethernet) noexcept;

}  // namespace tutti::transport::verbs
