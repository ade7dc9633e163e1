// Inbox: the messages of one peer, as this rank reads them. It knows which of them have come, where
// they lie, and how many of this rank's messages the peer has consumed.
//
// The memory is the transport's, and the peer writes it (inbox_shape.hpp). The link says where it
// is, and what has come that the memory does not show. An inbox may begin small and grow once
// (growth.hpp).
//
// Data path: noexcept. Used by one thread at a time. Functions called for each message are inlined,
// and none is virtual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/inbox_prefetch.hpp"
#include "transport/inbox_shape.hpp"
#include "transport/memory.hpp"

namespace tutti::transport {

class Inbox {
 public:
  // How it looks now, and in the end.
  Inbox(const InboxShape& first, const InboxShape& full) noexcept;
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // --- for the reader

  // Has message number `sequence` (from 1) of `ring` arrived?
  bool arrived(Ring ring, std::uint32_t sequence) const noexcept {
    const auto r = static_cast<std::size_t>(ring);
    if (!polls_memory_) return static_cast<std::int32_t>(arrivals_[r] - sequence) >= 0;
    if ((open_ >> r & 1u) == 0 && !has_opened(r)) return false;
    const auto* word = reinterpret_cast<const std::uint32_t*>(
        memory_ + slot_end(ring, shape_[ring].index_of(sequence)) - sizeof(std::uint32_t));
    return __atomic_load_n(word, __ATOMIC_ACQUIRE) == sequence;
  }
  // The trailer of a message that has arrived; the payload starts padded(bytes) before it. The peer
  // may still write there: see read_once().
  const Trailer* trailer(Ring ring, std::uint32_t sequence) const noexcept {
    return reinterpret_cast<const Trailer*>(
        memory_ + slot_end(ring, shape_[ring].index_of(sequence)) - sizeof(Trailer));
  }
  // Prefetches the slot of a later message, while that one, of so many bytes, is read.
  void prefetch(Ring ring, std::uint32_t sequence, std::uint32_t bytes) const noexcept {
    const std::uint32_t soon = shape_[ring].index_of(sequence + kMessagesAhead);
    transport::prefetch<PrefetchFor::reading>(memory_ + slot_end(ring, soon), bytes);
  }
  // How many of our messages in the peer's `ring` it has consumed, by its last explicit report.
  std::uint32_t reported(Ring ring) const noexcept {
    return __atomic_load_n(&credits_[static_cast<std::size_t>(ring)], __ATOMIC_RELAXED);
  }
  // The next number that a write(…, notify) of the peer has announced, if any.
  std::optional<std::uint32_t> finished() noexcept {
    if (finished_head_ == finished_tail_) return std::nullopt;
    return finished_ids_[finished_head_++ % finished_ids_.size()];
  }
  const InboxShape& shape() const noexcept { return shape_; }
  // As InboxShape::slot_end(), at less cost.
  std::size_t slot_end(Ring ring, std::uint32_t index) const noexcept {
    return offsets_[static_cast<std::size_t>(ring)] +
           static_cast<std::size_t>(index + 1) * shape_[ring].slot_bytes;
  }

  // --- growth

  // The peer writes to the large memory now: Growth::grow_in() must be called, and until then
  // nothing that came there has arrived.
  bool must_grow() const noexcept { return must_grow_; }
  // Copies a message that has arrived, so many bytes with its trailer, to its slot in the large
  // memory. No message that came there has that slot: the peer would need credit for both.
  void take_over(Ring ring, std::uint32_t sequence, std::uint32_t bytes) noexcept;
  // The memory of the large inbox becomes the one to read.
  void grow() noexcept;
  bool grown() const noexcept { return grown_; }

  // --- for the link

  // Sets the memory that the peer writes: shape().bytes() bytes, zero at first.
  void place(std::byte* memory) noexcept;
  // Sets the memory of the large inbox. Any thread may call this, once, before the peer hears of
  // it.
  void place_larger(std::byte* memory) noexcept { large_memory_ = memory; }
  // At first only the rings of these bits may be read: the memory of the others is not there yet.
  // The peer sets more bits of the word before it writes to them.
  void open_by(const std::uint32_t* opened, std::uint32_t open) noexcept {
    opened_ = opened;
    open_ = open;
  }
  // From now on note_arrival() and note_credit() tell what has come, instead of the memory.
  void count_arrivals() noexcept;
  // `to_large`: the message went to the memory of the large inbox, which is not read before grow().
  void note_arrival(Ring ring, bool to_large = false) noexcept {
    ++(to_large && !grown_ ? later_arrivals_ : arrivals_)[static_cast<std::size_t>(ring)];
  }
  // The peer has consumed so many of our messages.
  void note_credit(Ring ring, std::uint32_t consumed) noexcept {
    __atomic_store_n(&credits_[static_cast<std::size_t>(ring)], consumed, __ATOMIC_RELAXED);
  }
  // false: more has finished than can be under way.
  bool note_finished(std::uint32_t id) noexcept {
    if (finished_tail_ - finished_head_ == finished_ids_.size()) return false;
    finished_ids_[finished_tail_++ % finished_ids_.size()] = id;
    return true;
  }
  // The peer has gone over to the large memory.
  void note_moved() noexcept { must_grow_ = true; }

 private:
  void note_offsets() noexcept;
  bool has_opened(std::size_t ring) const noexcept {
    open_ |= __atomic_load_n(opened_, __ATOMIC_ACQUIRE);
    return (open_ >> ring & 1u) != 0;
  }

  std::byte* memory_ = nullptr;
  const std::uint32_t* opened_ = nullptr;
  mutable std::uint32_t open_ = ~0u;  // rings, by bits
  bool polls_memory_ = true;          // arrived() polls sequence words; else it reads arrivals_
  bool must_grow_ = false, grown_ = false;
  InboxShape shape_;
  std::array<std::size_t, kRings> offsets_;  // of the rings
  std::uint32_t* credits_ = nullptr;         // kRings counters: in the memory, or those that follow
  std::array<std::uint32_t, kRings> counted_credits_{};
  // Messages that have come, by ring; to the large memory, until it is read.
  std::array<std::uint32_t, kRings> arrivals_{}, later_arrivals_{};
  // Each rendezvous in flight has a number of its own.
  std::array<std::uint32_t, kInvitations> finished_ids_{};
  std::uint32_t finished_head_ = 0, finished_tail_ = 0;
  std::byte* large_memory_ = nullptr;
  const InboxShape full_shape_;
};

}  // namespace tutti::transport
