// Reading a port's table of GIDs.
#include "transport/verbs/gid.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstring>

namespace tutti::transport::verbs {

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

const ibv_gid_entry* best_of(const std::vector<ibv_gid_entry>& gids, bool ethernet,
                             int wanted) noexcept {
  const ibv_gid_entry* best = nullptr;
  int best_score = -1;
  for (const ibv_gid_entry& entry : gids) {
    const bool v2 = entry.gid_type == IBV_GID_TYPE_ROCE_V2;
    const int score = wanted >= 0 ? (static_cast<int>(entry.gid_index) == wanted ? 1 : -1)
                      : !ethernet ? 1
                                  : (v2 ? 2 : 0) + (is_ipv4(entry.gid) ? 1 : 0);
    if (score <= best_score) continue;
    best_score = score;
    best = &entry;
  }
  return best;
}

std::uint64_t subnet_of(const ibv_gid& gid, bool ethernet) noexcept {
  if (!ethernet || !is_ipv4(gid)) return be64toh(gid.global.subnet_prefix);
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return 0;
  std::uint64_t subnet = 0;
  for (const ifaddrs* i = all; i; i = i->ifa_next) {
    if (!i->ifa_addr || !i->ifa_netmask || i->ifa_addr->sa_family != AF_INET) continue;
    const auto address = reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr;
    if (address == ipv4_of(gid))
      subnet =
          ntohl(address & reinterpret_cast<const sockaddr_in*>(i->ifa_netmask)->sin_addr.s_addr);
  }
  freeifaddrs(all);
  return subnet;
}

}  // namespace tutti::transport::verbs
