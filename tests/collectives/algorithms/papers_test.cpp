// What the papers state of the algorithms that counts_test.cpp does not have: rounds of one and of
// k ports, messages, bytes, scratch. Where the print and the definition differ, the definition
// counts, and it is said.
#include <catch2/catch.hpp>

#include "collectives/algorithms/trees.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

std::vector<int> sizes() {
  std::vector<int> all;
  for (int P = 1; P <= 17; ++P) all.push_back(P);
  all.insert(all.end(), {32, 64, 100});
  return all;
}

constexpr Bytes s = 128;        // a block: whole cache lines, so that scratch is not rounded
constexpr Bytes kSegments = 5;  // of a message that is cut
constexpr Bytes kSegment = 64;

int ceil_log2(int P) { return rounds_to_reach(P, 2); }
int floor_log(int P, int base) {
  return rounds_to_reach(P + 1, base) - (rounds_to_reach(P + 1, base) > 0 ? 1 : 0);
}
int floor_log2(int P) { return floor_log(P, 2); }
bool power_of_two(int P) { return (P & (P - 1)) == 0; }

Problem of(Collective collective, int P, Bytes bytes, Rank root = 0) {
  return {{.collective = collective, .root = root, .bytes = bytes}, P};
}

std::vector<Bytes> received(const std::vector<Schedule>& all) {
  std::vector<Bytes> bytes;
  for (const Schedule& schedule : all) {
    bytes.push_back(0);
    for (const Step& step : schedule.steps)
      bytes.back() += receives(step.kind) ? step.target.length : 0;
  }
  return bytes;
}

Bytes all_bytes(const std::vector<Schedule>& all) {
  return std::accumulate(all.begin(), all.end(), Bytes{0}, [](Bytes sum, const Schedule& schedule) {
    return sum + bytes_sent(schedule);
  });
}

Bytes most_sent(const std::vector<Schedule>& all) {
  Bytes most = 0;
  for (const Schedule& schedule : all) most = std::max(most, bytes_sent(schedule));
  return most;
}

Bytes most_scratch(const std::vector<Schedule>& all) {
  Bytes most = 0;
  for (const Schedule& schedule : all) most = std::max(most, schedule.scratch_bytes);
  return most;
}

// Of the ranks that every rank sends to or hears from: the same for all.
void each_sends(const std::vector<Schedule>& all, Bytes bytes) {
  for (const Schedule& schedule : all) CHECK(bytes_sent(schedule) == bytes);
  for (Bytes got : received(all)) CHECK(got == bytes);
}

}  // namespace

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
        for (const char* name : {"linear", "chain", "binary", "splitting", "binomial", "k-chain"}) {
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
        if (n == 1) CHECK(rounds(build("splitting"), 1) == ceil_log2(P));
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
      CHECK(rounds(build("pipeline"), 1) <= 3 * (P - 1));
      CHECK(rounds(build("full-fan-in"), 1) <= P + 2 * (P - 1));
      CHECK(rounds(build("repeated-binary-tree"), 1) <= P * ceil_log2(P));
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
      // The thesis shifts the result by a buffer of P/2 blocks. Here what is sent on is kept, in
      // whole messages: not more than that, unless the last round sends more blocks than one before
      // it.
      int before_last = 1;
      while (before_last * (k + 1) < P) before_last *= k + 1;
      CHECK(most_scratch(all) < std::max(P, 2) * s);
      if (P - before_last <= before_last / (k + 1)) CHECK(most_scratch(all) <= P * s / 2);
    }
  }
}

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
    CHECK(rounds(build("pipeline"), 1) <= 6 * (P - 1));
    const auto trees = build("repeated-binary-tree");
    CHECK(messages(trees) == 2 * P * (P - 1));
    CHECK(all_bytes(trees) == 2 * P * (P - 1) * s);
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
    const auto linear = build("linear");
    CHECK(rounds(linear, kAnyPorts) == (P == 1 ? 0 : 1));
    CHECK(messages(linear) == P * (P - 1));
    each_sends(linear, (P - 1) * s);
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
                         distance(build_all("splitting", bcast_of(P, s)));
    CHECK(ratio < 0.72);
    CHECK(distance(gathered) < distance(doubling));
  }
}
