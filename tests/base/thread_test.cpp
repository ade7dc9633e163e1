// Helper threads leave the application its signals.
#include "base/thread.hpp"

#include <pthread.h>

#include <catch2/catch.hpp>
#include <csignal>

using tutti::start_helper;

TEST_CASE("a helper takes no signal but its own faults", "[thread]") {
  sigset_t before, after, blocked;
  pthread_sigmask(SIG_SETMASK, nullptr, &before);
  std::thread helper =
      start_helper("tutti-test", [&] { pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  helper.join();
  pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (const int signal : {SIGUSR1, SIGTERM, SIGINT, SIGCHLD, SIGALRM, SIGPROF}) {
    CHECK(sigismember(&blocked, signal) == 1);
    CHECK(sigismember(&after, signal) == sigismember(&before, signal));
  }
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) CHECK(!sigismember(&blocked, fault));
}
