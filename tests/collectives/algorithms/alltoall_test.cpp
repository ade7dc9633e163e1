// All-to-alls: rounds of one and of k ports, messages, bytes, and scratch, as the papers have them;
// and which sends wait in OCC (performance analysis of MPI collectives), §4.2.
#include "tests/collectives/algorithms/counts.hpp"
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

TEST_CASE("scratch does not grow with the rounds") {
  for (int P = 1; P <= tests::unless_sanitized(100, 17); ++P) {
    INFO("P=" << P);
    CHECK(most_scratch(build_all("bruck", {{.collective = Collective::alltoall, .bytes = s}, P})) <=
          2 * P * s);
    CHECK(most_scratch(build_all("recursive-doubling",
                                 {{.collective = Collective::exscan, .bytes = s}, P})) <= 4 * s);
  }
}
