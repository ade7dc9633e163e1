// Asks a silent peer's kernel over TCP whether the process is stopped or gone; sends no data.
#include "transport/verbs/handshake/presence.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <new>

#include "transport/verbs/device/gid.hpp"

namespace tutti::transport::verbs {
namespace {

// How many may ask a process while it is stopped; the kernel has a limit of its own.
constexpr int kBacklog = 4096;

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t length = 0;
  sockaddr* get() noexcept { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress address_of(const ibv_gid& gid, std::uint16_t port, unsigned interface) noexcept {
  SocketAddress address;
  if (is_ipv4(gid)) {
    sockaddr_in four{};
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    four.sin_addr.s_addr = ipv4_of(gid);
    std::memcpy(&address.storage, &four, address.length = sizeof four);
  } else {
    sockaddr_in6 six{};
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&six.sin6_addr, gid.raw, sizeof six.sin6_addr);
    if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) six.sin6_scope_id = interface;
    std::memcpy(&address.storage, &six, address.length = sizeof six);
  }
  return address;
}

int open_socket(const SocketAddress& address) noexcept {
  return socket(address.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

// The number stays in use, so that closing it again does no harm.
void close_in_child(void* file) noexcept {
  const int number = *static_cast<const int*>(file);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0 || dup3(nothing, number, O_CLOEXEC) < 0) close(number);
  if (nothing >= 0) close(nothing);
}

// -1: it cannot be. The kernel ends a connection to a host that is gone after some seconds.
int begin_to_connect(SocketAddress there) noexcept {
  const int file = open_socket(there);
  if (file < 0) return -1;
  struct {
    int level, name, value;
  } constexpr kAlive[] = {{SOL_SOCKET, SO_KEEPALIVE, 1},
                          {IPPROTO_TCP, TCP_KEEPIDLE, 1},
                          {IPPROTO_TCP, TCP_KEEPINTVL, 1},
                          {IPPROTO_TCP, TCP_KEEPCNT, 4}};
  for (const auto& [level, name, value] : kAlive)
    setsockopt(file, level, name, &value, sizeof value);
  if (connect(file, there.get(), there.length) == 0 || errno == EINPROGRESS) return file;
  close(file);
  return -1;
}

enum class Open : std::uint8_t { yes, no, not_yet };

// The kernel says that one can write as soon as there is a connection, and that one can read when
// it has ended, or cannot be made.
Open state_of(int file) noexcept {
  pollfd wait{file, POLLIN | POLLOUT, 0};
  if (poll(&wait, 1, 0) <= 0) return Open::not_yet;
  return wait.revents == POLLOUT ? Open::yes : Open::no;
}

}  // namespace

Presence::Presence(const ibv_gid& gid, unsigned interface) noexcept {
  SocketAddress address = address_of(gid, 0, interface);
  const int file = open_socket(address);
  if (file < 0) return;
  if (bind(file, address.get(), address.length) != 0 || listen(file, kBacklog) != 0 ||
      getsockname(file, address.get(), &address.length) != 0) {
    close(file);
    return;
  }
  file_ = file;
  fork_handler_.emplace(close_in_child, &file_);
  in_port_t port;
  static_assert(offsetof(sockaddr_in, sin_port) == offsetof(sockaddr_in6, sin6_port));
  std::memcpy(&port,
              reinterpret_cast<const char*>(&address.storage) + offsetof(sockaddr_in, sin_port),
              sizeof port);
  port_ = ntohs(port);
}

Presence::~Presence() { stop_listening(); }

void Presence::stop_listening() noexcept {
  fork_handler_.reset();
  if (file_ >= 0) close(file_);
  file_ = -1;
}

// Without a descriptor for who asks, this process would seem to be stopped.
void Presence::answer() noexcept {
  for (;;) {
    const int asks = accept4(file_, nullptr, nullptr, SOCK_CLOEXEC);
    if (asks >= 0)
      close(asks);
    else if (errno == EAGAIN)
      return;
    else if (errno != EINTR && errno != ECONNABORTED)
      return stop_listening();
  }
}

PresenceProbes::~PresenceProbes() {
  for (const Probe& probe : all_) close(probe.file);
}

// A connection that was ended at once may be the answer to a question that is older than the stop:
// the next call asks again.
bool PresenceProbes::is_stopped(int peer, const PresenceAddress& address) noexcept {
  const auto known = std::ranges::find(all_, peer, &Probe::peer);
  if (known != all_.end()) {
    const Open open = state_of(known->file);
    if (open == Open::no) forget(peer);
    return open == Open::yes;
  }
  if (address.port == 0) return false;
  try {
    all_.reserve(all_.size() + 1);
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (const int file = begin_to_connect(address_of(address.gid, address.port, interface_));
      file >= 0)
    all_.push_back({peer, file});
  return false;
}

void PresenceProbes::forget(int peer) noexcept {
  const auto known = std::ranges::find(all_, peer, &Probe::peer);
  if (known == all_.end()) return;
  close(known->file);
  all_.erase(known);
}

}  // namespace tutti::transport::verbs
