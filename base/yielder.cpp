// A core given away, by yielding or by a nap.
#include "base/yielder.hpp"

#include <sched.h>
#include <sys/prctl.h>
#include <time.h>

#include <algorithm>

namespace tutti {
namespace {

using namespace std::chrono_literals;

constexpr auto kSlow = 1ms;  // for a yield
constexpr auto kNap = 20us;

void yield_core() noexcept { sched_yield(); }

// The kernel may let a thread sleep for longer by its timer slack, which is 50 us unless the
// program has chosen another.
void sleep_exactly(Yielder::Time time) noexcept {
  const int slack = prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, 1UL);
  const timespec span{.tv_sec = 0, .tv_nsec = time.count()};
  nanosleep(&span, nullptr);
  if (slack > 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack));
}

Yielder::Time steady_now() noexcept { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

const Yielder::System& Yielder::kernel() noexcept {
  static constexpr System system{yield_core, sleep_exactly, steady_now};
  return system;
}

void Yielder::nap() noexcept {
  const std::uint32_t left = naps_.load(std::memory_order_relaxed);
  if (left != 0) naps_.store(left - 1, std::memory_order_relaxed);  // or another thread's was last
  system_.nap(kNap);
}

void Yielder::timed_yield() noexcept {
  const Time begin = system_.now();
  system_.yield();
  if (system_.now() - begin >= kSlow) {
    const std::uint32_t naps = next_naps_.load(std::memory_order_relaxed);
    naps_.store(naps, std::memory_order_relaxed);
    next_naps_.store(std::min(2 * naps, kMostNaps), std::memory_order_relaxed);
    quick_.store(0, std::memory_order_relaxed);
  } else if (const std::uint32_t quick = quick_.load(std::memory_order_relaxed) + 1;
             quick < kManyQuick) {
    quick_.store(quick, std::memory_order_relaxed);
  } else {
    next_naps_.store(kFirstNaps, std::memory_order_relaxed);
    untimed_.store(kYieldsPerReading - 1, std::memory_order_relaxed);
  }
}

}  // namespace tutti
