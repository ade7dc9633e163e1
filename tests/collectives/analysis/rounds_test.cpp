// Rounds, and what else is counted in schedules: by hand in small ones, then by the papers' closed
// forms.
#include "collectives/analysis/rounds.hpp"

#include <catch2/catch.hpp>

#include <bit>

#include "base/bits.hpp"
#include "collectives/algorithms/trees.hpp"
#include "collectives/schedule/builder.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("rounds: ports bound what goes at once", "[rounds]") {
  const auto flat = build_all("linear", bcast_of(5, 8));
  CHECK(rounds(flat) == 1);
  CHECK(rounds(flat, 1) == 4);
  CHECK(rounds(flat, 2) == 2);
  CHECK(rounds(flat, 3) == 2);
  const auto chain = build_all("chain", bcast_of(5, 8));
  CHECK(rounds(chain) == 4);
  CHECK(rounds(chain, 1) == 4);
  CHECK(rounds(build_all("chain", bcast_of(1, 8))) == 0);
}

TEST_CASE("rounds: in written order a message waits for those written before it", "[rounds]") {
  // Rank 0 sends to 1, then to 2; rank 1 first receives from 2, which sends only after it has heard
  // from 0. Out of order both of rank 0's messages come in one round for two ports.
  Builder zero{3, 0}, one{3, 1}, two{3, 2};
  zero.signal(1);
  zero.signal(2);
  one.await(2);
  one.await(0);
  two.await(0);
  two.round();
  two.signal(1);
  const std::vector<Schedule> all{zero.finish(), one.finish(), two.finish()};
  CHECK(rounds(all, 2) == 2);
  CHECK(rounds(all, 2, Order::written) == -1);  // 1 waits for 2, 2 for 0, and 0 for 1
}

TEST_CASE("rounds: schedules that never end, or whose messages do not pair off, have none",
          "[rounds]") {
  std::vector<Schedule> circle;
  for (Rank rank : {0, 1}) {
    Builder s{2, rank};
    s.await(1 - rank);
    s.round();
    s.signal(1 - rank);
    circle.push_back(s.finish());
  }
  CHECK(rounds(circle) == -1);
  circle[1] = {};
  circle[1].P = 2;
  circle[1].rank = 1;
  CHECK(rounds(circle) == -1);
}

TEST_CASE("rounds: a World can be counted again and again", "[rounds]") {
  const auto all = build_all("dissemination", barrier_of(9));
  World world(all);
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(rounds(world) == 4);
    CHECK(rounds(world, 1) == 4);
  }
}

TEST_CASE("barrier: rounds and signals") {
  for (int P = 1; P <= tests::unless_sanitized(33, 9); ++P) {
    for (int k = 1; k <= 4; ++k) {
      const auto all = build_all("dissemination", barrier_of(P), {k, 0});
      CHECK(rounds(all) == rounds_to_reach(P, k + 1));
      CHECK(messages(all) <= P * k * rounds_to_reach(P, k + 1));
    }
    const auto all = build_all("flat-tree", barrier_of(P));
    CHECK(rounds(all) == (P == 1 ? 0 : 2));
    CHECK(messages(all) == 2 * (P - 1));
  }
  for (const Schedule& schedule : build_all("dissemination", barrier_of(2), {3, 0})) {
    CHECK(schedule.steps.size() == 2);  // one signal each way, free to cross
    CHECK(schedule.successors.empty());
  }
}

TEST_CASE("bcast: rounds and messages") {
  for (int P = 1; P <= tests::unless_sanitized(33, 9); ++P) {
    for (int k = 1; k <= 4; ++k) {
      const auto all = build_all("binomial", bcast_of(P, 10, P / 2), {k, 0});
      CHECK(rounds(all) <= rounds_to_reach(P, k + 1));
      CHECK(messages(all) == P - 1);
    }
    CHECK(rounds(build_all("chain", bcast_of(P, 10))) == P - 1);
    CHECK(messages(build_all("chain", bcast_of(P, 10), {1, 4})) == 3 * (P - 1));
    CHECK(rounds(build_all("linear", bcast_of(P, 10))) == (P == 1 ? 0 : 1));
  }
  for (int k = 1, P = 8; k <= 2; ++k, P = 27)
    CHECK(rounds(build_all("binomial", bcast_of(P, 10), {k, 0})) == 3);
}

TEST_CASE("allgather: rounds, messages, bytes") {
  constexpr Bytes m = 7;
  for (int P = 2; P <= tests::unless_sanitized(33, 9); ++P) {
    const auto ring = build_all("ring", allgather_of(P, m));
    CHECK(rounds(ring) == P - 1);
    const auto modified = build_all("modified-ring", allgather_of(P, m));
    CHECK(rounds(modified) == 1);
    for (const Schedule& schedule : ring) CHECK(bytes_sent(schedule) == (P - 1) * m);
    for (const Schedule& schedule : modified) CHECK(bytes_sent(schedule) == (P - 1) * m);

    const int log2 = std::bit_width(static_cast<unsigned>(P)) - 1;
    const bool power_of_two = is_power_of_two(P);
    const auto doubling = build_all("recursive-doubling", allgather_of(P, m));
    CHECK(rounds(doubling) <= (power_of_two ? log2 : log2 + 2));
    if (power_of_two) CHECK(rounds(doubling) == log2);
    if (P + 1 == 2 << log2 && P > 3) CHECK(rounds(doubling) == log2 + 2);
    if (power_of_two) {
      for (const Schedule& schedule : doubling) CHECK(bytes_sent(schedule) == (P - 1) * m);
    }
    const auto rooted = build_all("gather-bcast", allgather_of(P, m));
    CHECK(rounds(rooted) == 2);
    CHECK(messages(rooted) == 2 * (P - 1));
    CHECK(messages(build_all("gather-bcast-binomial", allgather_of(P, m), {2, 0})) == 2 * (P - 1));
  }
}

TEST_CASE(
    "bruck: ceil(log_{k+1} P) rounds, the fewest messages, no more copying than the thesis' "
    "shift") {
  constexpr Bytes m = 7;
  for (int P = 2; P <= tests::unless_sanitized(40, 9); ++P) {
    for (int k = 1; k <= 4; ++k) {
      int per_rank = 0;
      for (int held = 1; held < P; held *= k + 1) per_rank += std::min(k, (P - 1) / held);
      const auto all = build_all("bruck", allgather_of(P, m), {k, 0});
      // A last round that sends few blocks need not wait for the round before it.
      const int last = rounds_to_reach(P, k + 1);
      CHECK(rounds(all) <= last);
      if (rounds_to_reach(P + 1, k + 1) > last) CHECK(rounds(all) == last);
      CHECK(messages(all) == P * per_rank);
      for (const Schedule& schedule : all) {
        CHECK(bytes_sent(schedule) == (P - 1) * m);
        CHECK(bytes_copied(schedule) <= (P + 1) * m);  // its own block included
      }
      CHECK(bytes_copied(all[0]) == m);
    }
  }
}

TEST_CASE("bruck: the receives of one round do not wait for each other") {
  const auto all = build_all("bruck", allgather_of(64, 8), {3, 0});
  for (const Schedule& schedule : all) {
    int waiting = 0;
    for (const Step& step : schedule.steps)
      waiting += receives(step.kind) && step.predecessors != 0;
    CHECK(waiting == 0);
  }
}

TEST_CASE("large P stays linear") {
  constexpr int P = tests::unless_sanitized(1000, 100);
  const auto ring = build_all("ring", allgather_of(P, 8));
  CHECK(ring[0].steps.size() == 2 * P - 1);
  CHECK(ring[0].successors.size() <= 2 * P);
  const auto rooted = build_all("gather-bcast", allgather_of(P, 8));
  CHECK(rooted[0].successors.size() <= 3 * P);
  CHECK(build_all("flat-tree", barrier_of(P))[0].successors.size() <= 2 * P);
}
