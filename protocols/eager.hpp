// Eager: a message that fits one slot. This is the path of short messages, where each instruction
// counts. Rings::put() sends one; to receive it is to find it, deliver it and free its slot.
//
// Promises: a message of another length is not delivered. Leaves to the caller: that the payload
// is whole elements if there is an operand.
#pragma once

#include "base/combine.hpp"
#include "base/copy.hpp"
#include "base/ticks.hpp"
#include "protocols/complaint.hpp"
#include "protocols/rings.hpp"

namespace tutti::protocols {

// Copies the payload to `place`, or combines it there with the operand's bytes from `offset` on, or
// unpacks it.
inline void deliver(const Arrived& message, void* place, const Operand* operand,
                    Bytes offset) noexcept {
  if (operand)
    operand->apply(message.payload(), place, offset, message.bytes);
  else
    copy_bytes(place, message.payload(), message.bytes);
}

// The same, timed if its sender is to hear of it. What it takes to unpack says nothing of a copy.
inline void deliver(Rings& rings, const Arrived& message, void* place, const Operand* operand,
                    Bytes offset) noexcept {
  if (message.bytes.stored() == transport::Stored::untold || message.set_aside ||
      (operand && operand->view)) [[likely]]
    return deliver(message, place, operand, offset);
  const std::uint64_t begin = ticks();
  deliver(message, place, operand, offset);
  rings.note_read(message, ticks() - begin);
}

[[gnu::always_inline]] inline Answer take_eager(Rings& rings, transport::Ring ring,
                                                const Arrived& message, Complaint& complaint,
                                                void* data, Bytes bytes,
                                                const Operand* operand) noexcept {
  if (message.bytes != bytes || message.bytes.more()) [[unlikely]]
    return complaint.about_length(message.bytes, bytes, message.bytes.more());
  rings.fetch_ahead(ring, message);
  if (bytes != 0) deliver(rings, message, data, operand, 0);
  rings.consume(ring, message);
  return Answer::done;
}

inline Answer receive_eager(Rings& rings, transport::Ring ring, Complaint& complaint,
                            Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                            const Operand* operand) noexcept {
  // Two calls of take_eager(), so that what is found first stays in registers.
  bool look_on = false;
  if (const Arrived oldest = rings.find_first(ring, name, look_on))
    return take_eager(rings, ring, oldest, complaint, data, bytes, operand);
  if (!look_on) return Answer::again;
  const Arrived message = rings.search(ring, name, &transfer);
  if (!message) return Answer::again;
  rings.stop_asking(ring, transfer);
  return take_eager(rings, ring, message, complaint, data, bytes, operand);
}

}  // namespace tutti::protocols
