// Starts threads with signals blocked: a thread inherits the mask of the one that makes it.
#include "base/thread.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <string>

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

using Body = std::function<void()>;

void* run(void* body) {
  const std::unique_ptr<Body> owned(static_cast<Body*>(body));
  (*owned)();
  return nullptr;
}

// Returns what pthread_create(3) does. `stack`: see HelperThread.
int create(pthread_t& thread, Body* body, std::size_t stack) noexcept {
  pthread_attr_t attributes;
  if (stack == 0 || pthread_attr_init(&attributes) != 0)
    return pthread_create(&thread, nullptr, run, body);
  const int error = pthread_attr_setstacksize(&attributes, stack) != 0
                        ? EINVAL
                        : pthread_create(&thread, &attributes, run, body);
  pthread_attr_destroy(&attributes);
  return error == 0 ? 0 : create(thread, body, 0);
}

}  // namespace

std::size_t stack_of_main_thread() noexcept {
  constexpr std::size_t kWithoutLimit = std::size_t{64} << 20;
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return limited ? static_cast<std::size_t>(limit.rlim_cur) : kWithoutLimit;
}

HelperThread::HelperThread(const char* name, Body body, std::size_t stack) {
  auto owned = std::make_unique<Body>(std::move(body));
  const OnlyFaults mask;
  if (const int error = create(thread_, owned.get(), stack))
    throw Error(Code::system,
                std::string("cannot start a thread (") + std::strerror(error) +
                    "); raise the limit on processes (ulimit -u) or the container's on tasks",
                kNoPeer, error);
  static_cast<void>(owned.release());
  started_ = true;
  pthread_setname_np(thread_, name);
}

void HelperThread::join() noexcept {
  if (std::exchange(started_, false)) pthread_join(thread_, nullptr);
}

}  // namespace tutti
