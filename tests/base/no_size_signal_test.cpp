// Beyond the limit on the size of files a write is an error, and the signal is the program's.
#include "base/no_size_signal.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <optional>

using tutti::NoSizeSignal;

namespace {

// Status of a child that runs `act` with a file whose size is at the limit.
template <class Act>
int status_at_limit(Act&& act) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr rlimit kNone{0, 0};
    signal(SIGXFSZ, SIG_DFL);
    const int file = memfd_create("tutti-test", MFD_CLOEXEC);
    _exit(setrlimit(RLIMIT_FSIZE, &kNone) == 0 && act(file) ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}
bool is_refused(int file) { return write(file, "a", 1) == -1 && errno == EFBIG; }
bool size_signal_is_pending() {
  sigset_t pending;
  sigpending(&pending);
  return sigismember(&pending, SIGXFSZ) == 1;
}

}  // namespace

TEST_CASE("a write beyond the limit ends the process by a signal", "[no-size-signal]") {
  const int status = status_at_limit(is_refused);
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGXFSZ);
}

TEST_CASE("a write beyond the limit is an error while the signal is off", "[no-size-signal]") {
  CHECK(status_at_limit([](int file) {
          std::optional<NoSizeSignal> off(std::in_place);
          if (!is_refused(file)) return false;
          off.reset();
          return errno == EFBIG && !size_signal_is_pending();
        }) == 0);
}

TEST_CASE("the signal is back afterwards", "[no-size-signal]") {
  const int status = status_at_limit([](int file) {
    { const NoSizeSignal off; }
    return is_refused(file);
  });
  CHECK(WIFSIGNALED(status));
}

TEST_CASE("a signal that the program holds back stays with it", "[no-size-signal]") {
  CHECK(status_at_limit([](int file) {
          sigset_t size;
          sigemptyset(&size);
          sigaddset(&size, SIGXFSZ);
          sigprocmask(SIG_BLOCK, &size, nullptr);
          raise(SIGXFSZ);
          {
            const NoSizeSignal off;
            if (!is_refused(file)) return false;
          }
          return size_signal_is_pending();
        }) == 0);
}
