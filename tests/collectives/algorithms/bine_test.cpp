// Bine trees (De Sensi 2025): rounds, messages, bytes, and how far these go.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE(
    "since 2015: bine trees have the rounds and messages of binomial ones, over shorter ways") {
  const auto distance = [](const std::vector<Schedule>& all) {
    long long sum = 0;
    for (const Schedule& schedule : all)
      for (const Step& step : schedule.steps)
        if (step.kind == StepKind::send) {
          const int away = mod(step.peer - schedule.rank, schedule.P);
          sum += std::min(away, schedule.P - away) * step.source.length;
        }
    return static_cast<double>(sum);
  };
  for (int P = 1; P <= 256; P *= 2) {
    INFO("P=" << P);
    for (const Rank root : {0, P / 3}) {
      const auto down = build_all("bine", of(Collective::bcast, P, s, root));
      CHECK(rounds(down, 1) == ceil_log2(P));
      CHECK(messages(down) == P - 1);
      CHECK(rounds(build_all("bine", of(Collective::reduce, P, s, root)), 1) == ceil_log2(P));
    }
    const auto gathered = build_all("bine", of(Collective::allgather, P, s)),
               doubling = build_all("recursive-doubling", allgather_of(P, s));
    each_sends(gathered, (P - 1) * s);
    CHECK(rounds(gathered, 2) == ceil_log2(P));
    each_sends(build_all("bine", of(Collective::reduce_scatter, P, s)), (P - 1) * s);
    const auto exchanged = build_all("bine-doubling", of(Collective::allreduce, P, P * s));
    each_sends(exchanged, ceil_log2(P) * P * s);
    CHECK(rounds(exchanged, 1) == ceil_log2(P));
    each_sends(build_all("bine-halving-doubling", of(Collective::allreduce, P, P * s)),
               2 * (P - 1) * s);
    // "by up to 33 %": the way of a message is two thirds of a binomial tree's, in the limit
    if (P < 16) continue;
    const double ratio = distance(build_all("bine", of(Collective::bcast, P, s))) /
                         distance(build_all("tau-binomial", bcast_of(P, s)));
    CHECK(ratio < 0.72);
    CHECK(distance(gathered) < distance(doubling));
  }
}
