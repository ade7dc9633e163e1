// Words and files that say which ranks share a node.
#include "tools/mapping.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tutti;
using namespace tutti::tools;

using Nodes = std::vector<int>;

TEST_CASE("mapping: blocks and in turn, where the last node has fewer ranks") {
  CHECK(nodes_by_mapping("blocks", 7, 3) == Nodes{0, 0, 0, 1, 1, 1, 2});
  CHECK(nodes_by_mapping("in-turn", 7, 3) == Nodes{0, 1, 2, 0, 1, 2, 0});
  for (const char* const words : {"blocks", "in-turn"}) {
    CHECK(nodes_by_mapping(words, 1, 1 << 20) == Nodes{0});
    CHECK(nodes_by_mapping(words, 3, 1) == Nodes{0, 1, 2});
    CHECK(nodes_by_mapping(words, 3, 1 << 20) == Nodes{0, 0, 0});
  }
}

TEST_CASE("mapping: shuffled by a seed, as many on each node as in turn") {
  const Nodes usual = nodes_by_mapping("shuffled", 7, 3);
  CHECK(usual == nodes_by_mapping("shuffled:1", 7, 3));
  CHECK(nodes_by_mapping("shuffled:2", 70, 3) != nodes_by_mapping("shuffled:3", 70, 3));
  Nodes sorted = usual;
  std::ranges::sort(sorted);
  CHECK(sorted == Nodes{0, 0, 0, 1, 1, 2, 2});
  CHECK(usual != nodes_by_mapping("in-turn", 7, 3));
  CHECK(nodes_by_mapping("shuffled", 3, 1 << 20) == Nodes{0, 0, 0});
  for (const char* const wrong : {"shuffled:", "shuffled:-1", "shuffled:x", "shuffled:1.5"})
    CHECK_THROWS_WITH(named_mapping(wrong), Catch::Contains("the seed is a number from 0 on"));
  for (const char* const words : {"blocks", "in-turn", "shuffled", "shuffled:7"}) {
    CHECK(to_string(*named_mapping(words)) == words);
    CHECK_FALSE(is_mapping_file(words));
  }
  CHECK(is_mapping_file("shuffle"));
}

TEST_CASE("mapping: a line is a node") {
  CHECK(parse_mapping("0-2\n3", 4) == Nodes{0, 0, 0, 1});
  CHECK(parse_mapping("# comment\n\n 3 , 1\r\n0,2 # and more\n", 4) == Nodes{1, 0, 1, 0});
  CHECK_THROWS_WITH(parse_mapping("0 1 0", 2), Catch::Contains("line 1: rank 0 is named twice"));
  CHECK_THROWS_WITH(parse_mapping("0-2", 2), Catch::Contains("no rank 2 among 2"));
  CHECK_THROWS_WITH(parse_mapping("1", 2), Catch::Contains("rank 0 is on no node"));
  CHECK_THROWS_WITH(parse_mapping("0-99999999999999999999", 2),
                    Catch::Contains("is neither a rank"));
  CHECK_THROWS_WITH(parse_mapping("0--1", 2), Catch::Contains("is neither a rank"));
  CHECK_THROWS_WITH(parse_mapping("0-9223372036854775807", 2), Catch::Contains("there is no rank"));
}
