// Words and files that say which ranks share a node.
#include "tools/mapping.hpp"

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

TEST_CASE("mapping: a line is a node") {
  CHECK(parse_mapping("0-2\n3", 4) == Nodes{0, 0, 0, 1});
  CHECK(parse_mapping("# comment\n\n 3 , 1\r\n0,2 # and more\n", 4) == Nodes{1, 0, 1, 0});
  CHECK_THROWS_WITH(parse_mapping("0 1 0", 2), Catch::Contains("rank 0 is named in line 1"));
  CHECK_THROWS_WITH(parse_mapping("0-2", 2), Catch::Contains("no rank 2 among 2"));
  CHECK_THROWS_WITH(parse_mapping("1", 2), Catch::Contains("rank 0 is on no node"));
  CHECK_THROWS_WITH(parse_mapping("0-99999999999999999999", 2), Catch::Contains("is no rank"));
  CHECK_THROWS_WITH(parse_mapping("0--1", 2), Catch::Contains("is no rank"));
  CHECK_THROWS_WITH(parse_mapping("0-9223372036854775807", 2), Catch::Contains("there is no rank"));
}
