// Writing where the limit on the size of files (RLIMIT_FSIZE, `ulimit -f`) may end the process.
#pragma once

#include <signal.h>

#include <cerrno>
#include <ctime>

namespace tutti {

// While it lives, what this thread writes beyond the limit is an error, EFBIG, and not a signal.
// Changes neither errno nor a signal that came before.
class NoSizeSignal {
 public:
  NoSizeSignal() noexcept {
    sigset_t pending;
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    sigpending(&pending);
    came_before_ = sigismember(&pending, SIGXFSZ) == 1;
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~NoSizeSignal() {
    const int error = errno;
    const timespec at_once{};
    if (!came_before_) sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = error;
  }
  NoSizeSignal(const NoSizeSignal&) = delete;
  NoSizeSignal& operator=(const NoSizeSignal&) = delete;

 private:
  sigset_t signal_, before_;
  bool came_before_;
};

}  // namespace tutti
