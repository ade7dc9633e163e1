// Dependencies that the builder infers: which step waits for which.
#include "collectives/schedule/builder.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "collectives/schedule/cursor.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

bool edge(const Schedule& schedule, StepId before, StepId after) {
  const auto next = schedule.successors_of(before);
  return std::find(next.begin(), next.end(), after) != next.end();
}

}  // namespace

TEST_CASE("steps wait for each other where bytes demand it, and nowhere else") {
  Builder s{4, 0, {.input = 8, .output = 32}};
  const Blocks block = Blocks::even({Buffer::output, 0, 32}, 4);
  s.recv(1, block[0]);           // 0
  s.send(2, block[0]);           // 1 read after write
  s.send(3, block[0]);           // 2 read after write
  s.recv(1, block.range(0, 2));  // 3 write after both reads
  s.copy(s.input(), block[1]);   // 4 write after write
  s.send(2, block[3]);           // 5 free
  const Schedule schedule = s.finish();
  REQUIRE(schedule.steps.size() == 6);
  CHECK(edge(schedule, 0, 1));
  CHECK(edge(schedule, 0, 2));
  CHECK(edge(schedule, 1, 3));
  CHECK(edge(schedule, 2, 3));
  CHECK(edge(schedule, 3, 4));
  CHECK(schedule.steps[5].predecessors == 0);
  CHECK(schedule.successors.size() == 5);
  CHECK(schedule.steps[1].ordinal == 0);
  CHECK(schedule.steps[5].ordinal == 1);
  CHECK(schedule.steps[3].ordinal == 1);
}

TEST_CASE("overlaps of parts of slices are seen") {
  Builder s{2, 0, {.output = 100}};
  s.recv(1, {Buffer::output, 0, 60});   // 0
  s.recv(1, {Buffer::output, 60, 40});  // 1
  s.send(1, {Buffer::output, 50, 10});  // 2: only the first
  s.send(1, {Buffer::output, 59, 2});   // 3: both
  s.recv(1, {Buffer::output, 55, 1});   // 4: after 2
  const Schedule schedule = s.finish();
  CHECK(schedule.steps[2].predecessors == 1);
  CHECK(edge(schedule, 0, 2));
  CHECK(schedule.steps[3].predecessors == 2);
  CHECK(schedule.steps[4].predecessors == 1);
  CHECK(edge(schedule, 2, 4));
}

TEST_CASE("a range with many writers is gathered by one join") {
  constexpr int n = 200;
  Builder s{n + 1, n, {.output = n}};
  for (int i = 0; i < n; ++i) s.recv(i, {Buffer::output, i, 1});
  for (int i = 0; i < n; ++i) s.send(i, s.output());
  s.recv(0, s.output());
  const Schedule schedule = s.finish();
  CHECK(schedule.steps.size() == 2 * n + 2);
  CHECK(schedule.successors.size() == 3 * n);
  CHECK(schedule.steps.back().predecessors == n);
}

TEST_CASE("round() orders without data, with edges that stay linear") {
  for (int n : {1, 3, 16, 17, 500}) {
    Builder s{n + 1, n};
    for (int i = 0; i < n; ++i) s.await(i);
    s.round();
    s.round();
    for (int i = 0; i < n; ++i) s.signal(i);
    const Schedule schedule = s.finish();
    CHECK(schedule.successors.size() == index(n < 17 ? n * n : 2 * n));
    Cursor cursor{schedule};
    CHECK(cursor.ready().size() == index(n));
  }
}

TEST_CASE("of a part whose empty messages are left out the order remains") {
  constexpr int kRounds = 100;
  Builder part{3, 0, {.input = 2}};
  part.send(1, {Buffer::input, 0, 1});
  for (int i = 0; i < kRounds; ++i) {
    part.round();
    part.signal(1);
    part.await(2);
  }
  part.round();
  part.send(1, {Buffer::input, 1, 1});
  Builder s{3, 0, {.input = 2}};
  s.play(part.finish(), s.input(), {}, {}, Builder::Empty::left_out);
  const Schedule schedule = s.finish();
  REQUIRE(schedule.steps.size() == 2);
  CHECK(schedule.successors.size() == 1);
  CHECK(edge(schedule, 0, 1));
}

TEST_CASE("a part's send to a rank outside of it has no peer in the whole schedule") {
  Builder part{2, 0, {.input = 8, .output = 8}};
  for (const Rank peer : {1, 2, -1, 1 << 30}) part.send(peer, part.input());
  Builder s{6, 3, {.input = 8, .output = 8}};
  const Rank ranks[] = {3, 5};
  s.play(part.finish(), s.input(), s.output(), ranks);
  std::vector<Rank> peers;
  for (const Step& step : s.finish().steps) peers.push_back(step.peer);
  CHECK(peers == std::vector<Rank>{5, kNoPeer, kNoPeer, kNoPeer});
}

TEST_CASE("in place, the input is the output's own block, and its copy vanishes") {
  Builder s{4, 2, {.input = 8, .output = 32, .in_place = true, .input_within_output = 16}};
  s.send(1, s.input());
  s.copy(s.input(), {Buffer::output, 16, 8});
  s.recv(1, {Buffer::output, 20, 1});
  const Schedule schedule = s.finish();
  REQUIRE(schedule.steps.size() == 2);
  CHECK(schedule.steps[0].source == Slice{Buffer::output, 16, 8});
  CHECK(edge(schedule, 0, 1));
  CHECK(schedule.input_bytes == 0);
}
