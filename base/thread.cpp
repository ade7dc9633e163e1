// Starts threads with signals blocked: a thread inherits the mask of the one that makes it.
#include "base/thread.hpp"

#include <pthread.h>

#include <csignal>
#include <system_error>

#include "base/error.hpp"

namespace tutti {
namespace {

class OnlyFaults {
 public:
  OnlyFaults() noexcept {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_SETMASK, &blocked, &before_);
  }
  ~OnlyFaults() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  OnlyFaults(const OnlyFaults&) = delete;
  OnlyFaults& operator=(const OnlyFaults&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::thread start_helper(const char* name, std::function<void()> body) {
  const OnlyFaults mask;
  try {
    std::thread helper(std::move(body));
    pthread_setname_np(helper.native_handle(), name);
    return helper;
  } catch (const std::system_error& error) {
    throw Error(Code::system,
                std::string("cannot start a thread (") + error.what() +
                    "); raise the limit on processes (ulimit -u) or the container's on tasks",
                kNoPeer, error.code().value());
  }
}

}  // namespace tutti
