// Group: this port's membership of a multicast group, and the address that all members send to.
//
// On InfiniBand the subnet manager has to join the port to the group; librdmacm asks it. On RoCE
// there is nobody to ask. But the packets are IP multicast, and the host's IP stack (rxe) or the
// adapter drops those of groups that the host has not joined: ibv_attach_mcast alone delivers
// nothing. librdmacm joins the IP group, too; where librdmacm does not work, a socket joins it.
// Set-up regime: throws Error. Knows addresses; knows no queue pair and no datagram.
#pragma once

#include <rdma/rdma_cma.h>

#include <chrono>

#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

using EventChannel = std::unique_ptr<rdma_event_channel, Releaser<rdma_destroy_event_channel>>;
using ManagerId = std::unique_ptr<rdma_cm_id, Releaser<rdma_destroy_id>>;

// A file descriptor that closes itself.
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

// Waits until `file` can be read, whatever signals come meanwhile. false: it took too long, or the
// file is broken.
bool readable_within(std::chrono::milliseconds timeout, int file) noexcept;

enum class Joining : std::uint8_t {
  automatic,  // through librdmacm, or else by a socket
  manager,    // through librdmacm only
  direct,     // by a socket only
};

class Group {
 public:
  static constexpr std::uint32_t kBits = 18;  // the low bits of a group's number that count

  // Joins group `number`, which is the same on all members: the address is 239.192.0.0/14 and the
  // number's low bits, or an IPv6 group if the port has no IPv4 address. Throws Error{unsupported}
  // if no group can be joined here.
  Group(const Device& device, std::uint32_t number, Joining joining,
        const std::function<void(std::string_view)>& log);

  const ibv_ah_attr& path() const noexcept { return path_; }
  const ibv_gid& gid() const noexcept { return path_.grh.dgid; }
  std::uint16_t lid() const noexcept { return path_.dlid; }
  std::uint32_t queue_key() const noexcept { return queue_key_; }
  // The group, and how it was joined, for people.
  const std::string& how() const noexcept { return how_; }

 private:
  std::string join_by_manager(const Device& device, std::uint32_t address);
  std::string join_over(const Device& device, std::uint32_t own, std::uint32_t address);
  void join_by_socket(const Device& device, std::uint32_t number);

  EventChannel events_;
  ManagerId id_;
  Socket socket_;
  ibv_ah_attr path_{};
  // The one that librdmacm uses on RoCE, so that members who joined in different ways can talk.
  std::uint32_t queue_key_ = RDMA_UDP_QKEY;
  std::string how_;
};

}  // namespace tutti::transport::verbs
