// The mirror of the peer's inbox: the places from which messages are sent that are too long to go
// inline. Geometry only.
//
// Most rings have a place for each slot. A credit for the slot means that the peer has consumed the
// message that was there, so the write from this place has long completed. For long eager slots
// that would be as much memory as the inbox takes, to be allocated, cleared and registered when a
// connection grows. Their messages share a stretch of bytes (send_stretch.hpp), since most of them
// are much shorter than the slots.
#pragma once

#include <algorithm>

#include "transport/inbox_shape.hpp"

namespace tutti::transport::verbs {

class Mirror {
 public:
  // `inline_bytes`: payload that a work request may carry itself.
  constexpr Mirror(const InboxShape& inbox, std::uint32_t inline_bytes) : places_(inbox) {
    for (RingShape& ring : places_.rings)
      if (ring.slot_bytes <= inline_bytes) ring.slots = 0;
    RingShape& eager = places_.rings[static_cast<std::size_t>(Ring::eager)];
    const std::size_t shared =
        std::max(kLeastShared, kLongestAtOnce * std::size_t{eager.slot_bytes} + kMargin);
    if (std::size_t{eager.slot_bytes} * eager.slots <= shared) return;
    shared_bytes_ = static_cast<std::uint32_t>(shared);
    eager.slots = 0;
  }
  constexpr std::size_t bytes() const { return shared_begin() + shared_bytes_; }
  // Bytes from the mirror's beginning to the end of the place for that slot.
  constexpr std::size_t place_end(Ring ring, std::uint32_t slot) const {
    return places_.slot_end(ring, slot) - InboxShape::kCreditBytes;
  }
  // Whether messages of that ring share bytes, from where, and how many.
  constexpr bool shares(Ring ring) const { return ring == Ring::eager && shared_bytes_ != 0; }
  constexpr std::size_t shared_begin() const { return places_.bytes() - InboxShape::kCreditBytes; }
  constexpr std::uint32_t shared_bytes() const { return shared_bytes_; }

 private:
  // As many of the longest messages have room at once, and more of shorter ones: over a device in
  // software all slots' worth of messages of up to 16 KiB.
  static constexpr std::size_t kLeastShared = std::size_t{272} << 10, kLongestAtOnce = 4,
                               kMargin = 4096;

  InboxShape places_;  // rings without slots have none
  std::uint32_t shared_bytes_ = 0;
};

}  // namespace tutti::transport::verbs
