// Yielder: yields beside others that wait, naps beside those that compute.
#include "base/yielder.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace std::chrono_literals;

namespace {

// A core where a yield takes some time.
struct SharedCore {
  static inline Yielder::Time now{}, yield_takes{};
  static inline std::uint32_t yields = 0, naps = 0, readings = 0;

  static void yield() noexcept { ++yields, now += yield_takes; }
  static void nap(Yielder::Time time) noexcept { ++naps, now += time; }
  static Yielder::Time clock() noexcept { return ++readings, now; }

  explicit SharedCore(Yielder::Time takes) { yields = naps = readings = 0, yield_takes = takes; }
  const Yielder::System system{yield, nap, clock};
};

void yield(Yielder& yielder, std::uint32_t times) {
  for (std::uint32_t i = 0; i < times; ++i) yielder.yield();
}

}  // namespace

TEST_CASE("a core among ranks that wait is yielded", "[yielder]") {
  const SharedCore core(900us);
  Yielder yielder(true, core.system);
  yield(yielder, 1000);
  CHECK(SharedCore::yields == 1000);
  CHECK(SharedCore::naps == 0);
  CHECK(SharedCore::readings == 2 * 1000 / Yielder::kYieldsPerReading);
}

TEST_CASE("beside a process that computes, naps take the place of yields", "[yielder]") {
  const SharedCore core(1500us);
  Yielder yielder(true, core.system);
  std::uint32_t naps = 0;
  for (std::uint32_t more = Yielder::kFirstNaps; more < Yielder::kMostNaps; more *= 2) {
    yield(yielder, 1 + more);
    CHECK(SharedCore::naps == (naps += more));
  }
  const std::uint32_t yields = SharedCore::yields;
  yield(yielder, 10 * (1 + Yielder::kMostNaps));
  CHECK(SharedCore::yields == yields + 10);
  CHECK(SharedCore::naps == naps + 10 * Yielder::kMostNaps);
}

TEST_CASE("one quick yield is no proof that the core is free", "[yielder]") {
  const SharedCore core(1500us);
  Yielder yielder(true, core.system);
  yield(yielder, 1 + Yielder::kFirstNaps);
  SharedCore::yield_takes = 1us;
  yield(yielder, Yielder::kManyQuick - 1);
  SharedCore::yield_takes = 1500us;
  SharedCore::naps = 0;
  yield(yielder, 1 + 3 * Yielder::kFirstNaps);
  CHECK(SharedCore::naps == 2 * Yielder::kFirstNaps + Yielder::kFirstNaps - 1);
}

TEST_CASE("when it has gone, the core is yielded again", "[yielder]") {
  const SharedCore core(1500us);
  Yielder yielder(true, core.system);
  yield(yielder, 1 + Yielder::kFirstNaps);
  SharedCore::yield_takes = 1us;
  yield(yielder, Yielder::kManyQuick);
  SharedCore::yields = SharedCore::naps = SharedCore::readings = 0;
  yield(yielder, 1000);
  CHECK(SharedCore::yields == 1000);
  CHECK(SharedCore::naps == 0);
  CHECK(SharedCore::readings == 2 * 1000 / Yielder::kYieldsPerReading);

  // The next one that computes is met with few naps first.
  SharedCore::yield_takes = 1500us;
  while (SharedCore::naps == 0) yielder.yield();
  yield(yielder, Yielder::kFirstNaps);
  CHECK(SharedCore::naps == Yielder::kFirstNaps);
}

TEST_CASE("where packets take the core, it is yielded however long that takes", "[yielder]") {
  const SharedCore core(1500us);
  Yielder yielder(false, core.system);
  yield(yielder, 1000);
  CHECK(SharedCore::yields == 1000);
  CHECK(SharedCore::naps == 0);
}

TEST_CASE("the kernel yields and sleeps", "[yielder]") {
  const Yielder::System& kernel = Yielder::kernel();
  kernel.yield();
  const Yielder::Time begin = kernel.now();
  kernel.nap(2ms);
  CHECK(kernel.now() - begin >= 2ms);
}
