// Yielder: how a waiting thread gives its core to others, for as short a time as they let it.
//
// Beside ranks that wait as well, a yield takes a microsecond. Beside a process that computes it
// takes a time slice: since Linux 6.18 a thread that yields gives up the rest of its own. A nap
// ends when it is over, as the kernel prefers a thread that has slept. So one yield in some is
// timed, and after a slow one naps take their place: a few at first, twice as many each time that a
// yield is slow again. Until many in a row were quick, all yields are timed.
//
// Where a device's packets are moved by threads of the kernel, these take the core for as long.
// They work for the rank that waits, and naps would interrupt them: nobody naps there.
//
// Threads may share one: what they count is a hint.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace tutti {

class Yielder {
 public:
  using Time = std::chrono::nanoseconds;
  struct System {
    void (*yield)() noexcept;
    void (*nap)(Time) noexcept;
    Time (*now)() noexcept;  // a steady clock
  };
  static constexpr std::uint32_t kYieldsPerReading = 8, kManyQuick = 32;
  static constexpr std::uint32_t kFirstNaps = 16, kMostNaps = 512;

  explicit Yielder(bool may_nap = true, const System& system = kernel()) noexcept
      : system_(system), may_nap_(may_nap) {}

  void yield() noexcept {
    if (!may_nap_) return system_.yield();
    if (naps_.load(std::memory_order_relaxed) != 0) [[unlikely]]
      return nap();
    const std::uint32_t untimed = untimed_.load(std::memory_order_relaxed);
    if (untimed == 0) return timed_yield();
    untimed_.store(untimed - 1, std::memory_order_relaxed);
    system_.yield();
  }

  bool may_nap() const noexcept { return may_nap_; }

  static const System& kernel() noexcept;

 private:
  using Count = std::atomic<std::uint32_t>;

  void nap() noexcept;
  void timed_yield() noexcept;

  const System& system_;
  const bool may_nap_;
  Count untimed_{0};         // yields until one is timed
  Count quick_{kManyQuick};  // timed ones in a row, as far as that many
  Count naps_{0};            // still to be taken
  Count next_naps_{kFirstNaps};
};

// Between two polls: leaves the core's units to its other thread for a moment.
inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace tutti
