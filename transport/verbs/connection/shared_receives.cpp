// Opens the shared receive queue, and finds peers by queue pair in a table without a lock.
#include "transport/verbs/connection/shared_receives.hpp"

#include <bit>

#include "base/error.hpp"
#include "transport/verbs/connection/work_id.hpp"

namespace tutti::transport::verbs {

SharedReceives::SharedReceives(const Device& device, int ranks)
    : owners_(std::bit_ceil(2 * static_cast<std::size_t>(ranks))) {
  const ibv_device_attr& limits = device.limits();
  if (limits.max_srq == 0 || limits.max_srq_wr < static_cast<int>(kReceives) ||
      limits.max_cqe < static_cast<int>(2 * kReceives))
    return;
  ibv_srq_init_attr wanted{};
  wanted.attr = {kReceives, 1, 0};
  queue_.reset(ibv_create_srq(device.pd(), &wanted));
  if (!queue_) return;
  try {
    receives_ = std::make_unique<Receives>(queue_.get(), kReceives);
  } catch (const Error&) {
    queue_.reset();
  }
}

void SharedReceives::add(std::uint32_t queue_pair, int peer) noexcept {
  const std::uint64_t owner =
      std::uint64_t{queue_pair} << 32 | static_cast<std::uint32_t>(peer + 1);
  std::size_t place = place_of(queue_pair);
  for (;;) {
    const std::uint64_t there = owners_[place].load(std::memory_order_relaxed);
    if (there == 0 || there >> 32 == queue_pair) break;  // the number may have been another's
    place = (place + 1) & (owners_.size() - 1);
  }
  owners_[place].store(owner, std::memory_order_release);
}

int SharedReceives::peer_of(std::uint32_t queue_pair) const noexcept {
  for (std::size_t place = place_of(queue_pair);; place = (place + 1) & (owners_.size() - 1)) {
    const std::uint64_t owner = owners_[place].load(std::memory_order_acquire);
    if (owner == 0) return kNoPeer;
    if (owner >> 32 == queue_pair) return static_cast<int>(owner & 0xffffffff) - 1;
  }
}

}  // namespace tutti::transport::verbs
