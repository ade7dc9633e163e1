// When a rank asks again, and when it gives a peer up.
#include "transport/verbs/handshake/attempts.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using tutti::transport::verbs::Attempts;
using namespace std::chrono_literals;

namespace {

constexpr Attempts::Duration kTimeout = 8000ms;

struct Watch {
  Attempts attempts{kTimeout};
  Attempts::Time now{};
  std::vector<int> repeated{}, given_up{}, stopped{};
  void wait(Attempts::Duration time) {
    now += time;
    attempts.look(
        now, [this](int peer) { repeated.push_back(peer); },
        [this](int peer) { given_up.push_back(peer); },
        [this](int peer) { return std::ranges::find(stopped, peer) != stopped.end(); });
  }
};

}  // namespace

TEST_CASE("a request is repeated more and more seldom", "[attempts]") {
  Watch watch;
  watch.attempts.begin(3, watch.now);
  std::vector<long long> at;
  while (watch.given_up.empty()) {
    CHECK(watch.attempts.next() > watch.now);
    const std::size_t before = watch.repeated.size();
    watch.wait(1ms);
    if (watch.repeated.size() != before) at.push_back(watch.now.time_since_epoch() / 1ms);
  }
  REQUIRE(at.size() > 6);
  CHECK(at[0] == 20);
  CHECK(at[1] == 60);
  CHECK(at[2] == 140);
  CHECK(at[6] - at[5] == Attempts::kLongestInterval / 1ms);
  CHECK(watch.now == Attempts::Time{} + kTimeout);
  CHECK(watch.attempts.next() == Attempts::Time::max());
}

TEST_CASE("a peer has time from its last sign of life on", "[attempts]") {
  Watch watch;
  watch.attempts.begin(1, watch.now);
  watch.attempts.begin(2, watch.now);
  for (int i = 0; i < 10; ++i) {
    watch.wait(kTimeout / 2);
    watch.attempts.heard_of(1, watch.now);
  }
  CHECK(watch.given_up == std::vector{2});
  watch.wait(kTimeout - 1ms);
  CHECK(watch.given_up == std::vector{2});
  watch.wait(1ms);
  CHECK(watch.given_up == std::vector{2, 1});
}

TEST_CASE("time in which a peer is stopped does not count", "[attempts]") {
  Watch watch;
  watch.attempts.begin(1, watch.now);
  watch.attempts.begin(2, watch.now);
  watch.stopped = {1};
  const auto wait = [&](Attempts::Duration time) {
    for (; time > 0ms; time -= Attempts::kLongestPause) watch.wait(Attempts::kLongestPause);
  };
  wait(20 * kTimeout);
  CHECK(watch.given_up == std::vector{2});
  watch.stopped.clear();
  wait(kTimeout / 4);
  CHECK(watch.given_up == std::vector{2});
  wait(Attempts::kLongestPause);
  CHECK(watch.given_up == std::vector{2, 1});
}

TEST_CASE("what has ended is neither repeated nor given up", "[attempts]") {
  Watch watch;
  for (int peer = 0; peer < 1000; ++peer) {
    watch.attempts.make_room();
    watch.attempts.begin(peer, watch.now);
  }
  for (int peer = 0; peer < 999; ++peer) watch.attempts.end(peer);
  watch.wait(30ms);
  CHECK(watch.repeated == std::vector{999});
  watch.attempts.end(999);
  watch.wait(kTimeout);
  CHECK(watch.given_up.empty());
  CHECK(watch.attempts.next() == Attempts::Time::max());
}
