// The inbox: memory of one rank that exactly one peer may write, and the shape both agree on.
//
// An inbox is a handful of rings of fixed slots. A message is laid so that it ENDS at its slot's
// end: payload, then a 24-byte trailer whose last word is the sequence number. So the word to poll
// stands at a fixed place whatever the length, a small message touches one cache line only, and
// over shared memory or an in-order device header, payload and arrival mark travel as ONE write.
//
// Geometry only: no I/O, no verbs, no meaning of a message beyond its trailer.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace tutti::transport {

// Rings of one inbox. The first three carry messages by size; `ready` carries ready-to-receive
// entries (rendezvous); `control` carries what is neither: finished rendezvous, failure marks,
// farewells.
enum class Ring : std::uint8_t { line, small, eager, ready, control };
inline constexpr std::size_t kRings = 5;

// Stands at the end of every slot. `sequence` counts the messages of a ring from 1 and only grows
// (modulo 2^32), so a stale word can never look like an arrival: it differs by a multiple of the
// ring's slots.
struct Trailer {
  MessageName name;
  std::uint32_t bytes;     // of payload, standing just before the trailer (rounded up to 8 bytes)
  std::uint32_t consumed;  // credits riding along: slots of the SAME ring that the sender has
                           // consumed of the other direction
  std::uint32_t sequence;
};
static_assert(sizeof(Trailer) == 24);

struct RingShape {
  std::uint32_t slot_bytes;  // trailer included; a multiple of 64
  std::uint32_t slots;       // a power of two
  constexpr std::uint32_t capacity() const {
    return slot_bytes - static_cast<std::uint32_t>(sizeof(Trailer));
  }
  // The slot of message number `sequence`, counted from 1.
  constexpr std::uint32_t index_of(std::uint32_t sequence) const {
    return (sequence - 1) & (slots - 1);
  }
};

// Offsets of everything in an inbox, computed alike on both sides from the shapes.
struct InboxShape {
  std::array<RingShape, kRings> rings;

  constexpr const RingShape& operator[](Ring r) const { return rings[static_cast<std::size_t>(r)]; }
  // Bytes from the inbox's start to the end of slot `index`.
  constexpr std::size_t slot_end(Ring r, std::uint32_t index) const {
    return ring_offset(r) + static_cast<std::size_t>(index + 1) * (*this)[r].slot_bytes;
  }
  constexpr std::size_t ring_offset(Ring r) const {
    std::size_t offset = kCreditBytes;
    for (std::size_t i = 0; i < static_cast<std::size_t>(r); ++i)
      offset += static_cast<std::size_t>(rings[i].slot_bytes) * rings[i].slots;
    return offset;
  }
  constexpr std::size_t bytes() const {
    return ring_offset(Ring::control) +
           static_cast<std::size_t>((*this)[Ring::control].slot_bytes) *
               (*this)[Ring::control].slots;
  }
  friend bool operator==(const InboxShape& a, const InboxShape& b) {
    for (std::size_t i = 0; i < kRings; ++i)
      if (a.rings[i].slot_bytes != b.rings[i].slot_bytes || a.rings[i].slots != b.rings[i].slots)
        return false;
    return true;
  }

  // The first cache line of an inbox: one 32-bit counter a ring, written by the peer: how many
  // slots of OUR messages in ITS inbox it has consumed (explicit credits, see Link::report).
  static constexpr std::size_t kCreditBytes = kCacheLine;
};

// A payload is padded at its end, so that the trailer behind it is aligned.
constexpr std::uint32_t padded(std::uint32_t bytes) { return round_up(bytes, 8u); }

}  // namespace tutti::transport
