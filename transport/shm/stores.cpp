// Streaming stores are of x86; elsewhere all stores are the usual ones.
#include "transport/shm/stores.hpp"

#include <algorithm>

#if defined(__SSE2__)
#include <immintrin.h>
#include <x86intrin.h>
#endif

namespace tutti::transport::shm {

Stores::Way Stores::next() noexcept {
  constexpr std::uint32_t kOften = 32;
  const Way other = way_ == cached ? streaming : cached;
  const bool tries = ticks_[way_] != 0 && (ticks_[other] == 0 || copies_ % kOften == 0);
  ++copies_;
  return tries ? other : way_;
}

void Stores::took(Way way, double ticks_per_byte) noexcept {
  // A copy in which the rank lost its core counts little; one of the other way is rare, and news.
  constexpr double kMost = 4, kClearly = 0.8;
  const double share = way == way_ ? 0.25 : 0.5;
  double& smoothed = ticks_[way];
  if (smoothed == 0) smoothed = ticks_per_byte;
  smoothed += share * (std::min(ticks_per_byte, kMost * smoothed) - smoothed);
  const Way other = way_ == cached ? streaming : cached;
  if (ticks_[other] != 0 && ticks_[other] < kClearly * ticks_[way_]) way_ = other;
}

#if defined(__SSE2__)
namespace {

// Whole cache lines go around the caches. What is stored later is seen later.
void stream(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  constexpr std::size_t kLine = 64, kWord = 16;
  const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
  std::memcpy(to, from, std::min(head, bytes));
  std::size_t at = std::min(head, bytes);
  for (; at + kLine <= bytes; at += kLine)
    for (std::size_t word = at; word < at + kLine; word += kWord)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + word),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word)));
  std::memcpy(to + at, from + at, bytes - at);
  _mm_sfence();
}

}  // namespace

void Stores::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  const Way way = next();
  const std::uint64_t begin = __rdtsc();
  if (way == streaming)
    stream(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  else
    copy_bytes(to, from, bytes);
  took(way, static_cast<double>(__rdtsc() - begin) / static_cast<double>(bytes));
}
#else
void Stores::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  copy_bytes(to, from, bytes);
}
#endif

}  // namespace tutti::transport::shm
