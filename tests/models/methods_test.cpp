// Times made from known parameters give these parameters again, by each method.
#include "models/methods.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::models;

namespace {

constexpr double kLat = 4.5, kSend = 2.4, kReceive = 1.1, kBetween = 3.0, kPerByte = 0.001;

// Times of a LogGP machine.
MethodTimes times_of_loggp() {
  constexpr Bytes kLongest = 1 << 16;
  const double way = kLat + kSend + kReceive, pause = 10, far = 100;
  return {.least = 1,
          .longest = kLongest,
          .round_trip = 2 * way,
          .few = kSend,
          .many = kBetween,
          .delay = far,
          .delayed_round_trip = kSend + far + kReceive,
          .answered = kBetween,
          .send = kSend,
          .receive = kReceive,
          .empty_round_trip = 2 * way,
          .window = kBetween,
          .longest_window = kBetween + kPerByte * (kLongest - 1),
          .pause = pause,
          .paused_sends = std::max(kBetween, kSend + pause),
          .paused_receives = std::max(kBetween, kReceive + pause),
          .overhead = (kSend + kReceive) / 2,
          .gap = kBetween,
          .gap_per_byte = kPerByte};
}

}  // namespace

TEST_CASE("methods: each finds what it is about on a LogGP machine") {
  const auto all = by_methods(times_of_loggp());
  REQUIRE(all.size() == 4);
  for (const ByMethod& one : all) {
    INFO(one.whose);
    const bool by_delays = one.whose == "Hoefler et al.";  // one overhead for both ends
    CHECK(*one.o_s == Approx(by_delays ? 1.75 : kSend));
    CHECK(*one.o_r == Approx(by_delays ? 1.75 : kReceive));
    CHECK(*one.g == Approx(kBetween));
    if (one.G) CHECK(*one.G == Approx(kPerByte));
  }
  CHECK(*all[0].L == Approx(kLat));
  CHECK(*all[1].L == Approx(kLat + kSend + kReceive - kBetween));  // PLogP's
  CHECK(*all[2].L == Approx(kLat + kSend + kReceive));
  CHECK(*all[3].L == *all[2].L);
  CHECK_FALSE(all[0].G);
  CHECK_FALSE(all[1].G);
}

TEST_CASE("methods: one size tells no gap per byte") {
  MethodTimes times = times_of_loggp();
  times.longest = times.least;
  CHECK_FALSE(by_methods(times)[2].G);
}
