// RingGrowth: when a connection with small inboxes asks for large ones, and how the credits and the
// messages of its rings go over to them (transport/growth.hpp).
//
// Where both ends begin with small inboxes, a connection asks for large ones when the small ones
// have cost something: messages waited for a slot, or were cut. A connection that gets along with
// few slots stays small, since making large inboxes costs as much as thousands of messages.
//
// Why nothing is lost: the number of a message says where it stands in either inbox, and sender and
// receiver may have different ideas of how many slots there are. The sender's is what counts for
// credit; it never has fewer than the receiver knows of. A receiver that knows of fewer asks sooner
// than it must, and asks again sooner than its ask is forgotten; a message that it takes over has a
// slot to which nobody writes, as all messages that are not consumed have numbers less than a
// ringful apart, of the larger ring too.
#pragma once

#include <cstdint>

#include "base/function_ref.hpp"
#include "protocols/arrived.hpp"
#include "protocols/ring_state.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

class RingGrowth {
 public:
  // A connection is hot when transfers have had to wait for a slot so many times, where to go on in
  // another slot counts as kCut waits, for the packet and its acknowledgement; when this part of
  // the bytes of a large inbox was written to user memory; or when its messages took so many times
  // the bytes of a large inbox.
  static constexpr std::uint32_t kHotWhenShort = 128, kCut = 2;
  static constexpr std::uint64_t kHotWhenWritten = 8, kHotWhenCarried = 4;

  // Both must outlive this.
  RingGrowth(transport::Link& link, RingStates& rings) noexcept
      : link_(link), rings_(rings), may_grow_(link.capabilities().growth != nullptr) {}

  // One of the two inboxes, or both, may still grow: progress() must be called.
  bool may_grow() const noexcept { return may_grow_; }
  void note_wait() noexcept { ++short_of_slots_; }
  void note_cut() noexcept { short_of_slots_ += kCut; }
  // Reads and checks a message that has arrived; null: the link has failed.
  using Read = FunctionRef<Arrived(transport::Ring, std::uint32_t sequence)>;
  // Asks for larger inboxes if it is time, and goes over to them when they are there.
  void progress(Read read) noexcept;

 private:
  bool is_hot() const noexcept;
  void grow_in(Read read) noexcept;

  transport::Link& link_;
  RingStates& rings_;
  bool may_grow_, asked_ = false;
  std::uint32_t short_of_slots_ = 0;  // how often
};

}  // namespace tutti::protocols
