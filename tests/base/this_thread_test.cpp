// Each thread has an object of its own, which ends with it.
#include "base/this_thread.hpp"

#include <catch2/catch.hpp>
#include <thread>

namespace {

struct KeptByThread {
  KeptByThread() { ++alive; }
  ~KeptByThread() { --alive; }
  KeptByThread(const KeptByThread&) = delete;
  KeptByThread& operator=(const KeptByThread&) = delete;
  int value = 0;
  static inline int alive = 0;
};

}  // namespace

TEST_CASE("a thread gets the same object again, and no other thread does", "[this-thread]") {
  tutti::of_this_thread<KeptByThread>().value = 7;
  CHECK(tutti::of_this_thread<KeptByThread>().value == 7);
  CHECK(KeptByThread::alive == 1);
  int there = -1, alive = 0;
  std::thread([&] {
    there = tutti::of_this_thread<KeptByThread>().value;
    alive = KeptByThread::alive;
  }).join();
  CHECK(there == 0);
  CHECK(alive == 2);
  CHECK(KeptByThread::alive == 1);
}
