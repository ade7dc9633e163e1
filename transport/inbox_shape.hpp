// The shape of an inbox, on which both ends agree: memory of one rank that exactly one peer may
// write.
//
// An inbox is a handful of rings of fixed slots. A message is placed so that it ENDS where its slot
// ends: the payload, then a 24-byte trailer whose last word is the sequence number. So the word to
// poll has a fixed place whatever the length of the message, a small message touches only one cache
// line, and over shared memory or an in-order device the payload, the trailer and the arrival mark
// travel as ONE write.
//
// Geometry only: no I/O, no verbs, and of a message nothing but its trailer.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/bits.hpp"
#include "base/types.hpp"

namespace tutti::transport {

// The rings of one inbox. The first three carry messages by size; `ready` carries ready-to-receive
// entries (rendezvous); `control` carries everything else: finished rendezvous, failure marks,
// notices.
enum class Ring : std::uint8_t { line, small, eager, ready, control };
inline constexpr std::size_t kRings = 5;

// The length of a payload, and whether more of its message comes: it is a piece, and not the last
// one. Without that word a receiver that expects the first pieces of a longer message would take
// them for all of it.
class Length {
 public:
  constexpr Length() noexcept = default;
  constexpr explicit Length(std::uint32_t bytes, bool more = false) noexcept
      : word_(bytes | (more ? kMore : 0)) {}
  constexpr std::uint32_t bytes() const noexcept { return word_ & kBytes; }
  constexpr bool more() const noexcept { return (word_ & kMore) != 0; }
  // A number that the sending link tells the receiving one beside the message; 0: it tells none.
  // For protocols it has no meaning.
  constexpr std::uint32_t mark() const noexcept { return word_ / kMark & kMarks; }
  constexpr Length with_mark(std::uint32_t mark) const noexcept {
    Length result = *this;
    result.word_ = (word_ & ~(kMarks * kMark)) | (mark & kMarks) * kMark;
    return result;
  }

 private:
  static constexpr std::uint32_t kMore = std::uint32_t{1} << 31, kMark = kMore / 4, kMarks = 3,
                                 kBytes = kMark - 1;
  std::uint32_t word_ = 0;
};

// The end of every slot. `sequence` counts the messages of a ring from 1 and only grows (modulo
// 2^32), so a stale word never looks like an arrival: it differs by a multiple of the ring's slots.
struct Trailer {
  MessageName name;
  Length length;           // of the payload, which ends just before the trailer (padded)
  std::uint32_t consumed;  // piggy-backed credits: how many slots of the SAME ring of its own inbox
                           // the sender has consumed
  std::uint32_t sequence;
};
static_assert(sizeof(Trailer) == 24);

struct RingShape {
  std::uint32_t slot_bytes;  // trailer included; whole cache lines, so that trailers are aligned
  std::uint32_t slots;       // a power of two, so that the sequence may wrap
  constexpr bool valid() const {
    return slot_bytes >= kCacheLine && slot_bytes % kCacheLine == 0 && is_power_of_two(slots);
  }
  constexpr std::uint32_t capacity() const {
    return slot_bytes - static_cast<std::uint32_t>(sizeof(Trailer));
  }
  // The slot of message number `sequence`, counted from 1.
  constexpr std::uint32_t index_of(std::uint32_t sequence) const {
    return (sequence - 1) & (slots - 1);
  }
  friend bool operator==(const RingShape&, const RingShape&) = default;
};

// The offsets of everything in an inbox, which both sides compute alike.
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
  constexpr bool valid() const { return std::ranges::all_of(rings, &RingShape::valid); }
  friend bool operator==(const InboxShape&, const InboxShape&) = default;

  // The first cache line of an inbox: one 32-bit counter for each ring. The peer writes there how
  // many of OUR messages in ITS inbox it has consumed (explicit credits, see Link::report).
  static constexpr std::size_t kCreditBytes = kCacheLine;
};

// The first inbox of a connection that begins small: the same rings, with few slots. There are more
// of the shortest, which cost little: a broadcast of some bytes, whose messages all go one way,
// needs hardly more reports than with a large inbox. A slot for long messages holds no more there
// than one for small ones, and long messages come in several.
constexpr InboxShape first_shape(const InboxShape& shape) {
  const auto few = [](RingShape ring, std::uint32_t most) {
    ring.slots = std::min(ring.slots, most);
    return ring;
  };
  InboxShape first{{few(shape[Ring::line], 32), few(shape[Ring::small], 4),
                    few(shape[Ring::eager], 4), few(shape[Ring::ready], 16),
                    few(shape[Ring::control], 16)}};
  RingShape& eager = first.rings[static_cast<std::size_t>(Ring::eager)];
  eager.slot_bytes = std::min(eager.slot_bytes, shape[Ring::small].slot_bytes);
  return first;
}

// A copy of what a peer wrote, and may write again at any moment: each word is read once, so that
// what is checked is what is used.
template <class T>
T read_once(const T* from) noexcept {
  constexpr std::size_t kWordBytes = 4;
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % kWordBytes == 0);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(from);
  return [words]<std::size_t... I>(std::index_sequence<I...>) {
    return std::bit_cast<T>(std::array{__atomic_load_n(words + I, __ATOMIC_RELAXED)...});
  }
  (std::make_index_sequence<sizeof(T) / kWordBytes>{});
}

// A payload is padded at its end, so that the trailer behind it is aligned.
constexpr std::uint32_t padded(std::uint32_t bytes) { return round_up(bytes, 8u); }

}  // namespace tutti::transport
