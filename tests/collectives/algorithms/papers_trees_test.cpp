// What the papers state about algorithms that counts_test.cpp does not have: rounds of one and of
// k ports, messages, bytes, scratch. Where the print and the definition differ, the definition
// counts, and it is said.
// Here: barriers, broadcasts, scatters and what mirrors them.
#include "tests/collectives/algorithms/papers.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: barriers") {
  for (int P : sizes()) {
    INFO("P=" << P);
    const auto doubling = build_all("recursive-doubling", barrier_of(P));
    const int partners = 1 << floor_log2(P), extra = P - partners;
    CHECK(rounds(doubling, 1) == (extra == 0 ? ceil_log2(P) : floor_log2(P) + 2));
    CHECK(messages(doubling) == partners * floor_log2(P) + 2 * extra);
    const auto ring = build_all("double-ring", barrier_of(P));
    CHECK(rounds(ring, 1) == (P == 1 ? 0 : 2 * P));
    CHECK(messages(ring) == (P == 1 ? 0 : 2 * P));
    CHECK(rounds(build_all("flat-tree", barrier_of(P)), 1) == 2 * (P - 1));
    CHECK(rounds(build_all("chain", barrier_of(P)), 1) == 2 * (P - 1));
    CHECK(rounds(build_all("binary", barrier_of(P)), 2) == 2 * floor_log2(P));
    for (int k = 1; k <= 4; ++k) {
      INFO("k=" << k);
      const auto dissemination = build_all("dissemination", barrier_of(P), {k, 0});
      const int last = rounds_to_reach(P, k + 1);
      CHECK(rounds(dissemination, k) == last);
      if (rounds_to_reach(P + 1, k + 1) > last)
        CHECK(messages(dissemination) == P * k * last);  // a power of k + 1
      const auto tree = build_all("binomial", barrier_of(P), {k, 0});
      CHECK(rounds(tree, k) == 2 * last);
      CHECK(messages(tree) == 2 * (P - 1));
      const auto chains = build_all("k-chain", barrier_of(P), {k, 0});
      CHECK(rounds(chains, k) == 2 * ((P - 1 + k - 1) / k));
      CHECK(messages(chains) == 2 * (P - 1));
    }
  }
}

// OCC's Hockney model has one port; its segments go on as soon as they are there.
TEST_CASE("papers: broadcasts and reduces over trees, whole and in segments") {
  for (Collective collective : {Collective::bcast, Collective::reduce}) {
    for (int P : sizes()) {
      for (Bytes n : {Bytes{1}, kSegments}) {
        INFO(name_of(collective) << " P=" << P << " segments=" << n);
        const Bytes m = n * kSegment;
        const auto build = [&](const char* name, int k = 1) {
          return build_all(name, of(collective, P, m, P / 3), {k, kSegment});
        };
        const int N = static_cast<int>(n), moves = P == 1 ? 0 : 1;
        for (const char* name :
             {"linear", "chain", "binary", "tau-binomial", "binomial", "k-chain"}) {
          const auto all = build(name, 2);
          CHECK(messages(all) == N * (P - 1));
          CHECK(all_bytes(all) == (P - 1) * m);
        }
        CHECK(rounds(build("linear"), 1) == N * (P - 1));
        CHECK(rounds(build("chain"), 1) == moves * (P + N - 2));
        CHECK(most_sent(build("chain")) == moves * m);
        const int levels = ceil_log2(P + 1);
        CHECK(rounds(build("binary"), 1) <= moves * 2 * (levels + N - 2));
        if (power_of_two(P + 1) && P > 1) CHECK(rounds(build("binary"), 1) == 2 * (levels + N - 2));
        // Two ports; upwards the greedy order of segments may cost more than the best one.
        if (n == 1 || collective == Collective::bcast)
          CHECK(rounds(build("binary"), std::min(2, P - 1)) == moves * (floor_log2(P) + N - 1));
        if (n == 1) CHECK(rounds(build("tau-binomial"), 1) == ceil_log2(P));
        for (int k = 1; k <= 4; ++k) {
          INFO("k=" << k);
          CHECK(rounds(build("binomial", k), k) <= N * rounds_to_reach(P, k + 1));
          if (n == 1) CHECK(rounds(build("binomial", k), k) == rounds_to_reach(P, k + 1));
          const int ports = std::min(k, P - 1), pipelined = moves * ((P - 1 + k - 1) / k + N - 1);
          CHECK(rounds(build("k-chain", k), ports) <= pipelined);
          if (n == 1 || collective == Collective::bcast)
            CHECK(rounds(build("k-chain", k), ports) == pipelined);
        }
      }
    }
  }
}

TEST_CASE("papers: broadcasts that cut the message") {
  for (int P : sizes()) {
    INFO("P=" << P);
    const Bytes m = P * s;
    const auto split = build_all("splitted-binary", bcast_of(P, m, P / 2));
    CHECK(all_bytes(split) == (P - 1) * m);  // nobody hears a byte twice
    // For a power of two one rank alone is on the last level: the leaf that has no partner to swap
    // with.
    if (P > 2) CHECK(rounds(split, 2) == floor_log2(P - 1) + 1);
    if (P > 1) CHECK(bytes_sent(split[index(P / 2)]) == (P % 2 == 0 && P > 2 ? m + m / 2 : m));

    const auto ring = build_all("scatter-ring", bcast_of(P, m, P / 2));
    CHECK(rounds(ring, 1) <= ceil_log2(P) + P - 1);
    CHECK(messages(ring) == (P - 1) + P * (P - 1));
    CHECK(most_sent(ring) == 2 * (P - 1) * s);
    if (power_of_two(P)) {
      const auto doubling = build_all("scatter-recursive-doubling", bcast_of(P, m, P / 2));
      CHECK(rounds(doubling, 1) == 2 * ceil_log2(P));
      CHECK(messages(doubling) == (P - 1) + P * ceil_log2(P));
      CHECK(most_sent(doubling) == 2 * (P - 1) * s);
      CHECK(all_bytes(doubling) == P * s * ceil_log2(P) / 2 + P * (P - 1) * s);
    }
  }
}

TEST_CASE("papers: scatters and gathers") {
  for (Collective collective : {Collective::scatter, Collective::gather}) {
    for (int P : sizes()) {
      const auto build = [&](const char* name, int k = 1, Rank root = 0) {
        return build_all(name, of(collective, P, s, root), {k, 0});
      };
      const auto through_root = [&](const std::vector<Schedule>& all, Rank root) {
        const auto r = index(root);
        return collective == Collective::scatter ? bytes_sent(all[r]) : received(all)[r];
      };
      INFO(name_of(collective) << " P=" << P);
      const auto linear = build("linear", 1, P / 2);
      CHECK(messages(linear) == P - 1);
      CHECK(all_bytes(linear) == (P - 1) * s);
      CHECK(rounds(linear, 1) == P - 1);
      CHECK(rounds(linear, kAnyPorts) == (P == 1 ? 0 : 1));
      CHECK(most_scratch(linear) == 0);

      const auto halves = build("recursive-splitting");
      CHECK(messages(halves) == P - 1);
      CHECK(rounds(halves, 1) == ceil_log2(P));
      CHECK(through_root(halves, 0) == (P - 1) * s);
      CHECK(most_scratch(halves) <= P * s / 2);
      if (power_of_two(P)) CHECK(all_bytes(halves) == P * s * ceil_log2(P) / 2);

      const auto optimal = build("loggp");
      CHECK(messages(optimal) == P - 1);
      CHECK(through_root(optimal, 0) == (P - 1) * s);
      CHECK(most_scratch(optimal) <= P * s / 2);

      for (int k = 1; k <= 4; ++k) {
        INFO("k=" << k);
        const auto tree = build("binomial", k);
        const int last = rounds_to_reach(P, k + 1);
        CHECK(messages(tree) == P - 1);
        CHECK(rounds(tree, k) == last);
        CHECK(through_root(tree, 0) == (P - 1) * s);
        if (rounds_to_reach(P + 1, k + 1) > last)
          CHECK(all_bytes(tree) == last * P * k / (k + 1) * s);
        for (Rank root : {0, P / 2, P - 1}) {
          const Bytes scratch = most_scratch(build("binomial", k, root));
          CHECK(scratch <= (P + k) / (k + 1) * s);
          // As printed, in whole blocks: for P = 7 and k = 4 the largest of five parts has two
          // blocks, not 7/4.
          CHECK(scratch <= (P + k - 1) / k * s);
        }
      }
    }
  }
}
