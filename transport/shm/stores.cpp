// Streaming stores are of x86; elsewhere all stores are the usual ones.
#include "transport/shm/stores.hpp"

#include <algorithm>

#include "base/ticks.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tutti::transport::shm {

namespace {

// One in which the rank lost its core counts little.
void smooth(double& value, double sample) noexcept {
  constexpr double kMost = 4, kShare = 0.25;
  if (value == 0) value = sample;
  value += kShare * (std::min(sample, kMost * value) - value);
}

}  // namespace

void Stores::took(double ticks_per_byte) noexcept {
  ++copies_;
  if (copies_ > slots_) smooth(written(way()), ticks_per_byte);  // the lines are as it leaves them
  if (tries_ && copies_ >= slots_ + kMeasured)
    end_trial();
  else if (!tries_ && copies_ >= slots_ + next_trial_)
    begin_trial();
}

void Stores::begin_trial() noexcept {
  tries_ = true;
  copies_ = 0;
  written(way()) = 0;
}

void Stores::end_trial() noexcept {
  constexpr double kClearly = 0.8;
  double cached = cached_, streamed = streamed_;
  const std::uint32_t read_cached = __atomic_load_n(&read_.cached, __ATOMIC_RELAXED),
                      read_streamed = __atomic_load_n(&read_.streamed, __ATOMIC_RELAXED);
  if (read_cached != 0 && read_streamed != 0) {
    cached += read_cached / ReadTimes::kScale;
    streamed += read_streamed / ReadTimes::kScale;
  }
  const bool serves_cached = way_ == Stored::cached;
  if (serves_cached ? streamed < kClearly * cached : cached < kClearly * streamed) {
    way_ = other();
    next_trial_ = kSoonest;
  } else {
    next_trial_ = std::min(2 * next_trial_, kLatest);
  }
  tries_ = false;
  copies_ = 0;
}

void Reads::took(Stored stored, double ticks_per_byte) noexcept {
  constexpr std::uint32_t kOften = 8;  // to tell takes the line away from who polls it for credits
  constexpr double kLargest = 1 << 15;
  smooth(stored == Stored::cached ? cached_ : streamed_, std::min(ticks_per_byte, kLargest));
  if (++count_ % kOften != 0) return;
  const auto scaled = [](double value) {
    return static_cast<std::uint32_t>(value * ReadTimes::kScale);
  };
  __atomic_store_n(&told_.cached, scaled(cached_), __ATOMIC_RELAXED);
  __atomic_store_n(&told_.streamed, scaled(streamed_), __ATOMIC_RELAXED);
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

Stored Stores::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  const Stored stored = way();
  const std::uint64_t begin = ticks();
  if (stored == Stored::streamed)
    stream(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
  else
    copy_bytes(to, from, bytes);
  took(static_cast<double>(ticks() - begin) / static_cast<double>(bytes));
  return stored;
}
#else
Stored Stores::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  copy_bytes(to, from, bytes);
  return Stored::untold;
}
#endif

}  // namespace tutti::transport::shm
