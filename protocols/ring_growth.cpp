// Decides when a connection asks to grow, and moves its rings to the large inboxes.
#include "protocols/ring_growth.hpp"

namespace tutti::protocols {

bool RingGrowth::is_hot() const noexcept {
  const std::uint64_t large = link_.outbox().full_shape().bytes();
  if (short_of_slots_ >= kHotWhenShort ||
      link_.capabilities().growth->written() >= large / kHotWhenWritten)
    return true;
  const transport::Inbox& inbox = link_.inbox();
  std::uint64_t bytes = 0;  // of slots that were used
  for (std::size_t r = 0; r < transport::kRings; ++r)
    bytes += std::uint64_t{rings_[r].out.count()} * link_.outbox().shape().rings[r].slot_bytes +
             std::uint64_t{rings_[r].in.freed()} * inbox.shape().rings[r].slot_bytes;
  return bytes >= large * kHotWhenCarried;
}

void RingGrowth::progress(Read read) noexcept {
  transport::Growth& growth = *link_.capabilities().growth;
  const transport::Inbox& inbox = link_.inbox();
  if (link_.state() == transport::State::ready) {
    if (!asked_ && is_hot()) {
      asked_ = true;
      growth.ask_for_more();
    }
    if (link_.outbox().may_grow() && growth.grow_out() == transport::Post::done)
      for (std::size_t r = 0; r < transport::kRings; ++r)
        rings_[r].out.grow(link_.outbox().full_shape().rings[r].slots);
  }
  if (inbox.must_grow()) grow_in(read);  // even if the link has failed: what has come has come
  may_grow_ = !inbox.grown() || !link_.outbox().grown();
}

// Also copies messages that were consumed out of order: Rings::search() stops at the first gap, so
// leaving them out would hide later ones.
void RingGrowth::grow_in(Read read) noexcept {
  transport::Inbox& inbox = link_.inbox();
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    const auto ring = static_cast<transport::Ring>(r);
    const InFlow& in = rings_[r].in;
    for (std::uint32_t sequence = in.first(); sequence != in.end(); ++sequence) {
      if (!inbox.arrived(ring, sequence)) break;
      const Arrived message = read(ring, sequence);
      if (!message) return;
      inbox.take_over(ring, sequence, message.length.bytes());
    }
  }
  link_.capabilities().growth->grow_in();
  for (std::size_t r = 0; r < transport::kRings; ++r)
    rings_[r].in.grow(link_.outbox().full_shape().rings[r].slots);
}

}  // namespace tutti::protocols
