// Asks: what the peer's receives wait for while this rank has no credit to send it.
//
// No message waits until another one is taken, except by the receive that names it. A receive that
// waits while the peer has no credit left ASKS for its message:
//
//     receiver                                      sender
//
//     all messages that the peer had credit
//     for have come, the wanted one is not
//     among them: tells the peer of slots
//     that are free again, or, if there are
//     none, sets all aside (aside.hpp),
//     which frees their slots, without credit
//     and sends Ask{name, ring, freed}          ->  keeps the ask. A message of that name goes at
//                                                   once, without credit and past the line, while a
//                                               <-  ringful has not been sent since `freed`
//     takes it; if a ringful of others came
//     first, asks again
//
// Liveness: a message whose sender and receiver both wait always gets through, even if no other
// message is consumed. Proof by contradiction: suppose that it does not. Only a limited number of
// other messages have credit or are asked for, so in the end no message moves, and all that were
// sent have arrived. The sender has no credit, since the first in line would use it. So the
// receiver has reported all that it has consumed, finds all credit used up, and asks. Its ask
// arrives, since both ranks empty the control ring whatever their calls wait for. It says that the
// slots of all messages were freed, so the sender finds one, and puts the message: a contradiction.
//
// Memory is bounded: without credit a message goes only to a receive that waits for it. So a
// connection sets aside at most as many messages as its rings have slots, and for each receive that
// waits, one message, or a ringful of pieces. A peer that sends more counts as corrupt. An ask may
// cross the message that it asks for, or the call may fail: both ranks forget it when a ringful has
// been sent since, and need no word for it.
//
// This file is the sender's side: the asks that it keeps. The receiver's is Rings::ask().
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "protocols/flow.hpp"
#include "transport/inbox_shape.hpp"

namespace tutti::protocols {

// In the control ring: a receive waits for a message, and the peer has no credit for it.
struct Ask {
  static constexpr Ordinal kOrdinal = 0;  // of its name there; those of Control begin behind it
  MessageName name;
  std::uint32_t freed;  // how many slots of the ring have been freed
  transport::Ring ring;
};

// The peer's asks, kept by the sender of the messages.
class Asks {
 public:
  // A call has fewer receives than this, and each that waits asks for one message.
  static constexpr std::size_t kMost = std::size_t{1} << kOrdinalBits;
  enum class Kept : std::uint8_t { yes, too_many, no_memory };

  // The peer asks for a message of that name, when it has freed so many slots of the ring whose
  // credits `out` counts. `out` must outlive this.
  Kept keep(const MessageName& name, const OutFlow& out, std::uint32_t freed) noexcept;
  // Whether a message of that name may go through that ring without credit.
  bool allow(const MessageName& name, const OutFlow& out) const noexcept;

 private:
  struct Entry {
    MessageName name;
    std::uint32_t freed;
    const OutFlow* out;
    // A ringful has not been sent since. The asker knows it, too, when all of that has come.
    bool holds() const noexcept { return out->finds_slot(freed); }
  };
  static constexpr std::size_t kFew = 16;
  std::vector<Entry> entries_;
  std::size_t limit_ = kFew;  // number kept until those that no longer hold are dropped
};

}  // namespace tutti::protocols
