// A thread that takes begun calls further while their rank computes. It sleeps while no call is
// under way, from a little after the last one: to wake it costs a system call, and the core that
// its rank runs on. So a rank that begins one call after the other does not wake it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/thread.hpp"

namespace tutti {

class ProgressThread {
 public:
  // `step`, with the mutex locked, takes all calls as far as they go; false: none is under way.
  // `spins`: it polls without a pause, since this rank has a core to spare; else it naps. Throws
  // Error{system}.
  ProgressThread(std::mutex& mutex, bool spins, std::function<bool()> step);
  // Waits for the thread to end: without the mutex.
  ~ProgressThread();
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;

  // A call is under way, and its rank may not wait for it. With the mutex locked.
  void wake() noexcept {
    wanted_ = true;
    woken_.notify_one();
  }
  bool spins() const noexcept { return spins_; }
  // Whether each rank of a machine has a core to spare for such a thread, if they share `cores`.
  static constexpr bool may_spin(int cores, int ranks) noexcept { return cores >= 2 * ranks; }

 private:
  void run() noexcept;
  void take(std::unique_lock<std::mutex>& lock) noexcept;
  void linger() noexcept;
  void pause_without() noexcept;
  void pause() const noexcept;

  std::mutex& mutex_;
  const bool spins_;
  const std::function<bool()> step_;
  std::condition_variable woken_;
  // Set with the mutex locked, and read without it while the thread lingers.
  std::atomic<bool> wanted_{false}, ends_{false};
  // Looks in a row that have found calls under way; and those that had nothing to do, because there
  // was no call, or another thread had the lock. The thread's alone.
  unsigned with_calls_ = 0, without_ = 0;
  HelperThread thread_;
};

}  // namespace tutti
