// A forked child releases things that it must not keep. fork() gives it all descriptors and
// mappings, so that closing the parent's, or the parent's end, would not end what they stand
// for.
#pragma once

#include <mutex>
#include <utility>

#include <pthread.h>

namespace tutti {

// While it lives, `release(object)` is called in each child of fork(), before fork() returns there.
// The child has one thread, and the locks are as others left them: release may call only what a
// signal handler may.
class ForkHandler {
 public:
  using Release = void (*)(void* object) noexcept;

  ForkHandler(Release release, void* object) : release_(release), object_(object) {
    static const int registered =
        pthread_atfork([] { lock_.lock(); }, [] { lock_.unlock(); }, child);
    static_cast<void>(registered);
    const std::lock_guard guard(lock_);
    next_ = std::exchange(first_, this);
  }
  ~ForkHandler() {
    const std::lock_guard guard(lock_);
    ForkHandler** place = &first_;
    while (*place && *place != this) place = &(*place)->next_;
    if (*place) *place = next_;
  }
  ForkHandler(const ForkHandler&) = delete;
  ForkHandler& operator=(const ForkHandler&) = delete;

 private:
  static void child() noexcept {
    while (ForkHandler* const one = first_) {
      first_ = one->next_;
      one->release_(one->object_);
    }
    lock_.unlock();
  }

  static inline std::mutex lock_;  // held while a process forks
  static inline ForkHandler* first_ = nullptr;

  const Release release_;
  void* const object_;
  ForkHandler* next_ = nullptr;
};

}  // namespace tutti
