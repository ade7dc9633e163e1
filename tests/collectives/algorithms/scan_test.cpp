// Scans: rounds, messages, and bytes, as the papers have them.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: scans") {
  for (Collective collective : {Collective::scan, Collective::exscan}) {
    for (int P : sizes()) {
      INFO(name_of(collective) << " P=" << P);
      const auto linear = build_all("linear", of(collective, P, s));
      CHECK(rounds(linear, 1) == P - 1);
      CHECK(messages(linear) == P - 1);
      CHECK(all_bytes(linear) == (P - 1) * s);
      CHECK(rounds(build_all("linear", of(collective, P, kSegments * kSegment), {1, kSegment}),
                   1) == (P == 1 ? 0 : P + kSegments - 2));
      const auto doubling = build_all("recursive-doubling", of(collective, P, s));
      int pairs = 0;
      for (int d = 1; d < P; d *= 2) pairs += P - d;
      CHECK(rounds(doubling, 1) == ceil_log2(P));
      CHECK(messages(doubling) == pairs);
      CHECK(all_bytes(doubling) == pairs * s);
      CHECK(most_sent(doubling) == ceil_log2(P) * s);
    }
  }
}

TEST_CASE("the first rank of a line sends before it copies") {
  const auto all = build_all("linear", {{.collective = Collective::scan, .bytes = s}, 3});
  REQUIRE(all[0].steps.size() == 2);
  CHECK(all[0].steps[0].kind == StepKind::send);
  CHECK(all[0].steps[1].predecessors == 0);
}
