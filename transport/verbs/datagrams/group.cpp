// Joins a multicast group through librdmacm, or by a socket and a direct attach.
#include "transport/verbs/datagrams/group.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/running_clock.hpp"
#include "transport/verbs/device/gid.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::chrono::milliseconds kJoinTimeout{3000};
constexpr std::uint8_t kHops = 64;

std::string because(const char* what) { return fmt::format("{}: {}", what, std::strerror(errno)); }

}  // namespace

// The kernel never restarts poll() after a signal, and lets it end when a process was stopped for
// longer than it was to take.
bool readable_within(std::chrono::milliseconds timeout, int file) noexcept {
  using std::chrono::milliseconds;
  constexpr milliseconds kOnce = RunningTime::kLongestStep / 2;
  const auto deadline = RunningClock::now() + timeout;
  pollfd wait{file, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - RunningClock::now());
    const auto time = std::clamp(left, milliseconds{0}, kOnce);
    const int some = poll(&wait, 1, static_cast<int>(time.count()));
    if (some == 1) return (wait.revents & POLLIN) != 0;
    if (left <= milliseconds{0} || (some < 0 && errno != EINTR)) return false;
  }
}

Socket::~Socket() {
  if (fd_ >= 0) close(fd_);
}

Group::Group(const Device& device, std::uint32_t number, Joining joining,
             const std::function<void(std::string_view)>& log) {
  const std::uint32_t low = number & ((1u << kBits) - 1);
  std::string why_not = "it was not asked";
  if (joining != Joining::direct) why_not = join_by_manager(device, htonl(0xefc00000u | low));
  if (!why_not.empty()) {
    if (joining == Joining::manager || !device.ethernet())
      throw Error(Code::unsupported,
                  fmt::format("librdmacm cannot join a multicast group on port {} of {} ({}); on "
                              "InfiniBand that takes a subnet manager, and an IPoIB address of the "
                              "port; or else broadcast by another algorithm, or by datagrams to "
                              "each receiver",
                              device.port(), device.name(), why_not),
                  kNoPeer, errno);
    join_by_socket(device, low);
    if (joining == Joining::automatic) how_ += fmt::format("; librdmacm: {}", why_not);
  }
  log(fmt::format("device {}: {}", device.name(), how_));
}

// Binds to the GID's own address on RoCE; on InfiniBand to the IPoIB address of our port, which is
// found by trying all. Returns why the group cannot be joined; empty if it was.
std::string Group::join_by_manager(const Device& device, std::uint32_t address) {
  if (device.ethernet())
    return is_ipv4(device.gid()) ? join_over(device, ipv4_of(device.gid()), address)
                                 : "the GID is not an IPv4 address";
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return because("getifaddrs");
  std::string why = "no network interface has an IPv4 address";
  for (const ifaddrs* i = list; i && !why.empty(); i = i->ifa_next)
    if (i->ifa_addr && i->ifa_addr->sa_family == AF_INET)
      why = join_over(device, reinterpret_cast<const sockaddr_in*>(i->ifa_addr)->sin_addr.s_addr,
                      address);
  freeifaddrs(list);
  return why;
}

std::string Group::join_over(const Device& device, std::uint32_t own, std::uint32_t address) {
  EventChannel events(rdma_create_event_channel());
  if (!events) return because("rdma_create_event_channel");
  rdma_cm_id* made = nullptr;
  if (rdma_create_id(events.get(), &made, nullptr, RDMA_PS_UDP) != 0)
    return because("rdma_create_id");
  ManagerId id(made);
  sockaddr_in here{}, group{};
  here.sin_family = group.sin_family = AF_INET;
  here.sin_addr.s_addr = own;
  group.sin_addr.s_addr = address;
  if (rdma_bind_addr(id.get(), reinterpret_cast<sockaddr*>(&here)) != 0)
    return because("rdma_bind_addr");
  if (!id->verbs || id->port_num != device.port() ||
      device.name() != ibv_get_device_name(id->verbs->device))
    return "the port's address belongs to another device";
  if (rdma_join_multicast(id.get(), reinterpret_cast<sockaddr*>(&group), nullptr) != 0)
    return because("rdma_join_multicast");
  if (!readable_within(kJoinTimeout, events->fd)) return "rdma_join_multicast got no answer";
  rdma_cm_event* event = nullptr;
  while (rdma_get_cm_event(events.get(), &event) != 0)
    if (errno != EINTR) return because("rdma_get_cm_event");
  const bool joined = event->event == RDMA_CM_EVENT_MULTICAST_JOIN;
  std::string why =
      joined ? "" : fmt::format("{}, status {}", rdma_event_str(event->event), event->status);
  if (joined) {
    path_ = event->param.ud.ah_attr;
    queue_key_ = event->param.ud.qkey;
    how_ = fmt::format("multicast group {} joined through librdmacm", text_of(gid()));
  }
  rdma_ack_cm_event(event);
  if (!joined) return why;
  id_ = std::move(id);  // which the membership lives as long as
  events_ = std::move(events);
  return {};
}

void Group::join_by_socket(const Device& device, std::uint32_t number) {
  ibv_gid_entry entry{};
  const int error = ibv_query_gid_ex(device.context(), static_cast<std::uint32_t>(device.port()),
                                     static_cast<std::uint32_t>(device.gid_index()), &entry, 0);
  const bool ipv4 = is_ipv4(device.gid());
  ibv_gid gid{};
  int failed = 0;
  if (ipv4) {
    ip_mreqn membership{};
    membership.imr_multiaddr.s_addr = htonl(0xefc00000u | number);
    membership.imr_address.s_addr = ipv4_of(device.gid());
    membership.imr_ifindex = error == 0 ? static_cast<int>(entry.ndev_ifindex) : 0;
    gid.raw[10] = gid.raw[11] = 0xff;
    std::memcpy(gid.raw + 12, &membership.imr_multiaddr, 4);
    socket_ = Socket(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    failed =
        setsockopt(socket_.fd(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership);
  } else {
    ipv6_mreq membership{};
    const std::uint8_t prefix[12] = {0xff, 0x15, 0, 0, 0,    0,
                                     0,    0,    0, 0, 0x74, 0x75};  // transient, site-local
    const std::uint32_t tail = htonl(number);
    std::memcpy(gid.raw, prefix, sizeof prefix);
    std::memcpy(gid.raw + 12, &tail, sizeof tail);
    std::memcpy(&membership.ipv6mr_multiaddr, gid.raw, sizeof gid);
    membership.ipv6mr_interface = error == 0 ? entry.ndev_ifindex : 0;
    socket_ = Socket(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    failed =
        setsockopt(socket_.fd(), IPPROTO_IPV6, IPV6_JOIN_GROUP, &membership, sizeof membership);
  }
  if (socket_.fd() < 0 || failed != 0)
    throw Error(Code::unsupported,
                fmt::format("the IP multicast group {} cannot be joined on port {} of {}: {}; "
                            "broadcast by datagrams to each receiver, or "
                            "by another algorithm",
                            text_of(gid), device.port(), device.name(), std::strerror(errno)),
                kNoPeer, errno);
  path_ = device.path_to(0, gid);
  path_.grh.hop_limit = kHops;
  how_ = fmt::format("multicast group {} attached directly, its IP group joined by a socket",
                     text_of(gid));
}

}  // namespace tutti::transport::verbs
