// A notice: what a rank leaves for peers to whom it cannot connect. The transport keeps it without
// understanding it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace tutti::transport {

struct Notice {
  std::array<std::byte, 40> bytes;
};

// The first kMost notices, in the order in which they were left. One thread adds, others read. May
// lie in memory where anybody may write.
struct Notices {
  static constexpr std::uint32_t kMost = 16;

  std::atomic<std::uint32_t> size;
  std::array<Notice, kMost> all;

  // false: there is no room.
  bool add(const Notice& notice) noexcept {
    const std::uint32_t number = size;
    if (number >= kMost) return false;
    all[number] = notice;
    size.store(number + 1, std::memory_order_release);
    return true;
  }
  // Counted from 0; nullopt: there are fewer.
  std::optional<Notice> at(std::uint32_t number) const noexcept {
    if (number >= kMost || number >= size.load(std::memory_order_acquire)) return std::nullopt;
    return all[number];
  }
};

}  // namespace tutti::transport
