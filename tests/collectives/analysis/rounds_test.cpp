// Rounds, and what else is counted in schedules, by the papers' closed forms.
#include "collectives/analysis/rounds.hpp"

#include <catch2/catch.hpp>

#include "collectives/algorithms/trees.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("barrier: rounds and signals") {
  for (int P = 1; P <= 33; ++P) {
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
  for (int P = 1; P <= 33; ++P) {
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
  for (int P = 2; P <= 33; ++P) {
    const auto ring = build_all("ring", allgather_of(P, m));
    CHECK(rounds(ring) == P - 1);
    const auto modified = build_all("modified-ring", allgather_of(P, m));
    CHECK(rounds(modified) == 1);
    for (const Schedule& schedule : ring) CHECK(bytes_sent(schedule) == (P - 1) * m);
    for (const Schedule& schedule : modified) CHECK(bytes_sent(schedule) == (P - 1) * m);

    int log2 = 0;
    while ((2 << log2) <= P) ++log2;
    const bool power_of_two = (1 << log2) == P;
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
  for (int P = 2; P <= 40; ++P) {
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
  const auto ring = build_all("ring", allgather_of(1000, 8));
  CHECK(ring[0].steps.size() == 1999);
  CHECK(ring[0].successors.size() <= 2000);
  const auto rooted = build_all("gather-bcast", allgather_of(1000, 8));
  CHECK(rooted[0].successors.size() <= 3000);
  CHECK(build_all("flat-tree", barrier_of(1000))[0].successors.size() <= 2000);
}
