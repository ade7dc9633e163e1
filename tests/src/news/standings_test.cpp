// Standings: how many calls a rank has made, and in which one it is.
#include "src/news/standings.hpp"

#include "src/news/call_words.hpp"
#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

struct Where {
  Members members{kId, 0, {13, 12, 11, 10}};
  CallCount count;
  OpenCalls calls;
  Standings standings{members, count, calls};
};

}  // namespace

TEST_CASE("a rank says how many calls it has made, and in which one it is", "[standings]") {
  Where here;
  CHECK(here.standings.mine().communicator == kId);
  CHECK(here.standings.mine().calls == 0);
  CHECK(here.standings.mine().in == Agreement::kNoId);
  const Task task = bcast(8, 2);
  Begun first(&task), second(&kBarrier), bare;
  here.calls.open(first, here.count.take());
  here.calls.open(second, here.count.take());
  CHECK(here.standings.mine().calls == 2);
  CHECK(here.standings.mine().in == kId);
  CHECK(here.standings.mine().call == 1);
  CHECK(here.standings.mine(&first).call == 0);
  CHECK(here.standings.mine(&first).asked == asked_of(task, 0));
  CHECK(here.standings.mine(nullptr).in == Agreement::kNoId);
  here.calls.open(bare, here.count.take());
  CHECK(here.standings.mine().in == Agreement::kNoId);  // nothing is known of that one
}

TEST_CASE("a rank in a check says that it is in the call which is checked", "[standings]") {
  Where here;
  here.count.count_checks();
  const Task task = bcast(8);
  Begun check(&kBarrier);
  here.calls.open(check, here.count.take());
  here.count.set_checked(&task);
  CHECK(here.standings.mine().calls == 1);
  CHECK(here.standings.mine().call == 0);
  CHECK(here.standings.mine().asked == asked_of(task, 0));
}

TEST_CASE("the last that a member said counts", "[standings]") {
  Where here;
  CHECK_FALSE(here.standings.said(11));
  here.standings.hear({.communicator = kId, .calls = 1}, 11, at(1));
  here.standings.hear({.communicator = kId, .calls = 5}, 12, at(2));
  here.standings.hear({.communicator = kId, .calls = 2}, 11, at(3));
  REQUIRE(here.standings.said(11));
  CHECK(here.standings.said(11)->standing.calls == 2);
  CHECK(here.standings.said(11)->when == at(3));
  CHECK(here.standings.said(12)->standing.calls == 5);
  CHECK_FALSE(here.standings.said(10));
}
