// A schedule's edges, and its digest.
#include "collectives/schedule/schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "collectives/schedule/builder.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("edges are kept with the step before them") {
  Schedule schedule;
  schedule.steps.resize(4);
  const Edge edges[] = {{0, 1}, {1, 3}, {0, 3}};
  link(schedule, edges);
  CHECK(std::ranges::equal(schedule.successors_of(0), std::vector<StepId>{1, 3}));
  CHECK(std::ranges::equal(schedule.successors_of(1), std::vector<StepId>{3}));
  CHECK(schedule.successors_of(2).empty());
  CHECK(schedule.steps[0].predecessors == 0);
  CHECK(schedule.steps[1].predecessors == 1);
  CHECK(schedule.steps[3].predecessors == 2);
}

TEST_CASE("a digest is equal for equal schedules and for no others") {
  const auto one = [](Bytes bytes, Rank peer, bool in_place) {
    Builder s{4, 0, {.input = bytes, .output = 4 * bytes, .in_place = in_place}};
    s.send(peer, s.input());
    return s.finish().digest();
  };
  CHECK(one(8, 1, false) == one(8, 1, false));
  CHECK(one(8, 1, false) != one(9, 1, false));
  CHECK(one(8, 1, false) != one(8, 2, false));
  CHECK(one(8, 1, false) != one(8, 1, true));

  std::vector<std::uint64_t> digests;
  for (const Algorithm& algorithm : algorithms()) {
    // Some others differ in nothing for few ranks: a chain is a k-chain of one.
    if (algorithm.collective != Collective::allgather) continue;
    for (int P : {3, 5, 16}) {
      if (why_not(algorithm, {{.collective = algorithm.collective, .bytes = 24}, P}, {2, 0}))
        continue;
      for (const Schedule& schedule : test::build_all(
               algorithm.name, {{.collective = algorithm.collective, .bytes = 24}, P}, {2, 0})) {
        digests.push_back(schedule.digest());
      }
    }
  }
  // Only leaves may be alike: below the root of a flat tree and of gather-bcast over it.
  std::sort(digests.begin(), digests.end());
  const auto distinct = std::unique(digests.begin(), digests.end()) - digests.begin();
  CHECK(static_cast<double>(distinct) > 0.6 * static_cast<double>(digests.size()));
}
