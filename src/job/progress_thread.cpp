// The loop of the progress thread: when it sleeps, and for how long.
#include "src/job/progress_thread.hpp"

#include <sched.h>

#include <chrono>
#include <utility>

#include "base/thread.hpp"

namespace tutti {

using namespace std::chrono_literals;

ProgressThread::ProgressThread(std::mutex& mutex, bool spins, std::function<bool()> step)
    : mutex_(mutex),
      spins_(spins),
      step_(std::move(step)),
      thread_(start_helper("tutti-progress", [this] { run(); })) {}

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
  for (unsigned turns = 0; true; ++turns) {
    if (!wanted_) turns = 0;
    woken_.wait(lock, [this] { return wanted_ || ends_; });
    if (ends_) return;
    wanted_ = step_();
    if (!wanted_) continue;
    lock.unlock();
    pause(turns);
    lock.lock();
  }
}

// Where the ranks have all cores, others compute meanwhile: a look takes a microsecond or two, so
// it is made every 50 at first, and later every 200.
void ProgressThread::pause(unsigned turns) const noexcept {
  constexpr unsigned kFirstTurns = 400;
  if (spins_)
    sched_yield();
  else
    std::this_thread::sleep_for(turns < kFirstTurns ? 50us : 200us);
}

}  // namespace tutti
