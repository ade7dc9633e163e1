// Streaming stores are of x86; elsewhere all stores are the usual ones, and trials change nothing.
#include "transport/shm/stores.hpp"

#include <algorithm>
#include <array>

#include "base/ticks.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tutti::transport::shm {

void StorePolicy::record(double ticks_per_byte) noexcept {
  ++copies_;
  const bool counts = copies_ > slots_;  // the lines are as the way leaves them
  if (counts) smooth(tries_ ? tried_ : written(way_), ticks_per_byte);
  if (tries_ && copies_ >= slots_ + kMeasured)
    end_trial();
  else if (!tries_ &&
           (copies_ >= slots_ + next_trial_ || (copies_ % kSoonest == 0 && other_wins())))
    begin_trial();
}

void StorePolicy::begin_trial() noexcept {
  tries_ = true;
  copies_ = 0;
  tried_ = 0;
}

void StorePolicy::end_trial() noexcept {
  written(other()) = tried_;
  if (other_wins()) {
    way_ = other();
    next_trial_ = kSoonest;
  } else {
    next_trial_ = std::min(2 * next_trial_, kLatest);
  }
  tries_ = false;
  copies_ = 0;
}

// By what it took the last time. A reader that tells nothing does not count.
bool StorePolicy::other_wins() const noexcept {
  constexpr double kClearly = 0.8;
  const Times serves = times(way_), other_way = times(other());
  if (serves.stored == 0 || other_way.stored == 0) return false;
  const bool told = serves.read != 0 && other_way.read != 0;
  const auto sum = [&](const Times& way) { return way.stored + (told ? way.read : 0); };
  return sum(other_way) < kClearly * sum(serves);
}

StorePolicy::Times StorePolicy::times(StoreKind way) const noexcept {
  return way == StoreKind::cached ? Times{cached_, read_.cached.ticks_per_byte()}
                                  : Times{streamed_, read_.streamed.ticks_per_byte()};
}

StorePolicy::Times StorePolicy::times() const noexcept {
  const Times cached = times(StoreKind::cached), streamed = times(StoreKind::streamed);
  for (const Times& way : {cached, streamed})
    if (way.stored == 0 || way.read == 0) return {0, 0};
  return cached.stored + cached.read <= streamed.stored + streamed.read ? cached : streamed;
}

void ReadClock::begin_read() noexcept { begin_ = ticks(); }

void ReadClock::end_read(Length payload) noexcept {
  const std::uint64_t end = ticks();
  if (payload.bytes() == 0) return;  // only a peer that is broken marks it
  record(static_cast<StoreKind>(payload.mark()),
         static_cast<double>(end - begin_) / static_cast<double>(payload.bytes()));
}

void ReadClock::record(StoreKind stored, double ticks_per_byte) noexcept {
  constexpr std::uint32_t kOften = 8;  // to tell takes the line away from who polls it for credits
  smooth(stored == StoreKind::cached ? cached_ : streamed_, ticks_per_byte);
  if (++count_ % kOften != 0) return;
  told_.cached.tell(cached_);
  told_.streamed.tell(streamed_);
}

namespace {

constexpr std::size_t kLine = 64;

// Bytes before the first whole cache line at `to`.
std::size_t before_line(const std::byte* to) noexcept {
  return (kLine - reinterpret_cast<std::uintptr_t>(to) % kLine) % kLine;
}

// Orders streamed bytes before later stores.
void end_stream() noexcept {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Writes whole cache lines by non-temporal stores, those at the ends by others. end_stream() must
// follow in the same function, where symbols_test.py looks for it.
[[gnu::always_inline]] inline void stream(std::byte* to, const std::byte* from,
                                          std::size_t bytes) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kWord = 16;
  std::size_t at = std::min(before_line(to), bytes);
  std::memcpy(to, from, at);
  for (; at + kLine <= bytes; at += kLine)
    for (std::size_t word = at; word < at + kLine; word += kWord)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + word),
                       _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word)));
  std::memcpy(to + at, from + at, bytes - at);
#else
  copy_bytes(to, from, bytes);
#endif
}

}  // namespace

template <class Store>
StoreKind StorePolicy::timed(std::size_t bytes, Store&& store) noexcept {
  const StoreKind stored = way();
  const std::uint64_t begin = ticks();
  store(stored == StoreKind::streamed);
  record(static_cast<double>(ticks() - begin) / static_cast<double>(bytes));
  return stored;
}

StoreKind StorePolicy::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  return timed(bytes, [&](bool streams) {
    if (!streams) return copy_bytes(to, from, bytes);
    stream(static_cast<std::byte*>(to), static_cast<const std::byte*>(from), bytes);
    end_stream();
  });
}

// Non-temporal stores write whole cache lines, which pieces of a datatype seldom are: so they come
// from memory that stays in the caches. All but the first part begin with a line.
StoreKind StorePolicy::pack(std::byte* to, const PackedView& view, const std::byte* from,
                            std::size_t bytes) noexcept {
  if (bytes < kLong) {
    view.pack(from, static_cast<Bytes>(bytes), to);
    return StoreKind::untold;
  }
  return timed(bytes, [&](bool streams) {
    if (!streams) return view.pack(from, static_cast<Bytes>(bytes), to);
    std::array<std::byte, 4096> some;
    std::size_t now = some.size() - kLine + before_line(to);
    for (std::size_t done = 0; done < bytes; done += now, now = some.size()) {
      now = std::min(now, bytes - done);
      view.pack(from + done, static_cast<Bytes>(now), some.data());
      stream(to + done, some.data(), now);
    }
    end_stream();
  });
}

}  // namespace tutti::transport::shm
