// OCC (performance analysis of MPI collectives): the patterns of §4.2 as its text has them.
#include <catch2/catch.hpp>

#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

std::vector<StepId> receives_from(const Schedule& schedule, Rank peer) {
  std::vector<StepId> ids;
  for (StepId id = 0; id < schedule.steps.size(); ++id)
    if (schedule.steps[id].kind == StepKind::recv && schedule.steps[id].peer == peer)
      ids.push_back(id);
  return ids;
}

}  // namespace

// "at step i, the i^th node sends a message to all other nodes. The (i + 1)^th node is able to
// proceed and start sending as soon as it receives the complete message from the i^th node."
TEST_CASE("OCC 4.2: linear alltoall is serial, HPM's is not") {
  constexpr Bytes block = 64, segment = 16;
  for (int P = 2; P <= 9; ++P) {
    for (const Bytes cut : {Bytes{0}, segment}) {
      INFO("P=" << P << " segment=" << cut);
      const Problem problem{{.collective = Collective::alltoall, .bytes = block}, P};
      const auto serial = build_all("linear", problem, {.segment = cut});
      const auto at_once = build_all("at-once", problem, {.segment = cut});
      const int pieces = cut == 0 ? 1 : static_cast<int>(block / segment);
      for (Rank r = 0; r < P; ++r) {
        const Schedule& mine = serial[index(r)];
        CHECK(count(mine, StepKind::send) == (P - 1) * pieces);
        for (StepId id = 0; id < mine.steps.size(); ++id) {
          if (mine.steps[id].kind != StepKind::send) continue;
          INFO("rank " << r << " step " << id);
          if (r == 0) {
            CHECK(mine.steps[id].predecessors == 0);
            continue;
          }
          // "the complete message" of the rank before, and nobody else's
          for (Rank other = 0; other < P; ++other)
            for (const StepId receive : receives_from(mine, other))
              CHECK(waits(mine, id, receive) == (other == r - 1));
        }
        for (const Step& step : at_once[index(r)].steps)
          if (step.kind == StepKind::send) CHECK(step.predecessors == 0);
      }
      CHECK(rounds(serial) == P);
      CHECK(rounds(at_once) == 1);
    }
  }
}
