// Pages of memory: what the kernel maps, watches and pins.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"

namespace tutti {

inline std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

inline std::size_t round_up_to_pages(std::size_t bytes) noexcept {
  return round_up(bytes, page_bytes());
}

// The whole pages that hold a range of addresses: [begin, end).
struct PageRange {
  std::uintptr_t begin, end;
  friend bool overlap(const PageRange& a, const PageRange& b) noexcept {
    return a.begin < b.end && b.begin < a.end;
  }
};
inline PageRange pages_around(std::uintptr_t begin, std::uintptr_t end) noexcept {
  return {begin / page_bytes() * page_bytes(), round_up<std::uintptr_t>(end, page_bytes())};
}

}  // namespace tutti
