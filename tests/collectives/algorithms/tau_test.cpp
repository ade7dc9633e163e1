// TAU (the τ-Lop thesis): its binomial tree, §4.1 and §5.2.1.
#include <catch2/catch.hpp>

#include "collectives/algorithms/trees.hpp"
#include "tests/collectives/algorithms/pattern.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

struct Sent {
  Rank from, to;
  friend auto operator<=>(const Sent&, const Sent&) = default;
};

// Who sends in which stage: a rank sends from the stage after the one in which it was reached.
std::vector<std::vector<Sent>> stages(const std::vector<Schedule>& all, Rank root) {
  const int P = static_cast<int>(all.size());
  std::vector<int> next(all.size(), -1);
  next[index(root)] = 0;
  std::vector<std::vector<Sent>> by_stage;
  for (int reached = 1; reached < P;) {
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
                level[index(step.peer)] = own + 1;
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
