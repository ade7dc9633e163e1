// Streaming and string stores are of x86; elsewhere all stores are the usual ones, and trials
// change nothing.
#include "transport/shm/stores.hpp"

#include <algorithm>
#include <array>

#include "base/ticks.hpp"

#if defined(__SSE2__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace tutti::transport::shm {

bool has_string_stores() noexcept {
#if defined(__SSE2__)
  static const bool found = [] {
    constexpr unsigned kFeatures = 7, kErms = 1u << 9, kFsrm = 1u << 4;
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) != 0 && ((b & kErms) | (d & kFsrm)) != 0;
  }();
  return found;
#else
  return false;
#endif
}

void StorePolicy::record(double ticks_per_byte) noexcept {
  ++copies_;
  const bool counts = copies_ > slots_;  // the lines are as the way leaves them
  if (counts) smooth(tries_ ? in_trial_ : written_[way_], ticks_per_byte);
  if (tries_) {
    if (copies_ >= slots_ + kMeasured) end_trial();
  } else if (copies_ >= slots_ + next_trial_) {
    begin_trial(next_other(tried_));
  } else if (copies_ % kSoonest == 0) {
    if (const StoreKind other = winner(); other != way_) begin_trial(other);
  }
}

StoreKind StorePolicy::next_other(StoreKind after) const noexcept {
  constexpr std::array kTurns{StoreKind::string, StoreKind::streamed, StoreKind::cached};
  auto next = static_cast<std::size_t>(std::ranges::find(kTurns, after) - kTurns.begin());
  do next = (next + 1) % kTurns.size();
  while (kTurns[next] == way_ || (kTurns[next] == StoreKind::string && !string_stores_));
  return kTurns[next];
}

void StorePolicy::begin_trial(StoreKind of) noexcept {
  tries_ = true;
  tried_ = of;
  copies_ = 0;
  in_trial_ = 0;
}

void StorePolicy::end_trial() noexcept {
  written_[tried_] = in_trial_;
  if (wins(tried_)) {
    way_ = tried_;
    next_trial_ = kSoonest;
  } else {
    next_trial_ = std::min(2 * next_trial_, kLatest);
  }
  tries_ = false;
  copies_ = 0;
}

// By what it took the last time. A reader that tells nothing does not count.
bool StorePolicy::wins(StoreKind other) const noexcept {
  constexpr double kClearly = 0.8;
  const Times serves = times(way_), other_way = times(other);
  if (serves.stored == 0 || other_way.stored == 0) return false;
  const bool told = serves.read != 0 && other_way.read != 0;
  const auto sum = [&](const Times& way) { return way.stored + (told ? way.read : 0); };
  return sum(other_way) < kClearly * sum(serves);
}

// One that wins; the one that serves: none does.
StoreKind StorePolicy::winner() const noexcept {
  const StoreKind first = next_other(tried_);
  if (wins(first)) return first;
  const StoreKind second = next_other(first);
  return wins(second) ? second : way_;
}

StorePolicy::Times StorePolicy::times() const noexcept {
  Times best{0, 0};
  for (const StoreKind kind : {StoreKind::cached, StoreKind::streamed, StoreKind::string}) {
    if (kind == StoreKind::string && !string_stores_) continue;
    const Times way = times(kind);
    if (way.stored == 0 || way.read == 0) return {0, 0};
    if (best.stored == 0 || way.stored + way.read < best.stored + best.read) best = way;
  }
  return best;
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
  smooth(smoothed_[stored], ticks_per_byte);
  if (++count_ % kOften != 0) return;
  for (const StoreKind kind : {StoreKind::cached, StoreKind::streamed, StoreKind::string})
    told_[kind].tell(smoothed_[kind]);
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

// By the string instruction. On an AMD EPYC (glibc bug 30994)
// it takes ten times as long where the target lies less than a line behind the source within its
// page.
void store_by_string(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kPage = 4096;
  const std::size_t behind =
      (reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from)) % kPage;
  if (behind == 0 || behind >= kLine) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
    return;
  }
#endif
  copy_bytes(to, from, bytes);
}

}  // namespace

template <class Store>
StoreKind StorePolicy::timed(std::size_t bytes, Store&& store) noexcept {
  const StoreKind stored = way();
  const std::uint64_t begin = ticks();
  store(stored);
  record(static_cast<double>(ticks() - begin) / static_cast<double>(bytes));
  return stored;
}

StoreKind StorePolicy::copy_long(void* to, const void* from, std::size_t bytes) noexcept {
  return timed(bytes, [&](StoreKind kind) {
    if (kind == StoreKind::cached) return copy_bytes(to, from, bytes);
    auto* const into = static_cast<std::byte*>(to);
    const auto* const out_of = static_cast<const std::byte*>(from);
    if (kind == StoreKind::string) return store_by_string(into, out_of, bytes);
    stream(into, out_of, bytes);
    end_stream();
  });
}

// Other stores than normal ones write whole cache lines, which pieces of a datatype seldom are: so
// they come from memory that stays in the caches. All but the first part begin with a line.
StoreKind StorePolicy::pack(std::byte* to, const PackedView& view, const std::byte* from,
                            std::size_t bytes) noexcept {
  if (bytes < kLong) {
    view.pack(from, static_cast<Bytes>(bytes), to);
    return StoreKind::untold;
  }
  return timed(bytes, [&](StoreKind kind) {
    if (kind == StoreKind::cached) return view.pack(from, static_cast<Bytes>(bytes), to);
    std::array<std::byte, 4096> some;
    std::size_t now = some.size() - kLine + before_line(to);
    for (std::size_t done = 0; done < bytes; done += now, now = some.size()) {
      now = std::min(now, bytes - done);
      view.pack(from + done, static_cast<Bytes>(now), some.data());
      if (kind == StoreKind::string)
        store_by_string(to + done, some.data(), now);
      else
        stream(to + done, some.data(), now);
    }
    if (kind == StoreKind::streamed) end_stream();
  });
}

}  // namespace tutti::transport::shm
