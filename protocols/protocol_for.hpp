// Which protocol a message takes, and where it is combined: one function each, for the channel that
// moves the message and for the model that predicts it. Pure: knows lengths, no transport.
#pragma once

#include "base/types.hpp"

namespace tutti::protocols {

enum class Protocol : std::uint8_t { line, small, eager, rendezvous, pieces };

struct Limits {
  Bytes line, small, eager;  // largest payload of each eager ring, bytes
  // The sender can write into the receiver's user memory. If not, large messages go in pieces.
  bool direct;
};

// Both sides compute it from the message's length alone, so they never disagree.
constexpr Protocol protocol_for(Bytes bytes, const Limits& limits) {
  if (bytes <= limits.line) return Protocol::line;
  if (bytes <= limits.small) return Protocol::small;
  if (bytes <= limits.eager) return Protocol::eager;
  return limits.direct ? Protocol::rendezvous : Protocol::pieces;
}

// Whether a message is combined with its operand where it lies in the ring, in parts of whole
// elements. If not (a rendezvous goes straight to user memory; a piece may end within an element),
// the message is received whole into staging memory first.
constexpr bool combines_on_arrival(Bytes bytes, Bytes element, const Limits& limits) {
  const Protocol protocol = protocol_for(bytes, limits);
  return protocol <= Protocol::eager ||
         (protocol == Protocol::pieces && limits.eager % element == 0);
}

}  // namespace tutti::protocols
