// Sketches of trees: what their stages send, and which of it crosses nodes.
#include <algorithm>
#include <catch2/catch.hpp>

#include "collectives/selection/choices.hpp"
#include "models/decision/sketches.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;

TEST_CASE("estimates of scatters and gathers send each block from the root once", "[decision]") {
  constexpr Bytes kBlock = 2520;  // so that a mean of up to 7 messages is whole
  for (const char* const text :
       {"scatter=recursive-splitting", "gather=recursive-splitting", "scatter=binomial",
        "scatter=binomial(k=2)", "scatter=binomial(k=3)", "gather=binomial(k=7)"})
    for (const int P : {2, 3, 5, 6, 8, 10, 17, 25, 100}) {
      const Choice choice = parse_choices(text).begin()->second;
      Sketch sketch;
      REQUIRE(draw(sketch, {.P = P, .q = P}, *choice.algorithm, kBlock, choice.parameters));
      double bytes = 0;
      for (const Stage& stage : sketch.stages())
        bytes += std::max(stage.out.both(), stage.in.both()) * static_cast<double>(stage.bytes);
      INFO(text << ", " << P << " ranks");
      CHECK(bytes == static_cast<double>((P - 1) * kBlock));
    }
}

// 18 ranks on 3 nodes: parts of 18, 9, 5 or 4, 3 or 2, 2. A part of 5 ranks is cut 3 ranks away, on
// the same node, one of 4 ranks 2 away. 25 ranks on 5 nodes: the root's first children are the
// ranks 1 and 9.
TEST_CASE("estimates of trees know where their parts begin, if ranks are dealt out in turn",
          "[decision]") {
  const auto stages_of = [](const char* text, int nodes, int each) {
    const Choice choice = parse_choices(text).begin()->second;
    Sketch sketch;
    const models::Topology place{
        .P = nodes * each, .nodes = nodes, .q = each, .in_order = false, .in_turn = true};
    REQUIRE(draw(sketch, place, *choice.algorithm, 8, choice.parameters));
    return sketch.stages();
  };
  const auto halves = stages_of("scatter=recursive-splitting", 3, 6);
  CHECK(std::count_if(halves.begin(), halves.end(),
                      [](const Stage& stage) { return stage.out.far > 0; }) == 4);
  CHECK(stages_of("scatter=binomial(k=2)", 5, 5).front().out.far == 2);
}
