// What the papers state about algorithms that counts_test.cpp does not have: rounds of one and of
// k ports, messages, bytes, scratch. Where the print and the definition differ, the definition
// counts, and it is said.
// Here: allgathers, what mirrors them, and all-to-alls.
#include "tests/collectives/algorithms/papers.hpp"

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

TEST_CASE("papers: reduce-scatter and gather (Rabenseifner)") {
  for (int P : {1, 2, 4, 8, 16, 32, 64}) {
    INFO("P=" << P);
    const auto all = build_all("reduce-scatter-gather", of(Collective::reduce, P, P * s, P / 2));
    CHECK(rounds(all, 1) == 2 * ceil_log2(P));
    CHECK(messages(all) == P * ceil_log2(P) + P - 1);
    CHECK(most_sent(all) == (P == 1 ? 0 : (P - 1) * s + P * s / 2));
  }
}

TEST_CASE("papers: all-to-alls") {
  for (int P : sizes()) {
    INFO("P=" << P);
    const auto build = [&](const char* name) {
      return build_all(name, of(Collective::alltoall, P, s));
    };
    const auto at_once = build("at-once");
    CHECK(rounds(at_once, kAnyPorts) == (P == 1 ? 0 : 1));
    CHECK(messages(at_once) == P * (P - 1));
    each_sends(at_once, (P - 1) * s);
    const auto pairwise = build("pairwise");
    CHECK(rounds(pairwise, kAnyPorts) == P - 1);
    CHECK(rounds(pairwise, 1) == P - 1);
    CHECK(messages(pairwise) == P * (P - 1));
    each_sends(pairwise, (P - 1) * s);
    const auto bruck = build("bruck");
    Bytes hops = 0;  // a block of distance d goes as many times as d has bits
    for (int d = 1; d < P; ++d)
      for (int rest = d; rest != 0; rest &= rest - 1) ++hops;
    CHECK(rounds(bruck, 1) == ceil_log2(P));
    CHECK(messages(bruck) == P * ceil_log2(P));
    each_sends(bruck, hops * s);
    if (power_of_two(P)) CHECK(hops == P / 2 * ceil_log2(P));
  }
}

// [BHU97]: in subphase x, step z of the index algorithm of radix r, the blocks whose distance has z
// as its digit x go z·r^x ranks on.
TEST_CASE("papers: the radix of Bruck's all-to-all") {
  for (int P : sizes()) {
    for (int k = 1; k <= 5; ++k) {
      INFO("P=" << P << " k=" << k);
      const auto all = build_all("bruck", of(Collective::alltoall, P, s), {.k = k});
      CHECK(rounds(all, k) == rounds_to_reach(P, k + 1));
      for (Rank r = 0; r < P; ++r) {
        std::vector<std::pair<Rank, Bytes>> sent, text;
        for (const Step& step : all[index(r)].steps)
          if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source.length);
        for (int place = 1; place < P; place *= k + 1)
          for (int digit = 1; digit <= k && digit * place < P; ++digit) {
            int blocks = 0;
            for (int distance = 1; distance < P; ++distance)
              blocks += distance / place % (k + 1) == digit ? 1 : 0;
            text.emplace_back(mod(r + digit * place, P), blocks * s);
          }
        CHECK(sent == text);
      }
    }
  }
}
