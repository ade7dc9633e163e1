// Circulant graphs (Träff 2024): rounds, messages, and bytes of every collective that has them.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE(
    "since 2015: circulant graphs take any number of ranks in as few rounds as a power of two") {
  for (int P : sizes()) {
    INFO("P=" << P);
    for (const Rank root : {0, P / 2}) {
      for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        const auto whole = build_all("circulant", of(collective, P, s, root));
        CHECK(rounds(whole, 1) == ceil_log2(P));
        const auto cut = build_all("circulant", of(collective, P, kSegments * kSegment, root),
                                   {.segment = kSegment});
        // n − 1 + ⌈log2 P⌉, the least there can be; no rank's message is on its way twice
        CHECK(rounds(cut, 1, Order::written) ==
              (P == 1 ? 0 : static_cast<int>(kSegments) - 1 + ceil_log2(P)));
        CHECK(messages(cut) == static_cast<int>(kSegments) * (P - 1));
        CHECK(all_bytes(cut) == (P - 1) * kSegments * kSegment);
      }
    }
    const auto gathered = build_all("circulant", of(Collective::allgather, P, s));
    each_sends(gathered, (P - 1) * s);
    const auto scattered = build_all("circulant", of(Collective::reduce_scatter, P, s));
    each_sends(scattered, (P - 1) * s);
    const auto reduced = build_all("circulant", of(Collective::allreduce, P, P * s));
    each_sends(reduced, 2 * (P - 1) * s);
    // A range that wraps around is two messages, of one round on a wire that takes both at once.
    CHECK(rounds(gathered, 2) <= ceil_log2(P));
    CHECK(rounds(reduced, 2) <= 2 * ceil_log2(P));
  }
}
