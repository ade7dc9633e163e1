// The node of each rank.
#include "models/simulation/layout.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using tutti::models::Layout;
using tutti::models::nodes_of;
using tutti::models::sockets_of;
using NodeOfRank = std::vector<int>;

TEST_CASE("ranks are placed by blocks and in turn, on a last node that is not full, too") {
  CHECK(nodes_of(Layout::blocks, 5, 2) == NodeOfRank{0, 0, 1, 1, 2});
  CHECK(nodes_of(Layout::in_turn, 5, 2) == NodeOfRank{0, 1, 2, 0, 1});
  CHECK(nodes_of(Layout::blocks, 3, 4) == NodeOfRank{0, 0, 0});
}

TEST_CASE("ranks that are shuffled are as many on each node, and the same each time") {
  NodeOfRank shuffled = nodes_of(Layout::shuffled, 24, 4),
             in_turn = nodes_of(Layout::in_turn, 24, 4);
  CHECK(shuffled == nodes_of(Layout::shuffled, 24, 4));
  CHECK(shuffled != in_turn);
  CHECK(shuffled != nodes_of(Layout::blocks, 24, 4));
  CHECK(shuffled == nodes_of(Layout::shuffled, 24, 4, 1));
  CHECK(shuffled != nodes_of(Layout::shuffled, 24, 4, 2));
  std::ranges::sort(shuffled);
  std::ranges::sort(in_turn);
  CHECK(shuffled == in_turn);
}

TEST_CASE("the ranks of a node lie on its sockets one after the other, as many on each") {
  CHECK(sockets_of(NodeOfRank{0, 0, 0, 0}, 2) == NodeOfRank{0, 0, 1, 1});
  CHECK(sockets_of(NodeOfRank{0, 1, 0, 1, 0, 1}, 3) == NodeOfRank{0, 0, 1, 1, 2, 2});
  CHECK(sockets_of(NodeOfRank{0, 0, 0}, 2) == NodeOfRank{0, 0, 1});
  CHECK(sockets_of(NodeOfRank{0, 0}, 8) == NodeOfRank{0, 4});
  CHECK(sockets_of(NodeOfRank{0, 0}, 1).empty());
  CHECK(sockets_of(NodeOfRank{}, 2).empty());
}
