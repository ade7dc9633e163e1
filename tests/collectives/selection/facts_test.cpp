// Facts that a choice depends on, found from lists.
#include "collectives/selection/facts.hpp"

#include <catch2/catch.hpp>
#include <vector>

using tutti::collectives::are_in_turn;
using tutti::collectives::Facts;
using tutti::collectives::facts_of_nodes;

TEST_CASE("facts: ranks that are dealt out to the nodes in turn", "[facts]") {
  const auto in_turn = [](const std::vector<int>& node, int nodes) {
    return are_in_turn(node, nodes);
  };
  CHECK(in_turn({0, 1, 0, 1}, 2));
  CHECK(in_turn({0, 1, 2, 0, 1}, 3));  // the last node has fewer
  CHECK(in_turn({1, 0, 1, 0}, 2));     // by any number of the nodes
  CHECK_FALSE(in_turn({0, 0, 1, 1}, 2));
  CHECK_FALSE(in_turn({0, 1, 1, 0}, 2));
  CHECK_FALSE(in_turn({0, 1, 0, 1, 1}, 2));
  // Ranks in order, too: one node, and one rank on each node.
  CHECK_FALSE(in_turn({0, 0, 0}, 1));
  CHECK_FALSE(in_turn({0, 1, 2}, 3));
}

TEST_CASE("facts: where ranks are", "[facts]") {
  const auto facts = [](const std::vector<int>& node) { return facts_of_nodes(node); };
  CHECK(facts({0, 0, 0}) == Facts{.P = 3, .nodes = 1, .max_ranks_per_node = 3});
  CHECK(facts({0, 1}) == Facts{.P = 2, .nodes = 2, .max_ranks_per_node = 1});
  CHECK(facts({1, 1, 0}) == Facts{.P = 3, .nodes = 2, .max_ranks_per_node = 2});
  CHECK(facts({0, 1, 0}) ==
        Facts{.P = 3, .nodes = 2, .max_ranks_per_node = 2, .in_order = false, .in_turn = true});
  CHECK(facts({0, 1, 1, 0}) ==
        Facts{.P = 4, .nodes = 2, .max_ranks_per_node = 2, .in_order = false});
}
