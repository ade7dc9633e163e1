// Barriers: rounds of one and of k ports, and messages, as the papers have them.
#include "tests/collectives/algorithms/counts.hpp"

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
