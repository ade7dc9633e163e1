// Reads a port's table of GIDs, and finds their networks.
#include "transport/verbs/device/gid.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <tuple>

#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {
namespace {

bool is_link_local(const ibv_gid& gid) noexcept {
  if (is_ipv4(gid)) return gid.raw[12] == 169 && gid.raw[13] == 254;
  return gid.raw[0] == 0xfe && (gid.raw[1] & 0xc0) == 0x80;
}

UsableGid on_infiniband(const ibv_gid_entry& entry, const ibv_port_attr& port) noexcept {
  const std::uint64_t prefix = be64toh(entry.gid.global.subnet_prefix);
  return {entry, {FabricKind::infiniband, prefix, port.sm_lid}, false};
}

UsableGid on_ethernet(const ibv_gid_entry& entry,
                      const std::vector<InterfaceAddress>& addresses) noexcept {
  const bool ipv4 = is_ipv4(entry.gid), v2 = entry.gid_type == IBV_GID_TYPE_ROCE_V2,
             local = is_link_local(entry.gid);
  const auto own = std::ranges::find_if(
      addresses, [&](const InterfaceAddress& a) { return same(a.gid, entry.gid); });
  Fabric fabric;
  if (ipv4) {
    fabric.kind = v2 ? FabricKind::roce_v2_ipv4 : FabricKind::roce_v1_ipv4;
    if (!local && own != addresses.end()) fabric.subnet = ntohl(ipv4_of(entry.gid)) & own->netmask;
  } else {
    fabric.kind = v2 ? FabricKind::roce_v2_ipv6 : FabricKind::roce_v1_ipv6;
    if (!local) fabric.subnet = be64toh(entry.gid.global.subnet_prefix);
  }
  // RoCE v1 takes the MAC out of a link-local IPv6 address, and needs no network device for it.
  const bool needs_none = local && !ipv4 && !v2;
  return {entry, fabric, own == addresses.end() && !needs_none};
}

}  // namespace

bool same(const ibv_gid& a, const ibv_gid& b) noexcept {
  return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0;
}

bool is_ipv4(const ibv_gid& gid) noexcept {
  static constexpr std::uint8_t prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::memcmp(gid.raw, prefix, sizeof prefix) == 0;
}

std::uint32_t ipv4_of(const ibv_gid& gid) noexcept {
  std::uint32_t address;
  std::memcpy(&address, gid.raw + 12, sizeof address);
  return address;
}

std::string text_of(const ibv_gid& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  return text;
}

std::string_view type_name(std::uint32_t gid_type) noexcept {
  switch (gid_type) {
    case IBV_GID_TYPE_IB: return "IB";
    case IBV_GID_TYPE_ROCE_V1: return "RoCE v1";
    default: return "RoCE v2";
  }
}

std::vector<ibv_gid_entry> gids_of(ibv_context* context, int port, const ibv_port_attr& attributes,
                                   int ports) {
  std::vector<ibv_gid_entry> all(static_cast<std::size_t>(std::max(attributes.gid_tbl_len, 1)) *
                                 static_cast<std::size_t>(ports));
  const ssize_t found = ibv_query_gid_table(context, all.data(), all.size(), 0);
  all.resize(found > 0 ? static_cast<std::size_t>(found) : 0);
  std::erase_if(all, [&](const ibv_gid_entry& e) {
    return e.port_num != static_cast<std::uint32_t>(port) || same(e.gid, ibv_gid{});
  });
  std::ranges::sort(all, {}, &ibv_gid_entry::gid_index);
  return all;
}

std::vector<InterfaceAddress> interface_addresses() {
  std::vector<InterfaceAddress> addresses;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return addresses;
  const std::unique_ptr<ifaddrs, Releaser<freeifaddrs>> owner(all);
  for (const ifaddrs* i = all; i; i = i->ifa_next) {
    if (!i->ifa_addr || !i->ifa_netmask) continue;
    if (i->ifa_addr->sa_family == AF_INET6) {
      InterfaceAddress& six = addresses.emplace_back();
      std::memcpy(six.gid.raw, &reinterpret_cast<const sockaddr_in6*>(i->ifa_addr)->sin6_addr, 16);
    } else if (i->ifa_addr->sa_family == AF_INET) {
      InterfaceAddress& four = addresses.emplace_back();
      four.gid.raw[10] = four.gid.raw[11] = 0xff;
      std::memcpy(four.gid.raw + 12,
                  &reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr, 4);
      four.netmask = ntohl(reinterpret_cast<const sockaddr_in*>(i->ifa_netmask)->sin_addr.s_addr);
    }
  }
  return addresses;
}

std::vector<UsableGid> usable_gids(const std::vector<ibv_gid_entry>& gids,
                                   const ibv_port_attr& port,
                                   const std::vector<InterfaceAddress>& addresses, int wanted) {
  std::vector<UsableGid> usable;
  usable.reserve(gids.size());
  for (const ibv_gid_entry& entry : gids)
    if (wanted < 0 || static_cast<int>(entry.gid_index) == wanted)
      usable.push_back(port.link_layer == IBV_LINK_LAYER_ETHERNET ? on_ethernet(entry, addresses)
                                                                  : on_infiniband(entry, port));
  std::ranges::stable_sort(usable, {}, [](const UsableGid& g) {
    return std::tuple(!g.fabric.known(), g.unassigned, g.fabric.kind);
  });
  return usable;
}

}  // namespace tutti::transport::verbs
