// Eager: a message that fits one slot. This is the path of short messages, where each instruction
// counts. Rings::put() sends one; to receive it is to find it, deliver it and free its slot.
//
// Promises: a message of another length is not delivered. Leaves to the caller: that the payload
// is whole elements if there is an operand.
#pragma once

#include "base/combine.hpp"
#include "base/copy.hpp"
#include "protocols/complaint.hpp"
#include "protocols/protocol_for.hpp"
#include "protocols/rings.hpp"

namespace tutti::protocols {

// A message for the eager ring fits one slot, unless the connection is small at first.
constexpr bool is_single_slot(Protocol protocol, const Limits& limits) {
  return protocol <= Protocol::small || (protocol == Protocol::eager && limits.cut == 0);
}

// The ring of a message that fits one slot.
constexpr transport::Ring ring_of(Protocol protocol) {
  return static_cast<transport::Ring>(protocol);
}
static_assert(ring_of(Protocol::line) == transport::Ring::line &&
              ring_of(Protocol::small) == transport::Ring::small &&
              ring_of(Protocol::eager) == transport::Ring::eager);

// Copies the payload to `place`, or combines it there with the operand's bytes from `offset` on, or
// unpacks it.
inline void deliver(const Arrived& message, void* place, const Operand* operand,
                    Bytes offset) noexcept {
  if (operand)
    operand->apply(message.payload(), place, offset, message.length.bytes());
  else
    copy_bytes(place, message.payload(), message.length.bytes());
}

// Delivers, and tells the link that watches it.
inline void deliver(const Rings& rings, const Arrived& message, void* place, const Operand* operand,
                    Bytes offset) noexcept {
  transport::ReadWatch* const watch = rings.read_watch(message);
  if (!watch) [[likely]]
    return deliver(message, place, operand, offset);
  watch->begin_read();
  deliver(message, place, operand, offset);
  watch->end_read(message.length);
}

inline Answer receive_eager(Rings& rings, transport::Ring ring, Complaint& complaint,
                            Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                            const Operand* operand) noexcept {
  const Arrived message = rings.find(ring, name, &transfer);
  if (!message) return Answer::again;
  rings.stop_asking(ring, transfer);
  if (message.length.bytes() != bytes || message.length.more()) [[unlikely]]
    return complaint.about_length(message.length.bytes(), bytes, message.length.more());
  rings.prefetch(ring, message);
  if (bytes != 0) deliver(rings, message, data, operand, 0);
  rings.consume(ring, message);
  return Answer::done;
}

}  // namespace tutti::protocols
