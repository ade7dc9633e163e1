// Allgathers, and the reduce-scatters that mirror them: rounds of one and of k ports, messages,
// bytes, and scratch, as the papers have them. Where the print and the definition differ, the
// definition counts, and it is said. BEO's repeated operations, grids, circulant graphs and bine
// trees have tests of their own, and so have roots that are chosen.
#include "tests/collectives/algorithms/counts.hpp"
#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: allgathers, and the reduce-scatters that mirror them") {
  for (Collective collective : {Collective::allgather, Collective::reduce_scatter}) {
    const bool gathers = collective == Collective::allgather;
    for (int P : sizes()) {
      INFO(name_of(collective) << " P=" << P);
      const auto build = [&](const char* name, int k = 1) {
        return build_all(name, of(collective, P, s), {k, 0});
      };
      const auto ring = build("ring");
      CHECK(rounds(ring, 1) == P - 1);
      CHECK(messages(ring) == P * (P - 1));
      each_sends(ring, (P - 1) * s);
      const auto at_once = build(gathers ? "modified-ring" : "full-fan-out");
      CHECK(rounds(at_once, kAnyPorts) == (P == 1 ? 0 : 1));
      CHECK(messages(at_once) == P * (P - 1));
      each_sends(at_once, (P - 1) * s);
      if (!gathers) {
        const auto pairwise = build("pairwise");
        CHECK(rounds(pairwise, kAnyPorts) == P - 1);
        CHECK(rounds(pairwise, 1) == P - 1);
        each_sends(pairwise, (P - 1) * s);
      } else if (power_of_two(P)) {
        // BEO Eq. 4: log2 P exchanges of half a block, and then those of recursive doubling.
        const auto both = build("halving-doubling");
        CHECK(rounds(both, 1) == 2 * ceil_log2(P));
        CHECK(messages(both) == 2 * P * ceil_log2(P));
        CHECK(all_bytes(both) == P * ((P - 1) * s + ceil_log2(P) * s / 2));
      }
      const auto doubling = build(gathers ? "recursive-doubling" : "recursive-halving");
      CHECK(rounds(doubling, 1) <= floor_log2(P) + (power_of_two(P) ? 0 : 2));
      if (power_of_two(P)) {
        CHECK(rounds(doubling, 1) == ceil_log2(P));
        CHECK(messages(doubling) == P * ceil_log2(P));
        each_sends(doubling, (P - 1) * s);
      }
      // Blocks that run across the end are a second message.
      const auto dissemination = build("dissemination");
      CHECK(rounds(dissemination, 2) <= ceil_log2(P));
      if (power_of_two(P)) CHECK(rounds(dissemination, 2) == ceil_log2(P));
      CHECK(messages(dissemination) >= P * ceil_log2(P));
      CHECK(messages(dissemination) <= 2 * P * ceil_log2(P));
      each_sends(dissemination, (P - 1) * s);
      // P operations of P - 1 blocks each.
      for (const char* name : {"full-fan-in", "repeated-binary-tree", "pipeline"}) {
        INFO(name);
        const auto all = build(name);
        CHECK(messages(all) == P * (P - 1));
        CHECK(all_bytes(all) == P * (P - 1) * s);
      }
      each_sends(build("pipeline"), (P - 1) * s);
      if (!gathers) {
        CHECK(rounds(build("reduce-scatter"), 1) == 2 * ceil_log2(P));
        CHECK(messages(build("reduce-scatter")) == 2 * (P - 1));
        CHECK(rounds(build("linear"), kAnyPorts) == (P == 1 ? 0 : 1));
        each_sends(build("linear"), (P - 1) * s);
      }
    }
  }
}

TEST_CASE("papers: neighbor exchange, for an even number of ranks") {
  const Algorithm* const algorithm = find(Collective::allgather, "neighbor-exchange");
  REQUIRE(algorithm != nullptr);
  for (int P : sizes()) {
    INFO("P=" << P);
    const auto reason = why_not(*algorithm, allgather_of(P, s), {});
    if (P % 2 == 1) {
      REQUIRE(reason);
      CHECK_THAT(*reason, Catch::Contains("even number of ranks, not " + std::to_string(P)));
      continue;
    }
    CHECK_FALSE(reason);
    const auto all = build_all("neighbor-exchange", allgather_of(P, s));
    CHECK(rounds(all, 1) == P / 2);
    CHECK(messages(all) == P * P / 2);
    each_sends(all, (P - 1) * s);
    CHECK(most_scratch(all) == 0);
  }
}

TEST_CASE("papers: bruck's rounds with k ports, and its memory") {
  for (int P : sizes()) {
    for (int k = 1; k <= 4; ++k) {
      INFO("P=" << P << " k=" << k);
      const auto all = build_all("bruck", allgather_of(P, s), {k, 0});
      CHECK(rounds(all, k) == rounds_to_reach(P, k + 1));
      each_sends(all, (P - 1) * s);
      // The thesis shifts the result, by a buffer of ⌊P/2⌋ blocks; here blocks that run across the
      // end wait in scratch.
      CHECK(most_scratch(all) <= P / 2 * s);
    }
  }
}

// IB §5.3.2: "an additional buffer of size ⌊P/2⌋ is required".
TEST_CASE("Bruck's allgather keeps no more than half of the blocks") {
  for (int P = 1; P <= tests::unless_sanitized(100, 17); ++P) {
    for (int k = 1; k <= 5; ++k) {
      INFO("P=" << P << " k=" << k);
      for (const bool in_place : {false, true})
        CHECK(most_scratch(build_all("bruck", allgather_of(P, s, in_place), {.k = k})) <=
              P / 2 * s);
    }
  }
}

// "The nodes start by sending their data to their successive neighbour node … The received data is
// combined and sent on"; full fan-out: "all nodes perform all their sends before any start
// receiving".
TEST_CASE("BEO 3.3.4, 3.3.7: ring and full fan-out") {
  constexpr auto sends = Said::sends, takes = Said::takes;
  for (int P = 1; P <= 9; ++P) {
    const auto ring = build_all("ring", telling(Collective::allgather, P));
    const auto at_once = build_all("modified-ring", telling(Collective::allgather, P));
    for (Rank r = 0; r < P; ++r) {
      INFO("P=" << P << " rank " << r);
      Text text;
      for (int step = 0; step < P - 1; ++step) {
        text.push_back({sends, mod(r + 1, P), mod(r - step, P)});
        text.push_back({takes, mod(r - 1, P), mod(r - step - 1, P)});
      }
      CHECK(text_of(ring[index(r)]) == text);
      const Schedule& mine = at_once[index(r)];
      CHECK(count(mine, StepKind::send) == P - 1);
      for (const Step& step : mine.steps)
        if (is_message(step.kind)) CHECK(step.predecessors == 0);
    }
  }
}
