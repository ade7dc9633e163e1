// What the papers state about algorithms that counts_test.cpp does not have: rounds of one and of
// k ports, messages, bytes, scratch. Where the print and the definition differ, the definition
// counts, and it is said.
// Here: allreduces and scans, and what holds for several collectives.
#include "tests/collectives/algorithms/papers.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("papers: allreduces") {
  for (int P : sizes()) {
    INFO("P=" << P);
    const Bytes m = P * s;
    const auto build = [&](const char* name, Parameters parameters = {}) {
      return build_all(name, of(Collective::allreduce, P, m), parameters);
    };
    for (int k = 1; k <= 4; ++k) {
      INFO("k=" << k);
      const auto multiplying = build("recursive-doubling", {k, 0});
      const int turns = floor_log(P, k + 1);
      if (rounds_to_reach(P, k + 1) == turns) {  // a power of k + 1
        CHECK(rounds(multiplying, k) == turns);
        CHECK(messages(multiplying) == P * k * turns);
        each_sends(multiplying, k * turns * m);
      } else {
        CHECK(rounds(multiplying, kAnyPorts) > turns);
        CHECK(rounds(multiplying, kAnyPorts) <= turns + 2);
      }
      const auto tree = build("reduce-bcast", {k, 0});
      CHECK(rounds(tree, k) == 2 * rounds_to_reach(P, k + 1));
      CHECK(messages(tree) == 2 * (P - 1));
      CHECK(all_bytes(tree) == 2 * (P - 1) * m);
    }
    const auto flat = build("reduce-bcast-linear");
    CHECK(rounds(flat, kAnyPorts) == (P == 1 ? 0 : 2));
    CHECK(rounds(flat, 1) == 2 * (P - 1));
    CHECK(messages(flat) == 2 * (P - 1));
    const auto chain = build("chain");
    CHECK(rounds(chain, 1) == 2 * (P - 1));
    CHECK(messages(chain) == 2 * (P - 1));

    if (power_of_two(P)) {
      const auto halving = build("halving-doubling");
      CHECK(rounds(halving, 1) == 2 * ceil_log2(P));
      CHECK(messages(halving) == 2 * P * ceil_log2(P));
      each_sends(halving, 2 * (P - 1) * s);
    }
    const auto ring = build("ring");
    CHECK(rounds(ring, 1) == 2 * (P - 1));
    CHECK(messages(ring) == 2 * P * (P - 1));
    each_sends(ring, 2 * (P - 1) * s);
    const auto at_once = build("full-fan-out");
    CHECK(rounds(at_once, kAnyPorts) == (P == 1 ? 0 : 2));
    CHECK(messages(at_once) == 2 * P * (P - 1));
    each_sends(at_once, 2 * (P - 1) * s);
    each_sends(build("full-fan-in"), 2 * (P - 1) * s);
    each_sends(build("pipeline"), 2 * (P - 1) * s);
    const auto trees = build("repeated-binary-tree");
    CHECK(messages(trees) == 2 * P * (P - 1));
    CHECK(all_bytes(trees) == 2 * P * (P - 1) * s);
  }
}

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
    // What runs across the end is two messages, of one round on a wire that takes both at once.
    CHECK(rounds(gathered, 2) <= ceil_log2(P));
    CHECK(rounds(reduced, 2) <= 2 * ceil_log2(P));
  }
}

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
