// Which protocol a message takes, and where it is combined: one function each, for the channel that
// moves the message and for the model that predicts it. Pure: knows lengths and uses, no transport.
#pragma once

#include "base/types.hpp"

namespace tutti::protocols {

// The use of a message's bytes. Both its ends know it from the schedule.
enum class Use : std::uint8_t {
  stored,    // it stays as it is
  spread,    // stored, in a collective in which one rank sends to several
  gathered,  // stored, in a collective in which several ranks send to one
  combined,  // it is an operand of a reduction
};

enum class Protocol : std::uint8_t {
  line,
  small,
  eager,
  rendezvous,  // the sender writes into the receiver's user memory
  fetch,       // the receiver reads the sender's user memory
  pieces,      // many slots of the eager ring
  either,      // fetch or pieces: the sender chooses for each message, and the receiver sees which
};

struct Limits {
  Bytes line, small, eager;  // largest payload of each eager ring, bytes
  // How longer messages may travel; at least one way.
  bool writes;     // the sender can write into the receiver's user memory
  bool fetches;    // the receiver can read the sender's user memory
  bool in_pieces;  // pieces are a good way for what is combined: the copy costs no packets
  // Bytes of a long message in a slot while the connection is small; 0: it never is.
  Bytes cut = 0;
};

// Both sides compute it from the message's length and use alone, so they never disagree.
//
// A long message that is only stored needs to be copied but once. If one rank sends to several, the
// receivers copy, at the same time, where the sender would copy for them one after another; if
// several send to one, the senders do. But two copies through memory that is in the caches may take
// less time than one by the kernel. Which does differs from machine to machine, and with the
// length, so where both can be the sender measures (Fetching::fetch_pays()). Where several send to
// one it cannot know what the one has to do meanwhile.
//
// Operands come in pieces, and are combined out of the ring while the rest is on its way: received
// whole first, they would be copied as well, and read from memory again.
constexpr Protocol protocol_for(Bytes bytes, Use use, const Limits& limits) {
  if (bytes <= limits.line) return Protocol::line;
  if (bytes <= limits.small) return Protocol::small;
  if (bytes <= limits.eager) return Protocol::eager;
  if (use == Use::combined && limits.in_pieces) return Protocol::pieces;
  if (use != Use::gathered && limits.fetches && limits.in_pieces) return Protocol::either;
  if (use == Use::spread && limits.fetches) return Protocol::fetch;
  return limits.writes ? Protocol::rendezvous : Protocol::pieces;
}

// Whether the receiver may read it from the sender's user memory.
constexpr bool may_be_fetched(Protocol protocol) {
  return protocol == Protocol::fetch || protocol == Protocol::either;
}

// Bytes of each piece but the last: whole cache lines, so that elements of most lengths (powers
// of two) are not cut.
constexpr Bytes piece_bytes(const Limits& limits) {
  constexpr auto line = static_cast<Bytes>(kCacheLine);
  return limits.eager < line ? limits.eager : limits.eager / line * line;
}

// Bytes of a long message in a small slot that it does not fit: whole cache lines again, and a
// multiple of 3 and 5, so that few elements are cut.
constexpr Bytes cut_bytes(Bytes capacity) {
  constexpr auto line = static_cast<Bytes>(kCacheLine), unit = 15 * line;
  if (capacity < line) return capacity;
  return capacity < unit ? capacity / line * line : capacity / unit * unit;
}

// Whether a message is combined with its operand where it lies in the ring, in parts of whole
// elements. If not (a rendezvous goes straight to user memory; a piece may end within an element),
// the message is received whole into staging memory first.
constexpr bool combines_on_arrival(Bytes bytes, Bytes element, Use use, const Limits& limits) {
  const Protocol protocol = protocol_for(bytes, use, limits);
  if (protocol <= Protocol::small) return true;
  if (protocol > Protocol::eager && protocol != Protocol::pieces) return false;
  return (limits.cut == 0 || limits.cut % element == 0) &&
         (protocol == Protocol::eager || piece_bytes(limits) % element == 0);
}

}  // namespace tutti::protocols
