// The loop of the progress thread: when it sleeps, and for how long.
#include "src/job/progress_thread.hpp"

#include <sched.h>

#include <chrono>
#include <thread>
#include <utility>

namespace tutti {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

// How long the thread naps before it sleeps.
constexpr auto kLingers = 1ms;

}  // namespace

ProgressThread::ProgressThread(std::mutex& mutex, bool spins, std::function<bool()> step)
    : mutex_(mutex),
      spins_(spins),
      step_(std::move(step)),
      // It may call functions of the program's.
      thread_(
          "tutti-progress", [this] { run(); }, stack_of_main_thread()) {}

ProgressThread::~ProgressThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  woken_.notify_one();
  thread_.join();
}

void ProgressThread::run() noexcept {
  std::unique_lock lock(mutex_);
  while (true) {
    woken_.wait(lock, [this] { return wanted_ || ends_; });
    if (ends_) return;
    wanted_ = step_();
    lock.unlock();
    if (wanted_) {
      ++with_calls_;
      without_ = 0;
      pause();
    } else {
      with_calls_ = 0;
      linger();
    }
    take(lock);
  }
}

// A thread that has the lock takes the calls further. One that keeps it for long is busy with
// something else: then this one sleeps until it is free.
void ProgressThread::take(std::unique_lock<std::mutex>& lock) noexcept {
  for (const auto end = Clock::now() + kLingers; Clock::now() < end; pause_without())
    if (lock.try_lock()) return;
  lock.lock();
}

// No call is under way. A look at the flag costs less than a look at the calls, and no lock.
void ProgressThread::linger() noexcept {
  const auto end = Clock::now() + kLingers;
  do pause_without();
  while (!wanted_ && !ends_ && Clock::now() < end);
}

void ProgressThread::pause_without() noexcept {
  ++without_;
  pause();
}

// Where the ranks have all cores, others compute meanwhile, and a nap costs up to 20 us of a core.
// So naps are longer where calls take long, and where the rank takes its calls further itself.
void ProgressThread::pause() const noexcept {
  constexpr unsigned kFirstWithCalls = 400, kFirstWithout = 4;
  const bool short_ones = with_calls_ < kFirstWithCalls && without_ < kFirstWithout;
  if (spins_)
    sched_yield();
  else
    std::this_thread::sleep_for(short_ones ? 50us : 200us);
}

}  // namespace tutti
