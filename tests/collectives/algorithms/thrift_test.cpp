// What algorithms must not waste: rounds with a fanout beyond the ranks, scratch that grows with
// the rounds, messages that go out and straight back.
#include <catch2/catch.hpp>

#include "collectives/algorithms/trees.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

constexpr Bytes m = 128;  // whole cache lines, so that scratch is not rounded

}  // namespace

TEST_CASE("recursive multiplying with k >= P is one exchange of all") {
  for (int P = 2; P <= 9; ++P) {
    for (int k = P - 1; k <= P + 2; ++k) {
      INFO("P=" << P << " k=" << k);
      const auto all = build_all("recursive-doubling",
                                 {{.collective = Collective::allreduce, .bytes = m}, P}, {.k = k});
      CHECK(rounds(all, k) == 1);
      CHECK(messages(all) == P * (P - 1));
    }
  }
}

TEST_CASE("scratch does not grow with the rounds") {
  for (int P = 1; P <= tests::unless_sanitized(100, 17); ++P) {
    INFO("P=" << P);
    CHECK(most_scratch(build_all("bruck", {{.collective = Collective::alltoall, .bytes = m}, P})) <=
          2 * P * m);
    CHECK(most_scratch(build_all("recursive-doubling",
                                 {{.collective = Collective::exscan, .bytes = m}, P})) <= 4 * m);
  }
}

// A vector of fewer elements than ranks: only pieces that have some go round the ring.
TEST_CASE("a ring of few elements has few steps, for any number of ranks") {
  constexpr Bytes kElement = 4;
  for (const int P : {2, 7, tests::unless_sanitized(2000, 50)})
    for (const int elements : {0, 1, 3}) {
      if (elements > P) continue;
      INFO("P=" << P << ", " << elements << " elements");
      const auto all = build_all(
          "ring",
          {{.collective = Collective::allreduce, .bytes = elements * kElement, .element = kElement},
           P});
      CHECK(messages(all) == 2 * elements * (P - 1));
      for (const Schedule& one : all) CHECK(one.steps.size() <= index(8 * elements));
    }
}

// IB §5.3.2: "an additional buffer of size ⌊P/2⌋ is required".
TEST_CASE("Bruck's allgather keeps no more than half of the blocks") {
  for (int P = 1; P <= tests::unless_sanitized(100, 17); ++P) {
    for (int k = 1; k <= 5; ++k) {
      INFO("P=" << P << " k=" << k);
      for (const bool in_place : {false, true})
        CHECK(most_scratch(build_all("bruck", allgather_of(P, m, in_place), {.k = k})) <=
              P / 2 * m);
    }
  }
}

// What is beyond a power of two comes in before, and gets the result after.
TEST_CASE("nothing goes out and straight back between the halves of halving and doubling") {
  for (int P = 2; P <= tests::unless_sanitized(33, 9); ++P) {
    INFO("P=" << P);
    const int log = rounds_to_reach(P + 1, 2) - 1, partners = 1 << log, extra = P - partners;
    const int ends = extra == 0 ? 0 : 1;
    const auto both =
        build_all("halving-doubling", {{.collective = Collective::allreduce, .bytes = P * m}, P});
    CHECK(rounds(both, 1) == 2 * log + 2 * ends);
    CHECK(messages(both) == 2 * partners * log + 2 * extra);
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
      const char* const name =
          collective == Collective::bcast ? "scatter-recursive-doubling" : "reduce-scatter-gather";
      const auto one = build_all(name, {{.collective = collective, .bytes = P * m}, P});
      CHECK(rounds(one, 1) == 2 * log + ends);
      CHECK(messages(one) == partners * log + partners - 1 + extra);
    }
  }
}
