// Membership of a multicast group: the address that all members send to, and why their packets get
// this far.
//
// On InfiniBand the subnet manager must join the port to the group; librdmacm asks it. On RoCE
// there is nobody to ask, but the packets are IP multicast, and the host's IP stack (rxe) or the
// adapter drops those of groups that the host has not joined: ibv_attach_mcast alone delivers
// nothing. librdmacm joins the IP group too; where it does not work, a socket does. Set-up regime:
// throws Error. Knows addresses; knows no queue pair's state and no datagram.
#pragma once

#include <rdma/rdma_cma.h>

#include "transport/verbs/device.hpp"

namespace tutti::transport::verbs {

using EventChannel = std::unique_ptr<rdma_event_channel, Releaser<rdma_destroy_event_channel>>;
using ManagerId = std::unique_ptr<rdma_cm_id, Releaser<rdma_destroy_id>>;

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Socket();
  int fd() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

enum class Joining : std::uint8_t {
  automatic,
  manager,
  direct
};  // through librdmacm first; only; not at all

class Group {
 public:
  static constexpr std::uint32_t kBits = 18;  // of a group number that count

  // Joins group `number`: 239.192.0.0/14 and the number's low bits, or an IPv6 group on a port
  // without IPv4 address. All members must name the same number. Throws Error{unsupported (no group
  // can be had here) | system}.
  Group(const Device& device, std::uint32_t number, Joining joining,
        const std::function<void(std::string_view)>& log);

  const ibv_ah_attr& path() const noexcept { return path_; }
  const ibv_gid& gid() const noexcept { return path_.grh.dgid; }
  std::uint16_t lid() const noexcept { return path_.dlid; }
  std::uint32_t queue_key() const noexcept { return queue_key_; }
  const std::string& how() const noexcept {
    return how_;
  }  // for people: the group, and through what it was joined

 private:
  std::string join_by_manager(const Device& device, std::uint32_t address);
  std::string join_over(const Device& device, std::uint32_t own, std::uint32_t address);
  void join_by_socket(const Device& device, std::uint32_t number);

  EventChannel events_;
  ManagerId id_;
  Socket socket_;
  ibv_ah_attr path_{};
  std::uint32_t queue_key_ =
      RDMA_UDP_QKEY;  // what librdmacm uses on RoCE, so that both ways of joining meet
  std::string how_;
};

}  // namespace tutti::transport::verbs
