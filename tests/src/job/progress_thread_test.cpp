// When the thread looks after calls, and when it sleeps.
#include "src/job/progress_thread.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace tutti {
namespace {

// Calls under way, of which each step ends one.
struct Calls {
  std::mutex mutex;
  std::condition_variable stepped;
  int under_way = 0, steps = 0;

  bool step() {
    ++steps;
    if (under_way > 0) --under_way;
    stepped.notify_one();
    return under_way > 0;
  }
};

TEST_CASE("a progress thread steps until no call is under way, and sleeps until the next",
          "[progress][threads]") {
  for (const bool spins : {false, true}) {
    Calls calls;
    ProgressThread thread(calls.mutex, spins, [&] { return calls.step(); });
    CHECK(thread.spins() == spins);
    int expected = 0;
    for (const int begun : {5, 1, 0, 3, 2}) {
      // Soon after the last call it lingers, and later it sleeps.
      if (begun < 3) std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::unique_lock lock(calls.mutex);
      CHECK(calls.steps == expected);  // it has slept
      calls.under_way = begun;
      thread.wake();
      expected += begun == 0 ? 1 : begun;  // it looks once where there is nothing
      calls.stepped.wait(lock, [&] { return calls.steps == expected; });
    }
  }
}

TEST_CASE("a progress thread ends, whether it sleeps or not", "[progress][threads]") {
  for (const bool busy : {false, true}) {
    std::mutex mutex;
    ProgressThread thread(mutex, false, [&] { return busy; });
    const std::lock_guard lock(mutex);
    thread.wake();
  }
}

}  // namespace
}  // namespace tutti
