// The catalogue: every entry can be found, and says what it is.
#include "collectives/algorithms/catalogue.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("names are unique and every algorithm says what it is") {
  for (const Algorithm& algorithm : algorithms()) {
    CHECK(find(algorithm.collective, algorithm.name) == &algorithm);
    CHECK_FALSE(algorithm.paper.empty());
    CHECK_FALSE(algorithm.summary.empty());
    CHECK(collective_named(name_of(algorithm.collective)) == algorithm.collective);
  }
  CHECK(find(Collective::bcast, "bruck") == nullptr);
  CHECK_FALSE(collective_named("nonsense"));
}

TEST_CASE("what says that it is a tree sends every rank but the root one message, and no other") {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.collective != Collective::bcast || !can_be_level(algorithm)) continue;
    INFO(algorithm.name);
    bool tree = true;
    for (int P = 1; P <= 16; ++P) {
      Problem problem{{.collective = Collective::bcast, .bytes = 64}, P};
      if (why_not(algorithm, problem, {})) continue;
      for (problem.rank = 1; problem.rank < P; ++problem.rank) {
        const Schedule schedule = algorithm.build(problem, {});
        tree = tree && std::count_if(schedule.steps.begin(), schedule.steps.end(),
                                     [](const Step& s) { return receives(s.kind); }) == 1;
      }
    }
    CHECK(tree == algorithm.traits.tree);
  }
}
