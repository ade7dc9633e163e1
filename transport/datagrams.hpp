// Datagrams: unreliable messages from one rank to all others of a group, and the buffers they
// arrive in.
//
// A datagram may be lost, duplicated, late or out of order; one that arrives is whole. There are
// two implementations: verbs/multicast (a multicast group, or plain UD to each member), and the
// hostile one in tests/protocols. This is a seam between protocols and transports: it knows bytes
// and slots; it knows no message, no rank and no collective. Data path: noexcept, never blocks.
// Used by one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "transport/link.hpp"

namespace tutti::transport {

struct Datagram {
  const std::byte* data = nullptr;  // null: nothing has arrived
  std::uint32_t bytes = 0;
  std::uint32_t slot = 0;  // the caller gives it back
};

class Datagrams {
 public:
  virtual ~Datagrams() = default;
  // How many bytes a datagram carries at most.
  virtual std::uint32_t capacity() const noexcept = 0;
  // How many datagrams there is room for until they are given back; more are lost.
  virtual std::uint32_t slots() const noexcept = 0;
  // Sends `head`, then `body`, as one datagram; together at most capacity(). Both may be reused at
  // once. done: it is on its way, or lost. again: no room yet. failed: this group will carry
  // nothing any more.
  virtual Post send(const void* head, std::uint32_t head_bytes, const void* body,
                    std::uint32_t body_bytes) noexcept = 0;
  // The next datagram that has arrived, valid until its slot is given back. Slots may be given back
  // in any order.
  virtual Datagram receive() noexcept = 0;
  virtual void give_back(std::uint32_t slot) noexcept = 0;
};

}  // namespace tutti::transport
