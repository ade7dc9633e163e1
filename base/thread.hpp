// Threads of Tutti's own, beside the application's.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <functional>
#include <utility>

namespace tutti {

// A stack as deep as that of the application's main thread may become, in bytes; where that has no
// limit, 64 MiB. For threads that call functions of the application's: those may have large arrays
// on their stack.
std::size_t stack_of_main_thread() noexcept;

// A thread that blocks all signals but those of its own faults, so that the application's threads
// get what is sent to the process.
class HelperThread {
 public:
  HelperThread() = default;  // none
  // Runs `body`. `name`, of at most 15 characters, is what debuggers and ps(1) show. `stack`:
  // bytes; 0, or if the system does not give as much: as the system makes it. Throws Error{system}
  // if the system gives no more threads, std::bad_alloc.
  HelperThread(const char* name, std::function<void()> body, std::size_t stack = 0);
  ~HelperThread() { join(); }
  HelperThread(HelperThread&& other) noexcept
      : started_(std::exchange(other.started_, false)), thread_(other.thread_) {}
  HelperThread& operator=(HelperThread&& other) noexcept {
    join();
    started_ = std::exchange(other.started_, false);
    thread_ = other.thread_;
    return *this;
  }

  // Waits until `body` has returned; does nothing if there is no thread, or not any more.
  void join() noexcept;

 private:
  bool started_ = false;
  pthread_t thread_{};
};

}  // namespace tutti
