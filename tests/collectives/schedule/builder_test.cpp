// What the builder infers, how the cursor walks, what the digest tells apart.
#include "collectives/schedule/builder.hpp"

#include <catch2/catch.hpp>

#include "collectives/schedule/cursor.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

bool edge(const Schedule& schedule, StepId before, StepId after) {
  const auto next = schedule.successors_of(before);
  return std::find(next.begin(), next.end(), after) != next.end();
}

std::vector<StepId> ids(std::span<const StepId> span) { return {span.begin(), span.end()}; }
using Ids = std::vector<StepId>;

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
    CHECK(schedule.successors.size() == static_cast<std::size_t>(n < 17 ? n * n : 2 * n));
    Cursor cursor{schedule};
    CHECK(cursor.ready().size() == static_cast<std::size_t>(n));
  }
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

TEST_CASE("split makes nearly equal parts, indexed modulo their number") {
  const Blocks part = Blocks::even({Buffer::output, 0, 11}, 4);
  CHECK(part[0] == Slice{Buffer::output, 0, 3});
  CHECK(part[-1] == Slice{Buffer::output, 9, 2});
  CHECK(part[6] == part[2]);
  CHECK(part.range(5, 3) == Slice{Buffer::output, 3, 8});
  CHECK(part.wraps(3, 2));
  CHECK_FALSE(part.wraps(3, 1));
}

TEST_CASE("the cursor shows what is ready, in order, and again after reset") {
  Builder s{8, 0, {.output = 8}};
  s.recv(1, {Buffer::output, 0, 4});  // 0
  s.recv(2, {Buffer::output, 4, 4});  // 1
  s.send(3, {Buffer::output, 0, 4});  // 2 after 0
  s.send(4, s.output());              // 3 after both
  s.send(5, {Buffer::output, 0, 4});  // 4 after 0
  const Schedule schedule = s.finish();
  Cursor cursor{schedule};
  for (int repeat = 0; repeat < 2; ++repeat) {
    CHECK(ids(cursor.ready()) == Ids{0, 1});
    cursor.take(1);
    CHECK(ids(cursor.ready()) == Ids{0});
    const auto taken = cursor.ready();
    cursor.take_all();
    CHECK(cursor.ready().empty());
    CHECK(ids(taken) == Ids{0});
    cursor.done(0);
    CHECK(ids(cursor.ready()) == Ids{2, 4});
    cursor.done(1);
    CHECK(ids(cursor.ready()) == Ids{2, 4, 3});
    cursor.take(4);
    CHECK(ids(cursor.ready()) == Ids{2, 3});
    cursor.take_all();
    for (StepId id : {2U, 3U, 4U}) {
      CHECK_FALSE(cursor.finished());
      cursor.done(id);
    }
    CHECK(cursor.finished());
    cursor.reset();
    CHECK_FALSE(cursor.finished());
  }
  const Schedule nothing = Builder{1, 0}.finish();
  CHECK(Cursor{nothing}.finished());
}

TEST_CASE("a digest is equal for equal schedules and for no others") {
  const auto one = [](Bytes bytes, Rank peer, bool in_place) {
    Builder s{4, 0, {.input = bytes, .output = 4 * bytes, .in_place = in_place}};
    s.send(peer, s.input());
    return s.finish().digest();
  };
  CHECK(one(8, 1, false) == one(8, 1, false));
  CHECK(one(8, 1, false) != one(9, 1, false));
  CHECK(one(8, 1, false) != one(8, 2, false));
  CHECK(one(8, 1, false) != one(8, 1, true));

  std::vector<std::uint64_t> digests;
  for (const Algorithm& algorithm : algorithms()) {
    // Some others differ in nothing for few ranks: a chain is a k-chain of one.
    if (algorithm.collective != Collective::allgather) continue;
    for (int P : {3, 5, 16}) {
      if (why_not(algorithm, {{.collective = algorithm.collective, .bytes = 24}, P}, {2, 0}))
        continue;
      for (const Schedule& schedule : test::build_all(
               algorithm.name, {{.collective = algorithm.collective, .bytes = 24}, P}, {2, 0})) {
        digests.push_back(schedule.digest());
      }
    }
  }
  // Only leaves may be alike: below the root of a flat tree and of gather-bcast over it.
  std::sort(digests.begin(), digests.end());
  const auto distinct = std::unique(digests.begin(), digests.end()) - digests.begin();
  CHECK(static_cast<double>(distinct) > 0.6 * static_cast<double>(digests.size()));
}
