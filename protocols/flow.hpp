// The credits of one ring: OutFlow counts the peer's slots that are free for our messages, InFlow
// the slots of ours that are free again for the peer's. Counters only, no I/O.
//
// A sender may have at most `slots` messages that the receiver has not consumed, beside those that
// it was asked for (asks.hpp). Messages may be consumed in any order, but slots are given back in
// the order of their messages: the credits of a message wait until all earlier ones are consumed
// too. So a message that nobody asks for yet stays in its slot, and nobody needs other memory for
// it. Where it has to leave its slot, it still counts as not consumed, so it gives no credit.
#pragma once

#include <cassert>
#include <cstdint>

namespace tutti::protocols {

inline constexpr std::uint32_t kMaxSlots = 64;

// When a receiver reports free slots that no message of its own has told the sender of. The sender
// needs it only when its credits are about to end. As wide as the counters: equal flows have equal
// bytes (collectives/analysis/shared_ring.cpp).
enum class Reports : std::uint32_t {
  late,     // once three quarters of the ring are free again: where a report costs a packet
  at_half,  // once half of it is: where it costs little, or where senders leave the other half to
            // others (half_free())
};

// All counters go round 2^32. `slots` is a power of two.
class OutFlow {
 public:
  explicit OutFlow(std::uint32_t slots = 1) : slots_(slots) {}
  bool has_credit() const noexcept { return sent_ - consumed_ < slots_; }
  bool half_free() const noexcept { return (sent_ - consumed_) * 2 < slots_; }
  // Takes in what the peer says that it has consumed, by a message or a report; what is older than
  // the last is ignored. false: more than was sent, so the peer is broken.
  bool update(std::uint32_t consumed) noexcept {
    const auto news = static_cast<std::int32_t>(consumed - consumed_);
    if (news <= 0) return true;
    if (!has_sent(consumed)) return false;
    consumed_ = consumed;
    return true;
  }
  bool has_sent(std::uint32_t messages) const noexcept {
    return static_cast<std::int32_t>(sent_ - messages) >= 0;
  }
  // Whether the next message finds a slot, credit or not, when the peer has freed so many.
  bool finds_slot(std::uint32_t freed) const noexcept { return sent_ - freed < slots_; }
  std::uint32_t next_index() const noexcept { return sent_ & (slots_ - 1); }
  std::uint32_t next_sequence() const noexcept { return sent_ + 1; }
  void sent() noexcept { ++sent_; }
  std::uint32_t count() const noexcept { return sent_; }
  // The peer's ring has so many slots from now on, not fewer than before.
  void grow(std::uint32_t slots) noexcept { slots_ = slots; }

 private:
  std::uint32_t slots_, sent_ = 0, consumed_ = 0;
};

class InFlow {
 public:
  explicit InFlow(std::uint32_t slots = 1, Reports reports = Reports::late) : reports_(reports) {
    grow(slots);
  }
  // The messages that can be in their slots now have these numbers: first() ≤ number < end().
  std::uint32_t first() const noexcept { return freed_ + 1; }
  std::uint32_t end() const noexcept { return freed_ + 1 + slots_; }
  // Also true before first(): a search that consumes messages on its way may be overtaken.
  bool taken(std::uint32_t sequence) const noexcept {
    const std::uint32_t place = sequence - first();
    return place >= kMaxSlots || ((taken_ >> place) & 1u);
  }
  void take(std::uint32_t sequence) noexcept {
    if (sequence != first()) {
      taken_ |= std::uint64_t{1} << (sequence - first());
      return;
    }
    ++freed_;
    for (taken_ >>= 1; taken_ & 1u; taken_ >>= 1) ++freed_;
  }
  // The first message was copied away: its slot is free, but it is not consumed.
  void set_first_aside() noexcept {
    ++aside_;
    take(first());
  }
  // Messages that were set aside are consumed.
  void take_aside(std::uint32_t messages = 1) noexcept { aside_ -= messages; }
  bool any_aside() const noexcept { return aside_ != 0; }
  // How many slots were freed.
  std::uint32_t freed() const noexcept { return freed_; }
  // The peer's credits.
  std::uint32_t consumed() const noexcept { return freed_ - aside_; }
  // The peer has so many credits that it has not been told of that it is time for a report.
  bool owes_report() const noexcept { return consumed() - told_ >= report_at_; }
  // owes_report(), or the peer has used all credits that it knows of, as `messages` have come.
  bool owes_report(std::uint32_t messages) const noexcept {
    return owes_report() || (exhausts_credit(messages) && !exhausts_slots(messages));
  }
  void told() noexcept { told_ = consumed(); }
  // Whether so many messages are all that the peer could send by the credits that it was told of.
  bool exhausts_credit(std::uint32_t messages) const noexcept {
    return static_cast<std::int32_t>(messages - told_ - slots_) >= 0;
  }
  // Whether `messages` leave the peer no credit, even with all that it could be told.
  bool exhausts_slots(std::uint32_t messages) const noexcept {
    return static_cast<std::int32_t>(messages - consumed() - slots_) >= 0;
  }
  std::uint32_t slots() const noexcept { return slots_; }
  // The ring has so many slots from now on, not fewer than before.
  void grow(std::uint32_t slots) noexcept {
    assert(slots <= kMaxSlots);
    slots_ = slots;
    report_at_ = slots - (reports_ == Reports::late ? (slots + 2) / 4 : slots / 2);
  }

 private:
  Reports reports_;
  std::uint32_t slots_ = 1, report_at_ = 1, freed_ = 0, aside_ = 0, told_ = 0;
  std::uint64_t taken_ = 0;  // bit i: message first() + i was consumed before an earlier one
};

}  // namespace tutti::protocols
