// Which stores write a long payload into a peer's inbox.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/copy.hpp"

namespace tutti::transport::shm {

// Asks for the line in which that byte lies, to be written soon. Compilers that know no more than
// x86-64 would ask for it to be read. Nothing happens if there is no memory.
inline void fetch_to_write(const std::byte* place) noexcept {
#if defined(__x86_64__)
  asm volatile("prefetchw %0" : : "m"(*place));
#else
  __builtin_prefetch(place, 1);
#endif
}

// Usual stores first fetch the lines, which lie in the peer's cache since it has read them. Between
// cores that share a cache that is the fastest way; between others it may take three times as long
// as stores that go around the caches. Which of both it is no table of a machine says, and a
// virtual machine's cores move; so both are tried again and again, and the one that took less time
// serves.
class Stores {
 public:
  void copy(void* to, const void* from, std::size_t bytes) noexcept {
    if (bytes < kLong)
      copy_bytes(to, from, bytes);
    else
      copy_long(to, from, bytes);
  }

  enum Way : std::uint8_t { cached, streaming };
  // What a long copy took; the way of the next one depends on it.
  void took(Way way, double ticks_per_byte) noexcept;
  Way next() noexcept;

 private:
  static constexpr std::size_t kLong = 4096;  // from here on the clock costs next to nothing
  void copy_long(void* to, const void* from, std::size_t bytes) noexcept;

  Way way_ = cached;
  std::uint32_t copies_ = 0;
  double ticks_[2] = {0, 0};  // for a byte, smoothed; 0: never tried
};

}  // namespace tutti::transport::shm
