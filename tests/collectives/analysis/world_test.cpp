// World: who meets whom, who is ready, and that a simulator of many ranks can drive it.
#include "collectives/analysis/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <queue>
#include <set>
#include <tuple>

#include "collectives/algorithms/trees.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

// The time at which the last message of a broadcast arrives: a rank sends one message per unit of
// time, in the order in which they got ready, and each takes one unit. A simulator in small.
int time_of_last_arrival(World& world) {
  using Event = std::tuple<int, Rank, StepId>;  // when which receive gets its message
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events;
  std::vector<int> free_from(index(world.P()));  // by rank: when it can send again
  int now = 0;
  const auto advance = [&](Rank rank) {
    world.take_ready(rank, [&](Place place) {
      if (world.step(place).kind != StepKind::send) return;  // it waits for its event
      const Place receive = world.partner(place);
      int& free = free_from[index(rank)];
      free = std::max(free, now) + 1;
      events.emplace(free, receive.rank, receive.id);
      world.done(place);
    });
  };
  for (Rank rank = 0; rank < world.P(); ++rank) advance(rank);
  while (!events.empty()) {
    const auto [time, rank, id] = events.top();
    events.pop();
    now = time;
    world.done({rank, id});
    advance(rank);
  }
  return now;
}

}  // namespace

TEST_CASE("world: each message has two ends, and each pair of ranks a number", "[world]") {
  const auto all = build_all("ring", allgather_of(4, 8));
  const World world(all);
  REQUIRE(world.P() == 4);
  REQUIRE(world.messages().ok());
  std::set<StepNumber> numbers;
  std::set<std::pair<Rank, Rank>> pairs;
  for (Rank rank = 0; rank < 4; ++rank)
    for (StepId id = 0; id < all[index(rank)].steps.size(); ++id) {
      const Place place{rank, id};
      CHECK(numbers.insert(world.number(place)).second);
      const Step& step = world.step(place);
      if (step.kind != StepKind::send) continue;
      const Place other = world.partner(place);
      CHECK(other.rank == step.peer);
      CHECK(world.partner(other) == place);
      CHECK(world.step(other).ordinal == step.ordinal);
      CHECK(world.step(other).peer == rank);
      CHECK(world.pair(place) == world.pair(other));
      CHECK(world.pair(place) < world.pairs());
      pairs.insert({rank, step.peer});
    }
  CHECK(numbers.size() == world.steps());
  CHECK(*numbers.rbegin() == world.steps() - 1);
  CHECK(world.pairs() == pairs.size());
}

TEST_CASE("world: messages that do not pair off are named", "[world]") {
  auto all = build_all("chain", bcast_of(3, 100));
  all[2] = build_all("chain", bcast_of(3, 90))[2];
  CHECK(World(all).messages().violation == Violation::size_mismatch);
  CHECK_THAT(World(all).messages().message, Catch::Contains("sends 100 bytes"));
  all[2] = {.P = 3, .rank = 2};
  CHECK(World(all).messages().violation == Violation::unmatched_message);
  CHECK_THAT(World(all).messages().message, Catch::Contains("never received"));
}

TEST_CASE("world: peers that are no ranks are named, and nothing is counted", "[world]") {
  for (const Rank peer : {Rank{-1}, Rank{5}, Rank{7}, Rank{1 << 30}})
    for (const StepKind kind : {StepKind::send, StepKind::recv}) {
      auto all = build_all("ring", allgather_of(5, 8));
      Step& step = *std::ranges::find(all[3].steps, kind, &Step::kind);
      step.peer = peer;
      const Verdict verdict = World(all).messages();
      CHECK(verdict.violation == Violation::out_of_bounds);
      CHECK_THAT(verdict.message,
                 Catch::Contains(fmt::format("rank 3 {} rank {} of 5",
                                             kind == StepKind::send ? "sends to" : "receives from",
                                             peer)));
      CHECK(rounds(all) == -1);
    }
}

TEST_CASE("world: what was done makes others ready, until all have finished, and again",
          "[world]") {
  World world(3, [](Rank rank) { return build_all("chain", bcast_of(3, 8))[index(rank)]; });
  const auto take = [&](Rank rank) {
    Ids taken;
    world.take_ready(rank, [&](Place place) { taken.push_back(place.id); });
    return taken;
  };
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(ids(world.ready(0)) == Ids{0});
    CHECK(take(0) == Ids{0});
    CHECK(world.ready(0).empty());
    CHECK(take(1) == Ids{0});  // its receive; its send waits for that
    world.done({0, 0});
    CHECK(world.finished(0));
    CHECK_FALSE(world.finished());
    world.done({1, 0});
    CHECK(take(1) == Ids{1});
    CHECK(take(2) == Ids{0});
    world.done({1, 1});
    CHECK_FALSE(world.finished());
    world.done({2, 0});
    CHECK(world.finished());
    world.reset();
    CHECK_FALSE(world.finished());
  }
  CHECK(World(2, [](Rank rank) { return Schedule{.P = 2, .rank = rank}; }).finished());
}

TEST_CASE("world: take_ready() goes on with what became ready meanwhile", "[world]") {
  World world(1, [](Rank) {
    return build_all("reduce-scatter",
                     {{.collective = Collective::reduce_scatter, .bytes = 8}, 1})[0];
  });
  std::size_t served = 0;
  world.take_ready(0, [&](Place place) { ++served, world.done(place); });
  CHECK(served == world.steps());
  CHECK(world.finished());
}

TEST_CASE("world: a hundred thousand ranks, made on demand", "[world]") {
  constexpr int P = tests::unless_sanitized(100000, 1000);
  const Algorithm& binomial = *find(Collective::bcast, "binomial");
  World world(P, [&](Rank rank) {
    Problem problem = bcast_of(P, 8, P / 3);
    problem.rank = rank;
    return binomial.build(problem, {});
  });
  REQUIRE(world.messages().ok());
  CHECK(world.steps() == 2 * (P - 1));
  CHECK(world.pairs() == P - 1);
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(time_of_last_arrival(world) == rounds_to_reach(P, 2));
    CHECK(world.finished());
    world.reset();
  }
}
