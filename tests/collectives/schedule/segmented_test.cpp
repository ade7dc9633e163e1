// Schedules cut into segments.
#include "collectives/schedule/segmented.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>

#include "base/error.hpp"
#include "collectives/schedule/builder.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

TEST_CASE("a chain becomes a pipeline: a segment is sent on when it is there") {
  const Schedule middle = build_all("chain", bcast_of(3, 100), {1, 30})[1];
  REQUIRE(middle.steps.size() == 8);
  for (StepId id = 0; id < 8; ++id) {
    const Step& step = middle.steps[id];
    CHECK(length_of(step) == (step.ordinal == 3 ? 10 : 30));
    CHECK(step.predecessors == (step.kind == StepKind::send ? 1U : 0U));
  }
  CHECK(rounds(build_all("chain", bcast_of(5, 100), {1, 30})) == 4);
}

TEST_CASE("the root of a tree feeds its children segment by segment") {
  const Schedule root = build_all("linear", bcast_of(4, 100), {1, 50})[0];
  std::vector<Bytes> offsets;
  for (const Step& step : root.steps) offsets.push_back(step.source.offset);
  CHECK(offsets == std::vector<Bytes>{0, 0, 0, 50, 50, 50});
}

TEST_CASE("what is short enough stays the same schedule") {
  for (Bytes segment : {0, 100, 101}) {
    CHECK(build_all("chain", bcast_of(3, 100), {1, segment})[1].digest() ==
          build_all("chain", bcast_of(3, 100))[1].digest());
  }
  CHECK(build_all("chain", bcast_of(3, 100), {1, 99})[1].digest() !=
        build_all("chain", bcast_of(3, 100))[1].digest());
}

TEST_CASE("order without data survives the cut: all pieces before, all pieces after") {
  Builder s{2, 0, {.output = 8}};
  s.recv(1, {Buffer::output, 0, 4});
  s.round();
  s.send(1, {Buffer::output, 4, 4});
  const Schedule cut = segmented(s.finish(), 2);
  REQUIRE(cut.steps.size() == 4);
  CHECK(cut.successors.size() == 4);
}

TEST_CASE("a segment waits for all those that it meets, wherever it begins") {
  Builder s{3, 1, {.output = 100}};
  s.recv(0, {Buffer::output, 0, 100});
  s.send(2, {Buffer::output, 10, 90});
  const Schedule cut = segmented(s.finish(), 30);
  REQUIRE(cut.steps.size() == 7);
  for (const Step& step : cut.steps) CHECK(step.predecessors == (receives(step.kind) ? 0 : 2));
}

TEST_CASE("thousands of segments are cheap") {
  const auto all = build_all("binomial", bcast_of(4, 16 << 20), {2, 4096});
  CHECK(messages(all) == 3 * 4096);
  CHECK(verify(all, bcast_of(4, 16 << 20)).ok());
}

TEST_CASE("segments that would make millions of steps are refused") {
  for (const char* name : {"chain", "circulant"}) {
    const auto build = [&](Bytes segment) {
      try {
        build_all(name, bcast_of(3, Bytes{1} << 40), {.segment = segment});
      } catch (const Error& error) {
        return error.code;
      }
      return Code::success;
    };
    CHECK(build(1) == Code::algorithm_not_applicable);
    CHECK(build(Bytes{1} << 18) == Code::algorithm_not_applicable);
    CHECK(build(Bytes{1} << 27) == Code::success);
  }
}

TEST_CASE("steps that wait for each other in a circle are refused") {
  Schedule circle = build_all("chain", bcast_of(3, 100))[1];
  REQUIRE(circle.steps.size() == 2);
  link(circle, std::vector<Edge>{{1, 0}, {0, 1}});
  CHECK_THROWS_AS(segmented(circle, 30), std::logic_error);
}
