// Whether a long message is fetched, by one copy of the kernel, or comes in pieces, by two copies
// through the inbox.
//
// The kernel's copy has to find the pages of both buffers, and they are seldom in the caches; the
// slots are. On one machine 32 KiB took 6.5 us in one copy and 1.6 in two, on another 64 KiB took
// 8.5 and 18. No table of a machine says it, so a link measures both.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/types.hpp"
#include "transport/fetching.hpp"
#include "transport/shm/stores.hpp"
#include "transport/shm/told.hpp"

namespace tutti::transport::shm {

// A message's cost depends on its length. Lengths are told apart by powers of two, from 16 KiB to
// 1 MiB.
inline constexpr std::size_t kLengths = 8;
constexpr std::size_t length_class(Bytes bytes) noexcept {
  constexpr int kUnit = 14;
  const auto width =
      static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes) >> kUnit));
  return width < kLengths ? width : kLengths - 1;
}

// The time of a message in `pieces` pieces, both ranks together: ticks a byte; 0: unknown. A rank
// that only sends stores while the receiver reads, but for the first piece. One that also receives
// does both, one after the other, and so do ranks that share a core.
double time_in_pieces(const StorePolicy::Times& times, double pieces, const Load& load,
                      bool cores_shared) noexcept;

// A rank's times to fetch. In shared memory: written by the fetching rank, read by the sender.
using FetchTimes = std::array<ToldTime, kLengths>;

// The sender's side.
class Fetches {
 public:
  // When to fetch for the first time.
  enum class Tries : bool { at_once, later };
  explicit Fetches(const FetchTimes& told, Tries first = Tries::at_once) noexcept : told_(told) {
    if (first == Tries::later)
      for (Length& length : lengths_) length.next_trial = kLater;
  }

  // Asked once for each message; `in_pieces`: as time_in_pieces().
  // The way that does not serve is tried now and then, after twice as many messages as the last
  // time if it has lost; until both are measured, messages come in pieces.
  bool pays(Bytes bytes, double in_pieces) noexcept;

 private:
  // Messages of a trial; and from the end of one to the next. The first fetches after pieces find
  // the caches as those left them, so what is told counts after that many consecutive fetches.
  static constexpr std::uint32_t kTried = 16, kSoonest = 64, kLatest = 1 << 13, kLater = 512;
  struct Length {
    bool serves = false;                // to fetch
    bool tries = false, tried = false;  // to fetch, or not to
    std::uint32_t messages = 0;         // since a trial began, or the last one ended
    std::uint32_t next_trial = 0;
    std::uint32_t consecutive = 0;  // fetches, up to the last message
    double fetched = 0;             // ticks of a byte; 0: unknown
  };
  static bool choose(Length& length, double in_pieces) noexcept;

  const FetchTimes& told_;
  std::array<Length, kLengths> lengths_;
};

// The receiver's side.
class FetchClock {
 public:
  // Where the sender reads them.
  explicit FetchClock(FetchTimes& told) noexcept : told_(told) {}
  void record(Bytes bytes, std::uint64_t ticks) noexcept;

 private:
  FetchTimes& told_;
  std::array<double, kLengths> smoothed_{};
};

}  // namespace tutti::transport::shm
