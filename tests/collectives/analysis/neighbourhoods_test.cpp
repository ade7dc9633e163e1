// Grids and graphs, and what the verifier finds in schedules of neighbours that are wrong.
#include "collectives/analysis/neighbourhoods.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/verifier.hpp"
#include "collectives/schedule/builder.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

constexpr Rank kNone = kNoNeighbour;

// As neighbours_at_once, but for what `author` does instead.
template <class Author>
Verdict verdict_of(const std::vector<Problem>& problems, Author&& author) {
  std::vector<Schedule> schedules;
  for (const Problem& problem : problems) {
    Builder s{problem.P, problem.rank, user_buffers(problem)};
    author(s, problem);
    schedules.push_back(s.finish());
  }
  return verify(schedules, problems);
}

Problem exchange(int P) { return {{.collective = Collective::neighbor_alltoall, .bytes = 8}, P}; }

}  // namespace

TEST_CASE("a grid has MPI's order: below and above along each dimension", "[neighbours]") {
  const Neighbourhoods grid = grid_of({{2, false}, {3, true}});
  REQUIRE(grid.size() == 6);
  CHECK(grid[0].to == std::vector<Rank>{kNone, 3, 2, 1});
  CHECK(grid[4].to == std::vector<Rank>{1, kNone, 3, 5});
  CHECK(grid[4].from == grid[4].to);
  CHECK(grid[4].crossed);
  CHECK(grid_of({{4, true}})[3] == ring_of(4, 3));
}

TEST_CASE("both ends of a graph's edges are there, some twice, some of one rank", "[neighbours]") {
  int twice = 0, own = 0, alone = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    const Neighbourhoods graph = random_graph(7, seed);
    for (Rank a = 0; a < 7; ++a) {
      const auto& to = graph[index(a)].to;
      for (Rank b = 0; b < 7; ++b) {
        const auto times = std::ranges::count(to, b);
        CHECK(times == std::ranges::count(graph[index(b)].from, a));
        twice += times > 1 ? 1 : 0;
        own += times > 0 && a == b ? 1 : 0;
      }
      alone += to.empty() && graph[index(a)].from.empty() ? 1 : 0;
    }
  }
  CHECK(twice > 0);
  CHECK(own > 0);
  CHECK(alone > 0);
}

TEST_CASE("a proof notices that directions are exchanged", "[neighbours]") {
  const auto problems = problems_in(grid_of({{2, true}}), exchange(2), false);
  const auto in_order = [](bool crossed) {
    return [=](Builder& s, const Problem& problem) {
      const Rank other = 1 - problem.rank;
      const Blocks out = blocks_in(Buffer::input, problem), in = blocks_in(Buffer::output, problem);
      for (int i = 0; i < 2; ++i) s.send(other, out[i]);
      for (int i = 0; i < 2; ++i) s.recv(other, in[crossed ? 1 - i : i]);
    };
  };
  CHECK(verdict_of(problems, in_order(true)).ok());
  CHECK(verdict_of(problems, in_order(false)).violation == Violation::wrong_result);
}

TEST_CASE("a proof notices that a block beyond the border is written", "[neighbours]") {
  const auto problems = problems_in(grid_of({{1, false}}), exchange(1), false);
  CHECK(verdict_of(problems, [](Builder&, const Problem&) {}).ok());
  const auto copies = [](Builder& s, const Problem& problem) {
    s.copy(blocks_in(Buffer::input, problem)[0], blocks_in(Buffer::output, problem)[0]);
  };
  const Verdict verdict = verdict_of(problems, copies);
  CHECK(verdict.violation == Violation::wrong_result);
  CHECK(verdict.message.find("of nobody") != std::string::npos);
}

TEST_CASE("blocks with lengths of their own are proved in grids and graphs", "[neighbours]") {
  for (const Collective collective :
       {Collective::neighbor_allgather, Collective::neighbor_alltoall}) {
    const Algorithm& algorithm = *find(collective, "at-once");
    for (std::uint32_t seed = 1; seed <= 30; ++seed)
      for (int P = 1; P <= 9; ++P) {
        const auto neighbourhoods = seed == 1   ? grid_of({{P, true}, {1, false}, {1, true}})
                                    : seed == 2 ? grid_of({{1, true}, {P, false}})
                                                : random_graph(P, seed);
        const auto problems = problems_in(neighbourhoods, {{.collective = collective}, P}, true);
        std::vector<Schedule> schedules;
        schedules.reserve(problems.size());
        for (const Problem& problem : problems) schedules.push_back(algorithm.build(problem, {}));
        const Verdict verdict = verify(schedules, problems);
        INFO(name_of(collective) << ", seed " << seed << ", P = " << P << ": " << verdict.message);
        REQUIRE(verdict.ok());
      }
  }
}

TEST_CASE("seen from another rank, neighbours are at the same offsets", "[neighbours]") {
  const Neighbourhoods all = at_all_ranks(stencil_on({3, 4}));
  REQUIRE(all.size() == 12);
  CHECK(all[0].to == std::vector<Rank>{11, 8, 9, 3, 1, 7, 4, 5});
  CHECK(all[5].to == std::vector<Rank>{0, 1, 2, 4, 6, 8, 9, 10});
  CHECK(moved(all[5], 5, 0) == all[0]);
  CHECK(even_torus(12, 2) == Torus{3, 4});
  CHECK(even_torus(7, 3) == Torus{1, 1, 7});
  CHECK(even_torus(64, 3) == Torus{4, 4, 4});
}
