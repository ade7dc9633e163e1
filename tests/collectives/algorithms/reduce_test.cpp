// Reduces by a reduce-scatter and a gather; bcast_test.cpp has those that mirror broadcasts.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: reduce-scatter and gather (Rabenseifner)") {
  for (int P : {1, 2, 4, 8, 16, 32, 64}) {
    INFO("P=" << P);
    const auto all = build_all("reduce-scatter-gather", of(Collective::reduce, P, P * s, P / 2));
    CHECK(rounds(all, 1) == 2 * ceil_log2(P));
    CHECK(messages(all) == P * ceil_log2(P) + P - 1);
    CHECK(most_sent(all) == (P == 1 ? 0 : (P - 1) * s + P * s / 2));
  }
}

// (4.52): P−1 exchanges of a P-th each (4.42), then the inverse of the binomial scatter (4.50),
// whose messages double.
TEST_CASE("TAU 4.7.2: reduce as pairwise reduce-scatter and gather") {
  constexpr Bytes piece = 64;
  for (const int P : {1, 2, 4, 8, 16}) {
    for (const Rank root : {0, P - 1}) {
      const auto all = build_all(
          "pairwise-gather",
          {{.collective = Collective::reduce, .root = root, .bytes = P * piece, .element = 8}, P});
      for (Rank r = 0; r < P; ++r) {
        INFO("P=" << P << " root " << root << " rank " << r);
        std::vector<std::pair<Rank, Bytes>> sent, text;
        for (const Step& step : all[index(r)].steps)
          if (step.kind == StepKind::send) sent.emplace_back(step.peer, step.source.length);
        for (int i = 1; i < P; ++i) text.emplace_back(mod(r + i, P), piece);
        const int v = mod(r - root, P);
        if (v != 0) {
          int distance = 1;
          while (v % (2 * distance) == 0) distance *= 2;
          const Rank parent = mod(v - distance + root, P);
          // The root's output holds the pieces by rank: a subtree across its end is two messages.
          const int before_end = parent == root ? std::min(distance, P - r) : distance;
          if (before_end < distance) text.emplace_back(parent, (distance - before_end) * piece);
          text.emplace_back(parent, before_end * piece);
        }
        CHECK(sent == text);
      }
    }
  }
}
