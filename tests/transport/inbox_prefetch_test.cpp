// Slots are prefetched whatever memory there is, and nothing is written.
#include "transport/inbox_prefetch.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

using namespace tutti::transport;

TEST_CASE("a slot that has no memory may be prefetched", "[inbox-prefetch]") {
  constexpr std::size_t kBytes = 4096;
  void* const nothing = mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(nothing != MAP_FAILED);
  for (const std::uint32_t bytes : {0u, 1u, 100u, 100000u}) {
    prefetch<PrefetchFor::reading>(static_cast<std::byte*>(nothing) + kBytes, bytes);
    prefetch<PrefetchFor::writing>(static_cast<std::byte*>(nothing) + kBytes, bytes);
  }
  munmap(nothing, kBytes);
}

TEST_CASE("a slot stays as it was when it is prefetched", "[inbox-prefetch]") {
  alignas(tutti::kCacheLine) std::array<std::byte, 8 * tutti::kCacheLine> slot;
  slot.fill(std::byte{7});
  prefetch<PrefetchFor::writing>(slot.data() + slot.size(), 300);
  prefetch<PrefetchFor::reading>(slot.data() + slot.size(), 300);
  CHECK(std::ranges::all_of(slot, [](std::byte one) { return one == std::byte{7}; }));
}
