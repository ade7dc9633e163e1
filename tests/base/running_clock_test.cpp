// Time in which the process did not run does not count.
#include "base/running_clock.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <thread>
#include <vector>

using tutti::RunningClock;
using tutti::RunningTime;
using namespace std::chrono_literals;

TEST_CASE("time goes on by a step at most between two readings", "[clock]") {
  RunningTime time;
  const auto begin = time.at(5h);
  CHECK(time.at(5h + 1ms) == begin + 1ms);
  CHECK(time.at(5h + 101ms) == begin + 101ms);
  CHECK(time.at(6h) == begin + 101ms + RunningTime::kLongestStep);
  CHECK(time.at(6h + 7ns) == begin + 101ms + RunningTime::kLongestStep + 7ns);
}

TEST_CASE("time never goes back", "[clock]") {
  RunningTime time;
  const auto begin = time.at(5h);
  CHECK(time.at(4h) == begin);  // another thread has read a later one meanwhile
  CHECK(time.at(5h + 1ms) == begin + 1ms);
}

TEST_CASE("threads that read at once add no time", "[clock]") {
  RunningTime time;
  constexpr int kThreads = 4, kReadings = 20000;
  const auto begin = time.at(1h);
  std::atomic<int> now{0};
  std::atomic<bool> late{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      for (int n; (n = ++now) <= kReadings;) {
        const auto told = time.at(1h + n * 1us);
        if (told > begin + now.load() * 1us) late = true;  // later than every reading so far
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK_FALSE(late);
  CHECK(time.at(1h + kReadings * 1us) == begin + kReadings * 1us);
}

// The child stops itself, and says by its exit status whether that took longer than a step.
TEST_CASE("the clock stands while the process does", "[clock]") {
  const pid_t child = fork();
  if (child == 0) {
    const auto before = RunningClock::now();
    raise(SIGSTOP);
    _exit(RunningClock::now() - before <= RunningTime::kLongestStep ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, WUNTRACED) == child);
  REQUIRE(WIFSTOPPED(status));
  std::this_thread::sleep_for(3 * RunningTime::kLongestStep);
  kill(child, SIGCONT);
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
