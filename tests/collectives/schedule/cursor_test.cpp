// One rank's place in a schedule.
#include "collectives/schedule/cursor.hpp"

#include <catch2/catch.hpp>

#include "collectives/schedule/builder.hpp"
#include "tests/collectives/ranks.hpp"

using namespace tutti;
using namespace tutti::collectives;
using namespace tutti::collectives::test;

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
    const auto taken = cursor.ready();
    cursor.take_all();
    CHECK(cursor.ready().empty());
    cursor.done(0);
    CHECK(ids(cursor.ready()) == Ids{2, 4});
    cursor.done(1);
    CHECK(ids(cursor.ready()) == Ids{2, 4, 3});
    cursor.take_all();
    CHECK(ids(taken) == Ids{0, 1});  // it keeps its contents
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

TEST_CASE("steps that wait for no other are all ready at once, also after a reset halfway") {
  Builder s{8, 0, {.output = 12}};
  for (const Rank peer : {1, 2, 3}) s.recv(peer, {Buffer::output, 4 * (peer - 1), 4});
  const Schedule schedule = s.finish();
  REQUIRE(schedule.successors.empty());
  Cursor cursor{schedule};
  for (const std::size_t ended : {1, 3, 2, 3}) {
    CHECK(ids(cursor.ready()) == Ids{0, 1, 2});
    cursor.take_all();
    for (std::size_t i = 0; i < ended; ++i) {
      CHECK_FALSE(cursor.finished());
      cursor.done(static_cast<StepId>(2 - i));
      CHECK(cursor.ready().empty());
    }
    CHECK(cursor.finished() == (ended == 3));
    cursor.reset();
  }
}
