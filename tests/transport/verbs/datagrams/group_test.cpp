// Waiting for librdmacm's answer while signals come.
#include "transport/verbs/datagrams/group.hpp"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>

using tutti::transport::verbs::readable_within;
using namespace std::chrono_literals;

namespace {

volatile std::sig_atomic_t signals = 0;
int answer = -1;

void take_signal(int) {
  signals = signals + 1;
  if (signals == 5) [[maybe_unused]]
    const ssize_t written = write(answer, "x", 1);
}

// A signal each 5 ms; the fifth one brings the answer.
struct Signals {
  struct sigaction before {};
  Signals() {
    signals = 0;
    struct sigaction action {};
    action.sa_handler = take_signal;
    action.sa_flags = SA_RESTART;
    sigaction(SIGALRM, &action, &before);
    const itimerval each{{0, 5000}, {0, 5000}};
    setitimer(ITIMER_REAL, &each, nullptr);
  }
  ~Signals() {
    const itimerval none{};
    setitimer(ITIMER_REAL, &none, nullptr);
    sigaction(SIGALRM, &before, nullptr);
  }
};

struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() { REQUIRE(pipe(ends.data()) == 0); }
  ~Pipe() {
    for (const int end : ends) close(end);
  }
};

}  // namespace

TEST_CASE("a signal is no answer, and ends no wait", "[verbs]") {
  const Pipe pipe;
  answer = pipe.ends[1];
  const Signals coming;
  CHECK(readable_within(10s, pipe.ends[0]));
  CHECK(signals >= 5);
}

TEST_CASE("signals do not prolong a wait", "[verbs]") {
  const Pipe pipe, other;
  answer = other.ends[1];
  const Signals coming;
  const auto begin = std::chrono::steady_clock::now();
  CHECK_FALSE(readable_within(40ms, pipe.ends[0]));
  const auto took = std::chrono::steady_clock::now() - begin;
  CHECK(took >= 40ms);
  CHECK(took < 5s);
}
