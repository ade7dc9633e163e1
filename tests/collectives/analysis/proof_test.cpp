// The proof matrix for few ranks; `tutti verify` runs all of it.
#include "collectives/analysis/proof.hpp"

#include <catch2/catch.hpp>

#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

// Few P: the suite `verify` proves every P up to 17, and more.
TEST_CASE("every algorithm is right for some P") {
  ProofOptions options;
  options.P = {1, 2, 3, 4};
  if (!tests::kSanitized) options.P = {1, 2, 3, 5, 8};
  std::size_t reports = 0, expected = 0;
  options.progress = [&](std::size_t, std::size_t total) { ++reports, expected = total; };
  const auto rows = prove(options);
  CHECK(rows.size() == algorithms().size());
  CHECK(reports == expected);
  for (const ProofRow& row : rows) {
    INFO(row.algorithm << ": " << row.first_violation);
    CHECK(row.violations == 0);
    CHECK(row.cases > 0);
  }
}

TEST_CASE("the proof can be narrowed") {
  ProofOptions options;
  options.collective = Collective::allgather;
  options.algorithm = "bruck";
  options.P = {tests::unless_sanitized(130, 30)};
  options.threads = 1;
  const auto rows = prove(options);
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].cases == 32);  // three sizes and uneven counts, in place or not, k = 1…4
  CHECK(rows[0].violations == 0);
  options.algorithm = "nonsense";
  CHECK(prove(options).empty());
  CHECK(proof_sizes().back() == 1000);
}

TEST_CASE(
    "a broadcast that has no reduce of its name cannot be the level of an allreduce; a reduce is "
    "the mirror of any") {
  for (const char* name : {"splitted-binary", "scatter-ring", "scatter-recursive-doubling"}) {
    INFO(name);
    const Parameters parameters{.within = {find(Collective::bcast, name), 1}, .across = {}};
    Problem problem{
        {.collective = Collective::allreduce, .bytes = 24}, 8, 0, true, {0, 0, 0, 0, 1, 1, 1, 1}};
    CHECK(why_not(*find(Collective::allreduce, "hierarchical"), problem, parameters));
    problem.collective = Collective::reduce;
    const Algorithm* reduce = find(Collective::reduce, "hierarchical");
    REQUIRE_FALSE(why_not(*reduce, problem, parameters));
    CHECK(verify(schedules_of_all_ranks(*reduce, problem, parameters), problem).ok());
  }
}

TEST_CASE("levels that cannot run for the nodes there are do not apply; those that can are right") {
  struct Case {
    Collective collective;
    const char* within;  // a broadcast
    const char* across;  // of the collective that across_of() names
  };
  for (const Case& one :
       {Case{Collective::bcast, "bine", "bine"}, Case{Collective::reduce, "bine", "bine"},
        Case{Collective::allreduce, "bine", "bine-doubling"},
        Case{Collective::allgather, "bine", "bine"},
        Case{Collective::allgather, "circulant", "neighbor-exchange"}}) {
    const Parameters parameters{.within = {find(Collective::bcast, one.within), 1},
                                .across = {find(across_of(one.collective), one.across), 1}};
    const Algorithm* hierarchical = find(one.collective, "hierarchical");
    int applied = 0, refused = 0;
    for (int per_node = 1; per_node <= 4; ++per_node)
      for (int nodes = 1; nodes <= 5; ++nodes) {
        INFO(name_of(one.collective) << " within=" << one.within << " across=" << one.across << ": "
                                     << nodes << " nodes of " << per_node);
        Problem problem{{.collective = one.collective, .bytes = 24}, nodes * per_node};
        for (int rank = 0; rank < problem.P; ++rank) problem.node.push_back(rank / per_node);
        if (why_not(*hierarchical, problem, parameters)) {
          ++refused;
          continue;
        }
        ++applied;
        CHECK(verify(schedules_of_all_ranks(*hierarchical, problem, parameters), problem).ok());
      }
    CHECK(applied > 0);
    CHECK(refused > 0);
  }
}
