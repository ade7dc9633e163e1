// Helper threads leave the application its signals, and have stacks as deep as they ask for.
#include "base/thread.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <csignal>

using tutti::HelperThread;

namespace {

std::size_t stack_of_this_thread() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  REQUIRE(pthread_getattr_np(pthread_self(), &attributes) == 0);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}
// The stack of a helper that asks for so many bytes.
std::size_t stack_of_helper(std::size_t asked) {
  std::size_t bytes = 0;
  HelperThread(
      "tutti-test", [&] { bytes = stack_of_this_thread(); }, asked)
      .join();
  return bytes;
}

class SoftStackLimit {
 public:
  explicit SoftStackLimit(rlim_t bytes) {
    REQUIRE(getrlimit(RLIMIT_STACK, &before_) == 0);
    const rlimit limit{bytes, before_.rlim_max};
    set_ = setrlimit(RLIMIT_STACK, &limit) == 0;
  }
  ~SoftStackLimit() { setrlimit(RLIMIT_STACK, &before_); }
  bool is_set() const { return set_; }

 private:
  rlimit before_{};
  bool set_ = false;
};

}  // namespace

TEST_CASE("a helper takes no signal but its own faults", "[thread]") {
  sigset_t before, after, blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  HelperThread helper("tutti-test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  helper.join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGCHLD, SIGALRM, SIGPROF}) {
    CHECK(sigismember(&blocked, signal) == 1);
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) CHECK(!sigismember(&blocked, fault));
}

TEST_CASE("a helper's stack is as deep as it asks for", "[thread]") {
  const std::size_t usual = stack_of_helper(0);
  CHECK(stack_of_helper(usual + (std::size_t{24} << 20)) >= usual + (std::size_t{24} << 20));
  // No system gives as much, or as little. It is the usual one then, or a longer one that the C
  // library has kept.
  CHECK(stack_of_helper(~std::size_t{0} / 2) >= usual);
  CHECK(stack_of_helper(1) >= usual);
}

TEST_CASE("the stack of the main thread is known, or taken to be large", "[thread]") {
  {
    const SoftStackLimit limit(rlim_t{5} << 20);
    REQUIRE(limit.is_set());
    CHECK(tutti::stack_of_main_thread() == std::size_t{5} << 20);
  }
  if (const SoftStackLimit none(RLIM_INFINITY); none.is_set())
    CHECK(tutti::stack_of_main_thread() == std::size_t{64} << 20);
}
