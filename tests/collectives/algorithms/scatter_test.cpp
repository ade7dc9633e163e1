// Scatters and gathers: rounds of one and of k ports, messages, bytes, and scratch, as the papers
// have them; and the scatter that is best under LogGP (IB §5.1.3), compared with all there are.
#include <numeric>
#include <random>

#include "collectives/schedule/blocks.hpp"
#include "tests/collectives/algorithms/counts.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

namespace {

double sending(std::span<const Bytes> blocks, const LogGP& times) {
  const Bytes bytes = std::accumulate(blocks.begin(), blocks.end(), Bytes{0});
  return std::max(0., static_cast<double>(bytes) - 1) * times.G;
}

// The shortest time of all ways to hand the blocks on, each tried.
double shortest(std::span<const Bytes> blocks, const LogGP& times) {
  double best = blocks.size() == 1 ? 0 : 1e300;
  for (std::size_t kept = 1; kept < blocks.size(); ++kept) {
    const auto rest = blocks.first(kept), part = blocks.subspan(kept);
    best = std::min(best, sending(part, times) + std::max(times.L + shortest(part, times),
                                                          times.g + shortest(rest, times)));
  }
  return best;
}

// When all ranks of the subtree have their blocks; `blocks` by virtual rank.
double time_of(int P, Rank rank, Rank root, std::span<const Bytes> blocks, const LogGP& times,
               std::span<const Bytes> by_rank) {
  const Tree tree = loggp(P, rank, root, by_rank, times);
  double now = 0, last = 0;
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const auto [first, count] = tree.subtrees[i];
    now += sending(blocks.subspan(index(first), index(count)), times);
    last =
        std::max(last, now + times.L + time_of(P, tree.children[i], root, blocks, times, by_rank));
    now += times.g;
  }
  // As t of the formula has it: a gap after the last message, too.
  return tree.children.empty() ? 0 : std::max(last, now);
}

const LogGP machines[] = {kUsualTimes,
                          {.L = 1, .g = 1, .G = 0},
                          {.L = 50, .g = 1, .G = 0.01},
                          {.L = 1, .g = 5, .G = 0.5},
                          {.L = 0, .g = 0, .G = 1},
                          {.L = 33, .g = 4.841, .G = 0.0092}};

}  // namespace

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

TEST_CASE("LogGP: no tree is faster, for blocks of one length and for real ones") {
  std::mt19937 random{1};
  for (int P = 1; P <= 9; ++P) {
    for (const LogGP& times : machines) {
      for (int form = 0; form < 12; ++form) {
        std::vector<Bytes> by_rank(index(P), form * form * 40);
        if (form >= 4)
          for (Bytes& bytes : by_rank) bytes = random() % 3 == 0 ? 0 : random() % (1U << form);
        const Rank root = form % P;
        std::vector<Bytes> blocks;
        blocks.reserve(by_rank.size());
        for (int v = 0; v < P; ++v) blocks.push_back(by_rank[index(mod(v + root, P))]);
        INFO("P=" << P << " form " << form << " L=" << times.L << " g=" << times.g
                  << " G=" << times.G);
        CHECK(time_of(P, root, root, blocks, times, by_rank) == Approx(shortest(blocks, times)));
        if (form >= 4) continue;
        const std::vector<Bytes> one(1, by_rank.front());
        CHECK(time_of(P, root, root, blocks, times, one) == Approx(shortest(blocks, times)));
      }
    }
  }
}

// Blocks of one length may be said once or one by one; the tree is the same.
TEST_CASE("LogGP: one length, said once or for each rank") {
  for (const int P : {1, 2, 7, 16, 33, 100}) {
    for (const Bytes bytes : {0, 1, 64, 5000}) {
      const std::vector<Bytes> each(index(P), bytes);
      for (Rank rank = 0; rank < P; ++rank) {
        const Tree once = loggp(P, rank, 1 % P, std::span{&bytes, 1}),
                   one_by_one = loggp(P, rank, 1 % P, each);
        CHECK(once.children == one_by_one.children);
        CHECK(once.subtrees == one_by_one.subtrees);
      }
    }
  }
}

// The path to the last rank takes as long as t of the formula, and the root serves all children.
TEST_CASE("LogGP: the path of the best tree") {
  for (const LogGP& times : machines) {
    for (const int P : {1, 2, 3, 9}) {
      for (const Bytes bytes : {1, 64, 5000}) {
        const LogGPPath path = loggp_path(P, bytes, times);
        const Tree root = loggp(P, 0, 0, std::span{&bytes, 1}, times);
        CHECK(index(path.children) == root.children.size());
        CHECK((P == 1 || path.largest == root.subtrees.front().count));
        double time = 0;
        for (const auto& [messages, blocks, distance] : path.hops)
          time += (messages - 1) * times.g + times.L +
                  static_cast<double>(blocks * bytes - messages) * times.G;
        // With a gap after the last message, t may be longer than any way.
        const std::vector<Bytes> blocks(index(P), bytes);
        INFO("P=" << P << " bytes=" << bytes << " L=" << times.L << " g=" << times.g);
        if (times.g <= times.L) CHECK(time == Approx(shortest(blocks, times)));
      }
    }
  }
}

// "The algorithm has the most effect for big communicator sizes and small item sizes": with dear
// latency the root sends to all, with dear gaps it halves.
TEST_CASE("LogGP: the machine shapes the tree") {
  const Bytes none = 0;
  const auto children = [&](const LogGP& times) {
    return loggp(16, 0, 0, std::span{&none, 1}, times).children.size();
  };
  CHECK(children({.L = 100, .g = 1, .G = 0}) == 15);
  CHECK(children({.L = 1, .g = 1, .G = 0}) == 4);
  CHECK(children({.L = 2, .g = 1, .G = 0}) > 4);
}
