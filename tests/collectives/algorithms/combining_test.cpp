// Which blocks go in one message, how many messages that saves, and that the results are right.
#include "collectives/algorithms/combining.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "collectives/analysis/costs.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/analysis/verifier.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

constexpr Bytes kCombined = 8;

Problem call_of(Collective collective, const Neighbourhood& neighbours, int P) {
  Problem problem{{.collective = collective, .bytes = kCombined}, P};
  problem.neighbours = neighbours;
  return problem;
}

Costs cost_of(Collective collective, const Torus& torus, const char* algorithm) {
  int P = 1;
  for (const int size : torus) P *= size;
  return count(*find(collective, algorithm), call_of(collective, stencil_on(torus), P), {});
}

struct Expected {
  Torus torus;
  Bytes at_once, combined;  // messages of a rank
  int rounds;
  Bytes gathered, exchanged;  // blocks that a rank sends, combined
};

}  // namespace

TEST_CASE("combining sends as few messages as the paper says", "[combining]") {
  constexpr Collective kGather = Collective::neighbor_allgather,
                       kExchange = Collective::neighbor_alltoall;
  for (const Expected& one :
       {Expected{{3, 4}, 8, 4, 2, 8, 12}, Expected{{3, 3, 3}, 26, 6, 3, 26, 54},
        Expected{{5, 3, 4}, 26, 6, 3, 26, 54}, Expected{{2, 4}, 8, 3, 2, 5, 12},
        Expected{{2, 2, 2}, 26, 3, 3, 7, 54}, Expected{{1, 4}, 6, 2, 1, 2, 6}}) {
    int P = 1;
    for (const int size : one.torus) P *= size;
    INFO(P << " ranks");
    for (const Collective collective : {kGather, kExchange}) {
      const Costs direct = cost_of(collective, one.torus, "at-once"),
                  combined = cost_of(collective, one.torus, "combined");
      CHECK(direct.messages == P * one.at_once);
      CHECK(combined.messages == P * one.combined);
      CHECK(direct.rounds == 1);
      CHECK(combined.rounds == one.rounds);
      CHECK(direct.sent == one.at_once * kCombined);
      CHECK(combined.sent == (collective == kGather ? one.gathered : one.exchanged) * kCombined);
    }
    CHECK(saves_messages(stencil_on(one.torus), 0));
  }
}

TEST_CASE("combining is right for any offsets on any torus", "[combining]") {
  int saved = 0;
  for (const Torus& torus : {Torus{1}, Torus{2}, Torus{5}, Torus{2, 2}, Torus{1, 3, 2}, Torus{4, 3},
                             Torus{3, 2, 3}, Torus{2, 2, 2, 2}, Torus{}})
    for (std::uint32_t seed = 1; seed <= tests::unless_sanitized(40u, 5u); ++seed) {
      const Neighbourhood first = random_stencil(torus, seed);
      int P = 1;
      for (const int size : torus) P *= size;
      for (const Collective collective :
           {Collective::neighbor_allgather, Collective::neighbor_alltoall}) {
        const Problem problem = call_of(collective, first, P);
        const auto schedules = schedules_of_all_ranks(*find(collective, "combined"), problem, {});
        const Verdict verdict = verify(schedules, problem);
        INFO(name_of(collective) << ", seed " << seed << ", P = " << P << ": " << verdict.message);
        REQUIRE(verdict.ok());
      }
      saved += saves_messages(first, 0) ? 1 : 0;
    }
  CHECK(saved > 0);
}

TEST_CASE("a block that goes nowhere else is received where it belongs", "[combining]") {
  // To one side only: the hop along the first dimension ends in the output, in its order.
  const Neighbourhood both{{4, 5}, {8, 11}, false, {3, 4}};
  Problem problem = call_of(Collective::neighbor_alltoall, both, 12);
  const Schedule schedule = find(problem.collective, "combined")->build(problem, {});
  const auto into_output = [](const Step& step) {
    return step.kind == StepKind::recv && step.target.buffer == Buffer::output;
  };
  CHECK(std::ranges::count_if(schedule.steps, into_output) == 1);
  // One is packed beside the one that has come.
  const auto copies = [](const Step& step) { return step.kind == StepKind::copy; };
  CHECK(std::ranges::count_if(schedule.steps, copies) == 2);
}

TEST_CASE("the torus of a stencil is found from rank 0's neighbours", "[combining]") {
  for (const Torus& torus : {Torus{4, 4}, Torus{3, 8}, Torus{8, 3}, Torus{4, 6}, Torus{6, 4},
                             Torus{3, 4, 5}, Torus{3, 3, 3}, Torus{2, 2, 2}, Torus{5, 20, 3}}) {
    int P = 1;
    for (const int size : torus) P *= size;
    Neighbourhood seen = stencil_on(torus);
    seen.torus.clear();
    INFO(P << " ranks");
    const auto likely = likely_tori(seen, P);
    REQUIRE_FALSE(likely.empty());
    CHECK(likely.front() == torus);
    CHECK(likely.size() <= 3);
    CHECK(std::set(likely.begin(), likely.end()).size() == likely.size());
  }
}

TEST_CASE("no torus is likely where combining saves nothing", "[combining]") {
  CHECK(likely_tori({{1, 6}, {1, 6}}, 7).empty());        // a ring
  CHECK(likely_tori({{1, 2, 3}, {1, 2, 3}}, 7).empty());  // a prime number of ranks
  CHECK(likely_tori({{}, {}}, 16).empty());
  CHECK(likely_tori({{0, 0}, {0, 0}}, 1).empty());
  CHECK(likely_tori({{5, kNoNeighbour}, {5, kNoNeighbour}}, 16).empty());
  CHECK(likely_tori({{5, 5, 5}, {5, 5, 10}}, 16).empty());  // they do not match
  CHECK_FALSE(saves_messages(Neighbourhood{{1, 3, 4, 8}, {1, 3, 4, 8}, true, {3, 4}}, 0));
}
