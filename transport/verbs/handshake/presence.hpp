// Whether a peer that says nothing is stopped, or gone.
//
// A stopped process answers no datagram, and is not dead. So each rank has a TCP socket that
// listens at the address of its port, if that is an IP address (RoCE): the kernel accepts
// connections to it even while the process is stopped, and no longer when it has ended. The
// handshake's thread ends each connection at once. So the peer is stopped while a connection is
// open; if it ends, or none can be made, that says nothing: the peer runs, has ended, or is out of
// reach by TCP.
//
// No data is sent, so strangers learn only that there is a process. Not for several threads at a
// time.
#pragma once

#include <infiniband/verbs.h>
#include <poll.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "base/fork_handler.hpp"

namespace tutti::transport::verbs {

// Where a rank can be asked. Port 0: nowhere.
struct PresenceAddress {
  ibv_gid gid{};
  std::uint16_t port = 0;
};

// A rank's own end.
class Presence {
 public:
  // `interface`: the number of the network device, for link-local addresses. Where nothing can
  // listen, as on InfiniBand, port() is 0.
  Presence(const ibv_gid& gid, unsigned interface) noexcept;
  ~Presence();
  Presence(const Presence&) = delete;
  Presence& operator=(const Presence&) = delete;

  std::uint16_t port() const noexcept { return port_; }
  // Can be read when somebody asks. -1: none.
  int file() const noexcept { return file_; }
  // This process runs: ends the connections of all who ask.
  void answer() noexcept;

 private:
  void stop_listening() noexcept;

  int file_ = -1;
  std::uint16_t port_ = 0;
  std::optional<ForkHandler> fork_handler_;  // a child would listen on
};

// The other ends, by peer.
class PresenceProbes {
 public:
  explicit PresenceProbes(unsigned interface) noexcept : interface_(interface) {}
  ~PresenceProbes();
  PresenceProbes(const PresenceProbes&) = delete;
  PresenceProbes& operator=(const PresenceProbes&) = delete;

  // Whether the peer's process is stopped, as far as is known; begins to find out. To be called
  // again and again.
  bool is_stopped(int peer, const PresenceAddress& address) noexcept;
  // Nobody asks any more.
  void forget(int peer) noexcept;

 private:
  struct Probe {
    int peer, file;
  };

  const unsigned interface_;
  std::vector<Probe> all_;
};

}  // namespace tutti::transport::verbs
