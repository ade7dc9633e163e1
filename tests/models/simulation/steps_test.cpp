// The number of steps that a simulation will have, beside the schedules'.
#include "models/simulation/steps.hpp"

#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

TEST_CASE("steps: what the steps of all ranks are, from those of a few") {
  const auto steps = [](std::string_view algorithm, Problem problem) {
    return steps_of_all(problem.P, problem.root, [&](Rank rank) {
      problem.rank = rank;
      return find(problem.collective, algorithm)->build(problem, {});
    });
  };
  // One message for each rank but the root, which is not P times what the root has.
  for (const int P : {1, 2, 3, 1000})
    for (const Rank root : {0, P - 1}) {
      Problem problem = bcast_of(P, 8);
      problem.root = root;
      CHECK(steps("linear", problem) == 2 * (P - 1));
    }
  CHECK(steps("ring", allgather_of(50, 8, true)) == 50 * 2 * 49);
}
