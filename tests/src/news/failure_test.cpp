// The first cause, its words, and what members hear of it.
#include "src/news/failure.hpp"

#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

struct Failing {
  Members members{kId, 0, {13, 12, 11, 10}};
  CallCount count;
  OpenCalls calls;
  Failure failure{members, count, calls};
};

News failure_news(Code code, int culprit, CollectiveNumber call = 0) {
  return {.communicator = kId, .call = call, .code = code, .culprit = culprit};
}

}  // namespace

TEST_CASE("nothing has failed at first", "[failure]") {
  const Failing f;
  CHECK_FALSE(f.failure.happened());
  CHECK(f.failure.code() == Code::success);
  CHECK(f.failure.culprit() == kNoPeer);
  CHECK(f.failure.text().empty());
  CHECK_FALSE(f.failure.told());
  CHECK_FALSE(f.failure.lacks_other_call());
}

TEST_CASE("of all causes the first is recorded", "[failure]") {
  Failing f;
  f.failure.record(Code::timed_out, 12, "rank {} is {}", 12, "slow");
  const Begun call;
  f.failure.record(Code::internal, 13, "later");
  f.failure.record_in(call, Code::calls_differ, 11, "later");
  f.failure.record_difference(0, 11, {}, "later");
  f.failure.record_refusal(11, Code::bad_count, 3);
  f.failure.record_own_refusal(Code::bad_root, 3, "later");
  f.failure.record_on_all(11, "later");
  CHECK_FALSE(f.failure.hear(failure_news(Code::peer_failed, 11, 3), 12));
  CHECK_FALSE(f.failure.hear(failure_news(Code::calls_differ, 13, 3), 12));
  CHECK(f.failure.code() == Code::timed_out);
  CHECK(f.failure.culprit() == 12);
  CHECK(f.failure.text() == "rank 12 is slow");
  CHECK(f.failure.news() == failure_news(Code::timed_out, 12));
  CHECK_FALSE(f.failure.told());
}

TEST_CASE("it is told once", "[failure]") {
  Failing f;
  CHECK_FALSE(f.failure.note_told());
  CHECK(f.failure.told());
  CHECK(f.failure.note_told());
}

TEST_CASE("a step that shows that calls differ tells which", "[failure]") {
  Failing f;
  const Task task = bcast(8);
  Begun call(&task);
  f.calls.open(call, f.count.take());
  f.failure.record_in(call, GENERATE(Code::timed_out, Code::calls_differ), 12, "it does not fit");
  if (f.failure.code() == Code::timed_out) {
    CHECK(f.failure.text() == "it does not fit");
    CHECK_FALSE(f.failure.lacks_other_call());
  } else {
    CHECK(f.failure.text() ==
          "ranks make different calls: call 1 of communicator number 7 is bcast with other "
          "arguments on rank 12 of MPI_COMM_WORLD, and bcast (8 bytes, root 0) on rank 13 "
          "(TUTTI_CHECK=calls names both calls if they block). Found on rank 13: it does not fit");
    CHECK(f.failure.lacks_other_call());
  }
}

TEST_CASE("a refusal names the call that was refused, here and to members", "[failure]") {
  Failing f;
  f.members.set_name("solver");
  SECTION("of a member") {
    f.failure.record_refusal(11, Code::bad_count, 4);
    CHECK_THAT(f.failure.text(),
               Catch::Matchers::StartsWith("rank 11 of MPI_COMM_WORLD could not begin call 5 of "
                                           "communicator `solver`, in which this rank takes part"));
    CHECK(f.failure.news() == failure_news(Code::bad_count, 11, 4));
  }
  SECTION("of this rank") {
    f.failure.record_own_refusal(Code::bad_count, 4, "");
    CHECK_THAT(f.failure.text(),
               Catch::Matchers::StartsWith("the communicator has failed by call 5 of communicator "
                                           "`solver`, which this rank, 13 of MPI_COMM_WORLD, "));
    CHECK(f.failure.news() == failure_news(Code::bad_count, 13, 4));
  }
}

TEST_CASE("what all ranks have found takes the place of what members have said", "[failure]") {
  Failing f;
  f.failure.hear(failure_news(Code::calls_differ, 11), 12);
  CHECK(f.failure.lacks_other_call());
  f.failure.record_on_all(10, "all know");
  CHECK(f.failure.culprit() == 10);
  CHECK(f.failure.text() == "all know");
  CHECK(f.failure.told());
  CHECK_FALSE(f.failure.lacks_other_call());
  f.failure.tell_difference();
  CHECK(f.failure.text() == "all know");
}
