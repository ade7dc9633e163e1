// Finds where the messages of an inbox lie, before it grows and after.
#include "transport/inbox.hpp"

#include <cassert>

#include "base/copy.hpp"

namespace tutti::transport {

Inbox::Inbox(const InboxShape& first, const InboxShape& full) noexcept
    : shape_(first), full_shape_(full) {
  assert(first.valid() && full.valid());
  note_offsets();
}

void Inbox::note_offsets() noexcept {
  for (std::size_t r = 0; r < kRings; ++r) offsets_[r] = shape_.ring_offset(static_cast<Ring>(r));
}

void Inbox::place(std::byte* memory) noexcept {
  memory_ = memory;
  credits_ = reinterpret_cast<std::uint32_t*>(memory);
}

void Inbox::count_arrivals() noexcept {
  polls_memory_ = false;
  credits_ = counted_credits_.data();
}

void Inbox::take_over(Ring ring, std::uint32_t sequence, std::uint32_t bytes) noexcept {
  const std::size_t total = padded(bytes) + sizeof(Trailer);
  const std::size_t to = full_shape_.slot_end(ring, full_shape_[ring].index_of(sequence)),
                    from = slot_end(ring, shape_[ring].index_of(sequence));
  copy_bytes(large_memory_ + to - total, memory_ + from - total, total);
}

// Reports of consumed slots go on to come where they came before.
void Inbox::grow() noexcept {
  memory_ = large_memory_;
  shape_ = full_shape_;
  note_offsets();
  for (std::size_t r = 0; r < kRings; ++r) arrivals_[r] += later_arrivals_[r];
  must_grow_ = false;
  grown_ = true;
}

}  // namespace tutti::transport
