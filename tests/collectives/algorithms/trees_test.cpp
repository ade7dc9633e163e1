// The trees, compared with their definitions.
#include "collectives/algorithms/trees.hpp"

#include <catch2/catch.hpp>

#include "collectives/schedule/builder.hpp"
#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("n-way binomial tree: the worked case of the thesis, figure 5.5 (P = 9, k = 2)") {
  const Tree root = binomial(9, 0, 0, 2);
  CHECK_FALSE(root.parent);
  CHECK(root.children == std::vector<Rank>{1, 4, 7, 8});
  CHECK(root.subtrees == std::vector<Range>{{1, 3}, {4, 3}, {7, 1}, {8, 1}});
  CHECK(root.rounds == std::vector<int>{0, 0, 1, 1});
  for (Rank holder : {1, 4}) {
    const Tree tree = binomial(9, holder, 0, 2);
    CHECK(tree.parent == 0);
    CHECK(tree.round == 0);
    CHECK(tree.own == Range{holder, 3});
    CHECK(tree.children == std::vector<Rank>{holder + 1, holder + 2});
    CHECK(tree.rounds == std::vector<int>{1, 1});
    for (Rank leaf : tree.children) CHECK(binomial(9, leaf, 0, 2).parent == holder);
  }
  CHECK(binomial(9, 8, 0, 2).parent == 0);
}

TEST_CASE("k = 1 is the binomial tree") {
  const Tree root = binomial(8, 0, 0);
  CHECK(root.children == std::vector<Rank>{1, 5, 7});
  CHECK(root.subtrees == std::vector<Range>{{1, 4}, {5, 2}, {7, 1}});
}

namespace {

// Is it a tree, each subtree of which is a contiguous range of virtual ranks?
template <class Make>
void check_tree(int P, Rank root, Make make) {
  std::vector<Tree> trees;
  for (Rank rank = 0; rank < P; ++rank) trees.push_back(make(rank));
  const auto at = [&](Rank rank) -> const Tree& { return trees[index(rank)]; };
  int edges = 0;
  REQUIRE_FALSE(at(root).parent);
  for (Rank rank = 0; rank < P; ++rank) {
    const Tree& tree = at(rank);
    REQUIRE(tree.parent.has_value() == (rank != root));
    REQUIRE(tree.own.first == mod(rank - root, P));
    int below = 1, last_round = -1;
    for (std::size_t i = 0; i < tree.children.size(); ++i, ++edges) {
      const Tree& child = at(tree.children[i]);
      REQUIRE(child.parent == rank);
      REQUIRE(child.own == tree.subtrees[i]);
      REQUIRE(child.round == tree.rounds[i]);
      REQUIRE(child.round > tree.round);
      REQUIRE(child.round >= last_round);
      last_round = child.round;
      below += child.own.count;
      REQUIRE(child.own.first > tree.own.first);
      REQUIRE(child.own.first + child.own.count <= tree.own.first + tree.own.count);
      if (i > 0) REQUIRE(tree.subtrees[i].count <= tree.subtrees[i - 1].count);
    }
    REQUIRE(below == tree.own.count);
  }
  REQUIRE(edges == P - 1);
}

}  // namespace

TEST_CASE("every tree is one, over contiguous ranges, for every P and root") {
  for (int P = 1; P <= tests::unless_sanitized(33, 9); ++P) {
    for (Rank root = 0; root < P; ++root) {
      check_tree(P, root, [&](Rank rank) { return flat(P, rank, root); });
      check_tree(P, root, [&](Rank rank) { return chain(P, rank, root); });
      for (int k = 1; k <= 5; ++k)
        check_tree(P, root, [&](Rank rank) { return binomial(P, rank, root, k); });
    }
  }
}

TEST_CASE("n-way binomial tree: ceil(log_{k+1} P) rounds, parts of a round differ by at most one") {
  for (int k = 1; k <= 5; ++k) {
    for (int P : {1, 2, 3, 4, 5, 8, 9, 10, 16, 17, 27, 28, 31, 100, 625, 626}) {
      if (P > tests::unless_sanitized(626, 31)) break;
      int last_round = -1;
      for (Rank rank = 0; rank < P; ++rank) {
        const Tree tree = binomial(P, rank, 0, k);
        last_round = std::max(last_round, tree.round);
        for (std::size_t i = 1; i < tree.children.size(); ++i) {
          if (tree.rounds[i] == tree.rounds[i - 1])
            CHECK(tree.subtrees[i - 1].count - tree.subtrees[i].count <= 1);
        }
      }
      CHECK(last_round + 1 == rounds_to_reach(P, k + 1));
    }
  }
  CHECK(rounds_to_reach(1, 2) == 0);
  CHECK(rounds_to_reach(9, 3) == 2);
  CHECK(rounds_to_reach(10, 3) == 3);
}
