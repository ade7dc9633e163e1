// The clock for how long to wait for others: it goes on only while this process runs.
//
// A process may be stopped at any moment, by a batch system that suspends its job, by a debugger,
// or with its whole virtual machine. When it goes on, a deadline by any other clock is over before
// it could look whether what it waited for has come; and if all ranks were stopped, nobody was
// late.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>

namespace tutti {

// Time that goes on by at most kLongestStep from one reading to the next, however much later that
// is. A thread that waits reads more often, unless the process was stopped or got no core. Several
// threads may read: one that is overtaken between two lines is told an earlier time, never a later
// one.
class RunningTime {
 public:
  using Duration = std::chrono::nanoseconds;
  static constexpr std::chrono::milliseconds kLongestStep{100};

  // The time when a steady clock says `steady`.
  Duration at(Duration steady) noexcept {
    Duration::rep last = last_.load(std::memory_order_relaxed);
    do
      if (steady.count() <= last) return Duration(time_.load(std::memory_order_relaxed));
    while (!last_.compare_exchange_weak(last, steady.count(), std::memory_order_relaxed));
    const Duration step = std::min<Duration>(steady - Duration(last), kLongestStep);
    return Duration(time_.fetch_add(step.count(), std::memory_order_relaxed)) + step;
  }

 private:
  std::atomic<Duration::rep> last_{0};  // the steady clock at the last reading
  std::atomic<Duration::rep> time_{0};
};

// A clock in the sense of std::chrono, one for the process: threads may compare what they read.
struct RunningClock {
  using duration = RunningTime::Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<RunningClock>;
  static constexpr bool is_steady = false;

  static time_point now() noexcept {
    return time_point(time_.at(std::chrono::steady_clock::now().time_since_epoch()));
  }

 private:
  static inline RunningTime time_;
};

}  // namespace tutti
