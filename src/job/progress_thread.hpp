// A thread that takes begun calls further while their rank computes. It sleeps as long as no call
// is under way.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

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

 private:
  void run() noexcept;
  void pause(unsigned turns) const noexcept;

  std::mutex& mutex_;
  const bool spins_;
  const std::function<bool()> step_;
  std::condition_variable woken_;
  bool wanted_ = false, ends_ = false;  // with the mutex
  std::thread thread_;
};

}  // namespace tutti
