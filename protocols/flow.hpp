// Credits of one ring, both directions: how many slots of the peer are free for us, and which of
// ours we have emptied.
//
// Counters only, no I/O: the sender may have at most `slots` messages that the receiver has not
// consumed. Messages may be consumed out of order (nobody waits yet for the older one), but slots
// are given back in order: what nobody waits for stays in its slot. So the memory set aside is the
// ring itself, and credits bound it.
#pragma once

#include <cstdint>

namespace tutti::protocols {

inline constexpr std::uint32_t kMaxSlots = 64;

class OutFlow {
 public:
  explicit OutFlow(std::uint32_t slots = 1) : slots_(slots) {}
  bool has_credit() const noexcept { return sent_ - consumed_ < slots_; }
  bool half_free() const noexcept { return (sent_ - consumed_) * 2 < slots_; }
  // `consumed` as the peer tells it, by whatever way; old news is ignored. More than was sent is a
  // broken peer: false.
  bool update(std::uint32_t consumed) noexcept {
    const auto ahead = static_cast<std::int32_t>(consumed - consumed_);
    if (ahead <= 0) return true;
    if (static_cast<std::int32_t>(sent_ - consumed) < 0) return false;
    consumed_ = consumed;
    return true;
  }
  std::uint32_t next_index() const noexcept { return sent_ & (slots_ - 1); }
  std::uint32_t next_sequence() const noexcept { return sent_ + 1; }
  void sent() noexcept { ++sent_; }
  std::uint32_t count() const noexcept { return sent_; }

 private:
  std::uint32_t slots_, sent_ = 0, consumed_ = 0;
};

class InFlow {
 public:
  explicit InFlow(std::uint32_t slots = 1) : slots_(slots) {}
  std::uint32_t first() const noexcept {
    return consumed_ + 1;
  }  // the oldest sequence not consumed
  std::uint32_t end() const noexcept {
    return consumed_ + 1 + slots_;
  }  // beyond the newest that can have come
  std::uint32_t index(std::uint32_t sequence) const noexcept {
    return (sequence - 1) & (slots_ - 1);
  }
  // Those before first() are taken too: who goes through a ring and consumes may have been
  // overtaken.
  bool taken(std::uint32_t sequence) const noexcept {
    const std::uint32_t ahead = sequence - first();
    return ahead >= kMaxSlots || ((ahead_ >> ahead) & 1u);
  }
  void take(std::uint32_t sequence) noexcept {
    ahead_ |= std::uint64_t{1} << (sequence - first());
    while (ahead_ & 1u) {
      ahead_ >>= 1;
      ++consumed_;
    }
  }
  std::uint32_t consumed() const noexcept { return consumed_; }
  // Half of the ring was emptied without the peer knowing: time for a report of its own.
  bool owes_report() const noexcept { return consumed_ - told_ >= (slots_ + 1) / 2; }
  void told() noexcept { told_ = consumed_; }

 private:
  std::uint32_t slots_, consumed_ = 0, told_ = 0;
  std::uint64_t ahead_ = 0;  // bit i: sequence first() + i was consumed; slots are at most 64
};

}  // namespace tutti::protocols
