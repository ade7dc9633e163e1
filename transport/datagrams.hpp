// Datagrams: unreliable messages from one rank to all others of a group, and the buffers they
// arrive in.
//
// Any datagram may be lost, doubled, late or out of order; what arrives is whole. Two
// implementations: verbs/multicast (a multicast group, or plain UD to each member), and the hostile
// one of tests/protocol. The seam between protocols and transports: knows bytes and slots; knows no
// message, no rank and no collective. Data path: noexcept, never blocks. Used by one thread at a
// time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/link.hpp"

namespace tutti::transport {

struct Datagram {
  const std::byte* data = nullptr;  // null: nothing has arrived
  std::uint32_t bytes = 0;
  std::uint32_t slot = 0;  // to be given back
};

class Datagrams {
 public:
  virtual ~Datagrams() = default;
  // The most bytes one datagram carries.
  virtual std::uint32_t capacity() const noexcept = 0;
  // Datagrams that may lie here unread or not given back; more are lost.
  virtual std::uint32_t slots() const noexcept = 0;
  // Sends `head`, then `body`, as one datagram; together at most capacity(). Both may be reused at
  // once. done: it is on its way, or lost. again: no room yet. failed: this group will never carry
  // anything again.
  virtual Post send(const void* head, std::uint32_t head_bytes, const void* body,
                    std::uint32_t body_bytes) noexcept = 0;
  // The next datagram that has arrived. Valid until its slot is given back, in whatever order.
  virtual Datagram receive() noexcept = 0;
  virtual void give_back(std::uint32_t slot) noexcept = 0;
};

}  // namespace tutti::transport
