// Which protocol a message of so many bytes takes. One function, for the channel and for the model
// that predicts it. Pure: no I/O, no transport object.
#pragma once

#include "base/types.hpp"
#include "transport/inbox.hpp"

namespace tutti::protocols {

enum class Protocol : std::uint8_t { line, small, eager, rendezvous, pieces };

struct Limits {
  Bytes line, small, eager;  // largest payload of each eager ring, bytes
  bool direct;  // the sender can write into the receiver's user memory; else large messages go in
                // pieces
};

constexpr Limits limits_of(const transport::InboxShape& shape, bool direct) {
  return {shape[transport::Ring::line].capacity(), shape[transport::Ring::small].capacity(),
          shape[transport::Ring::eager].capacity(), direct};
}

// Both sides compute it from the message's length alone, so they never disagree.
constexpr Protocol protocol_for(Bytes bytes, const Limits& limits) {
  if (bytes <= limits.line) return Protocol::line;
  if (bytes <= limits.small) return Protocol::small;
  if (bytes <= limits.eager) return Protocol::eager;
  return limits.direct ? Protocol::rendezvous : Protocol::pieces;
}

}  // namespace tutti::protocols
