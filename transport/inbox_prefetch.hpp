// Prefetches the slots of messages that come soon. A cache line that the peer has touched is slow
// to fetch, so sender and receiver of a message prefetch the slot that is kMessagesAhead behind it,
// as if the message there were as long: it ends in the first of the lines.
//
// Nothing happens where there is no memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/bits.hpp"
#include "base/types.hpp"
#include "transport/inbox_shape.hpp"

namespace tutti::transport {

inline constexpr std::uint32_t kMessagesAhead = 3;

enum class PrefetchFor : std::uint8_t { reading, writing };

// Prefetches the last lines of the slot that ends at `end`, as many as a message with a payload of
// so many bytes fills. The processor fetches the other lines of a long one by itself.
template <PrefetchFor kFor>
[[gnu::always_inline]] inline void prefetch(const std::byte* end, std::uint32_t bytes) noexcept {
  constexpr std::uint32_t kMostLines = 4;
  const std::uint32_t lines =
      std::min(divide_up(bytes + static_cast<std::uint32_t>(sizeof(Trailer)),
                         static_cast<std::uint32_t>(kCacheLine)),
               kMostLines);
  for (std::uint32_t line = 1; line <= lines; ++line) {
    const std::byte* const place = end - std::size_t{line} * kCacheLine;
    if constexpr (kFor == PrefetchFor::reading) {
      __builtin_prefetch(place);
    } else {
#if defined(__x86_64__)
      // Compilers for any x86-64 make a prefetch for reading of the builtin function.
      asm volatile("prefetchw %0" : : "m"(*place));
#else
      __builtin_prefetch(place, 1);
#endif
    }
  }
}

}  // namespace tutti::transport
