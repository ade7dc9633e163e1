// Broadcasts, and the reduces that mirror them: rounds of one and of k ports, messages, and bytes,
// as the papers have them; who sends to whom in the trees of TAU (the τ-Lop thesis), §4.1, §4.6,
// §5.2.1. Circulant graphs and bine trees have tests of their own.
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

struct Sent {
  Rank from, to;
  friend auto operator<=>(const Sent&, const Sent&) = default;
};

// Messages by stage: a rank sends from the stage after the one in which it was reached.
std::vector<std::vector<Sent>> stages(const std::vector<Schedule>& all, Rank root) {
  const int P = static_cast<int>(all.size());
  std::vector<int> next(all.size(), -1);
  next[index(root)] = 0;
  std::vector<std::vector<Sent>> by_stage;
  for (int reached = 1; reached < P;) {
    REQUIRE(by_stage.size() < all.size());  // each stage reaches somebody
    by_stage.emplace_back();
    for (Rank r = 0; r < P; ++r) {
      int& at = next[index(r)];
      if (at < 0) continue;
      int sends = 0;
      for (const Step& step : all[index(r)].steps)
        if (step.kind == StepKind::send && sends++ == at) by_stage.back().push_back({r, step.peer});
      ++at;
    }
    for (const Sent& sent : by_stage.back()) next[index(sent.to)] = 0, ++reached;
  }
  return by_stage;
}

int across(const std::vector<Schedule>& all, int ranks_per_node) {
  int count = 0;
  for (const Schedule& schedule : all)
    for (const Step& step : schedule.steps)
      if (step.kind == StepKind::send &&
          step.peer / ranks_per_node != schedule.rank / ranks_per_node)
        ++count;
  return count;
}

}  // namespace

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

// "In the first stage of this algorithm, the root sends the message to the process with rank
// root + P/2. The algorithm recursively continues with both processes acting as roots of their
// respective sub-trees with P/2 processes."
TEST_CASE("TAU 4.1: the binomial tree goes to R + P/2 first") {
  for (const int P : {2, 4, 8, 16, 32}) {
    for (const Rank root : {0, 1, P - 1}) {
      INFO("P=" << P << " root " << root);
      const auto found = stages(build_all("tau-binomial", bcast_of(P, 64, root)), root);
      std::vector<std::vector<Sent>> text;
      for (int distance = P / 2; distance >= 1; distance /= 2) {
        text.emplace_back();
        for (int v = 0; v < P; v += 2 * distance)
          text.back().push_back({mod(v + root, P), mod(v + distance + root, P)});
        std::sort(text.back().begin(), text.back().end());
      }
      CHECK(found == text);
    }
  }
}

// Equation 4.1 prints 2^i messages for every stage i; the last one has only those that are left.
TEST_CASE("TAU 4.1: messages of each stage for any P") {
  for (int P = 2; P <= 65; ++P) {
    INFO("P=" << P);
    const auto found = stages(build_all("tau-binomial", bcast_of(P, 64)), 0);
    REQUIRE(static_cast<int>(found.size()) == rounds_to_reach(P, 2));
    for (std::size_t i = 0; i < found.size(); ++i)
      CHECK(static_cast<int>(found[i].size()) == std::min(1 << i, P - (1 << i)));
  }
}

TEST_CASE("TAU 5.2.1: 16 ranks on 4 nodes, 3 messages between nodes where IB's numbering has 8") {
  CHECK(across(build_all("tau-binomial", bcast_of(16, 64)), 4) == 3);
  CHECK(across(build_all("binomial", bcast_of(16, 64)), 4) == 8);
}

// "The height of a tree of degree g of P processes is h(P) = ⌈log_g((g−1)P + 1)⌉. Level i has g^i
// processes." Figure 4.21: 8 processes, degree 2.
TEST_CASE("TAU 4.6: the tree of degree g") {
  const auto figure = build_all("k-ary", bcast_of(8, 64), {.k = 2});
  const std::vector<std::vector<Rank>> children{{1, 2}, {3, 4}, {5, 6}, {7}, {}, {}, {}, {}};
  for (const bool up : {false, true}) {
    for (int g = 1; g <= 5; ++g) {
      for (int P = 1; P <= 40; ++P) {
        for (const Rank root : {0, P / 2, P - 1}) {
          INFO("P=" << P << " g=" << g << " root " << root << " up " << up);
          const Problem problem{{.collective = up ? Collective::reduce : Collective::bcast,
                                 .root = root,
                                 .bytes = 64},
                                P};
          const auto all = build_all("k-ary", problem, {.k = g});
          std::vector<int> level(index(P), -1), in_level;
          level[index(root)] = 0;
          for (int v = 0; v < P; ++v) {  // a parent comes before its children
            const Rank rank = mod(v + root, P);
            const int own = level[index(rank)];
            REQUIRE(own >= 0);
            in_level.resize(std::max(in_level.size(), index(own) + 1));
            ++in_level[index(own)];
            for (const Step& step : all[index(rank)].steps)
              if (is_message(step.kind) && (step.kind == StepKind::send) != up)
                level.at(index(step.peer)) = own + 1;
          }
          int full = 1, height = 0;
          for (int covered = 0; covered < P; full *= g) covered += full, ++height;
          CHECK(static_cast<int>(in_level.size()) == height);
          full = 1;
          for (std::size_t i = 0; i + 1 < in_level.size(); ++i, full *= g)
            CHECK(in_level[i] == full);
        }
      }
    }
  }
  for (std::size_t rank = 0; rank < 8; ++rank) {
    std::vector<Rank> found;
    for (const Step& step : figure[rank].steps)
      if (step.kind == StepKind::send) found.push_back(step.peer);
    CHECK(found == children[rank]);
  }
}
