// This rank's calls, refusals, unwanted messages, failure: what follows from each, without a wire.
#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

// --- this rank's calls -------------------------------------------------------------------------

TEST_CASE("calls are numbered in the order of opening, and a refusal takes a number",
          "[agreement]") {
  Member me;
  Begun a, b, c;
  me.open(a);
  me.open(b);
  CHECK(me.refuse(Code::bad_count).call == 2);
  me.open(c);
  CHECK(a.number() == 0);
  CHECK(b.number() == 1);
  CHECK(c.number() == 3);
  CHECK_FALSE(me.failed());
}

// --- refusals ----------------------------------------------------------------------------------

TEST_CASE("a refused call fails whoever makes it, before or after the news", "[agreement]") {
  Member me;
  Begun first, second, third;
  me.open(first);
  SECTION("while it is open") { me.hear(refused(0), 11); }
  SECTION("when it is over") {
    me.close(first);
    me.hear(refused(0), 11);
  }
  SECTION("before it is made") {
    me.hear(refused(2), 11);
    me.open(second);
    CHECK_FALSE(me.failed());
    me.open(third);
  }
  CHECK(me.failure().code() == Code::bad_count);
  CHECK(me.failure().culprit() == 11);
  CHECK(me.failure().text().find("rank 11 of MPI_COMM_WORLD could not begin") != std::string::npos);
}

TEST_CASE("if all refuse a call, nothing is lost", "[agreement]") {
  Member me;
  SECTION("the others first") {
    me.hear(refused(0), 11);
    me.hear(refused(0), 12);
    me.refuse(Code::bad_root);
  }
  SECTION("the others later, and more than once") {
    me.refuse(Code::bad_root);
    me.hear(refused(0), 11);
    me.hear(refused(0), 11);
    me.hear(refused(0), 12);
  }
  Begun next;
  me.open(next);
  CHECK(next.number() == 1);
  CHECK_FALSE(me.failed());
}

TEST_CASE("a member that refuses without end is not remembered without end", "[agreement]") {
  constexpr CollectiveNumber kKept = 4096;
  Member me;
  Begun call, later;
  me.open(call);
  for (CollectiveNumber number = 1; number <= 3 * kKept; ++number) me.hear(refused(number), 11);
  for (CollectiveNumber number = 1; number <= kKept; ++number) me.refuse(Code::bad_root);
  me.open(later);
  CHECK_FALSE(me.failed());
  me.hear(refused(later.number()), 11);  // it says so again when this rank waits for it
  CHECK(me.failure().code() == Code::bad_count);
}

TEST_CASE("who has refused a call hears why in later ones, whoever tells it of the failure",
          "[agreement]") {
  Member me(0), other(1), third(2);
  me.members().set_name("solver");
  me.refuse(Code::bad_count, "all ranks did so, and nothing is lost");
  Begun theirs;
  for (Member* const one : {&other, &third}) one->refuse(Code::bad_count);
  other.open(theirs);
  other.hear(me.refuse(Code::bad_buffer, "recvbuf is null"), me.world_rank());
  SECTION("who waited in it") { me.hear(other.failure().news(), other.world_rank()); }
  SECTION("another one") {
    third.hear(other.failure().news(), other.world_rank());
    me.hear(third.failure().news(), third.world_rank());
  }
  CHECK(me.failure().code() == Code::bad_buffer);
  CHECK(me.failure().culprit() == me.world_rank());
  CHECK(me.failure().text() ==
        "the communicator has failed by a call that this rank rejected: recvbuf is null");
}

TEST_CASE("what a rank refused is not the cause of every failure", "[agreement]") {
  const auto told = [](Code code, int culprit, CollectiveNumber call) {
    Member me;
    me.refuse(Code::bad_count, "why");
    me.hear({.communicator = kId, .call = call, .code = code, .culprit = culprit}, 11);
    REQUIRE(me.failed());
    return me.failure().text().find("rejected") != std::string::npos;
  };
  CHECK(told(Code::bad_count, 13, 0));
  CHECK_FALSE(told(Code::bad_count, 13, 1));
  CHECK_FALSE(told(Code::bad_count, 12, 0));
  CHECK_FALSE(told(Code::timed_out, 13, 0));
  CHECK_FALSE(told(Code::peer_failed, 13, 0));
  // However many calls it refuses, it keeps the reasons of few.
  Member me;
  for (int i = 0; i < 100; ++i) me.refuse(Code::bad_count, "why");
  me.hear({.communicator = kId, .call = 0, .code = Code::bad_count, .culprit = 13}, 11);
  CHECK(me.failure().text().ends_with(text_of(Code::bad_count)));
}

TEST_CASE("who waits in a call that was refused here hears so", "[agreement]") {
  Member me(0), other(1);
  me.refuse(Code::bad_operation);
  Begun call(&kBarrier);
  other.open(call);
  const auto answer = ask(other, call, me);
  REQUIRE(answer);
  CHECK(answer->kind == News::Kind::refused);
  CHECK_FALSE(me.failed());
  CHECK_FALSE(other.hear(*answer, me.world_rank()));
  CHECK(other.failure().code() == Code::bad_operation);
  CHECK(other.failure().culprit() == me.world_rank());
}

TEST_CASE("a member that connects late hears of the failure and the last refusals", "[agreement]") {
  Member me;
  CHECK(old_news(me).empty());
  me.refuse(Code::bad_count);
  REQUIRE(old_news(me).size() == 1);
  Begun call;
  me.open(call);
  for (std::size_t i = 0; i < OpenCalls::kRemembered; ++i) me.refuse(Code::bad_root);
  auto news = old_news(me);
  REQUIRE(news.size() == OpenCalls::kRemembered);
  for (std::size_t i = 0; i < news.size(); ++i) {
    CHECK(news[i].kind == News::Kind::refused);
    CHECK(news[i].communicator == kId);
    CHECK(news[i].call == i + 2);
    CHECK(news[i].code == Code::bad_root);
  }
  me.failure().record(Code::timed_out, 11, "too late");
  news = old_news(me);
  REQUIRE(news.size() == OpenCalls::kRemembered + 1);
  CHECK(news[0].kind == News::Kind::failed);
  CHECK(news[0].code == Code::timed_out);
  CHECK(news[0].culprit == 11);
}

TEST_CASE("what members have refused is forgotten when this rank refuses it, too", "[agreement]") {
  constexpr CollectiveNumber kKept = 4096;
  Member me;
  for (CollectiveNumber number = 0; number < kKept; ++number) me.hear(refused(number), 11);
  for (CollectiveNumber number = 0; number < kKept; ++number) me.refuse(Code::bad_root);
  me.hear(refused(kKept), 11);  // so there is room for this
  CHECK_FALSE(me.failed());
  Begun next;
  me.open(next);
  CHECK(me.failure().code() == Code::bad_count);
}

// --- unwanted messages -------------------------------------------------------------------------

TEST_CASE("what an open or a later call may ask for is not unwanted", "[agreement]") {
  Member me;
  Begun unmarked, marked(nullptr, 0x105);
  me.open(unmarked);
  me.open(marked);
  CHECK_FALSE(me.unwanted(message(0, 0x105), 11));
  CHECK_FALSE(me.unwanted(message(0), 11));
  CHECK_FALSE(me.unwanted(message(1, 0x105), 11));
  CHECK_FALSE(me.unwanted(message(2, 0x200), 11));
  CHECK_FALSE(me.unwanted(message(1000), 11));
  CHECK_FALSE(me.failed());
}

TEST_CASE("what no call will ask for is a failure", "[agreement]") {
  Member me;
  Begun first(nullptr, 0x105), second(nullptr, 0x105);
  me.open(first);
  me.open(second);
  SECTION("another mark") { CHECK(me.unwanted(message(1, 0x106), 11)); }
  SECTION("a call that is over, before one that is open") {
    me.close(first);
    CHECK(me.unwanted(message(0, 0x105), 11));
  }
  SECTION("a call that is over, after one that is open") {
    me.close(second);
    CHECK(me.unwanted(message(1, 0x105), 11));
  }
  CHECK(me.failure().code() == Code::calls_differ);
  CHECK(me.failure().culprit() == 11);
  // Nothing is wanted on a failed communicator.
  CHECK(me.unwanted(message(0, 0x105), 12));
  CHECK(me.unwanted(message(99), 12));
}

TEST_CASE("what is sent in a call that was refused here may stay", "[agreement]") {
  Member me;
  me.refuse(Code::bad_count);
  CHECK_FALSE(me.unwanted(message(0, 0x105), 11));
  CHECK_FALSE(me.failed());
}

// --- failure -----------------------------------------------------------------------------------

TEST_CASE("the first cause stays", "[agreement]") {
  Member me;
  Begun call(&kBarrier);
  me.open(call);
  me.failure().record(Code::timed_out, 12, "rank {} is {}", 12, "slow");
  me.failure().record(Code::internal, 13, "later");
  me.hear({.kind = News::Kind::failed, .communicator = kId, .code = Code::peer_failed}, 11);
  me.hear(refused(0), 11);
  me.unwanted(message(0, 3), 11);
  CHECK(me.failure().code() == Code::timed_out);
  CHECK(me.failure().culprit() == 12);
  CHECK(me.failure().text() == "rank 12 is slow");
  const News news = me.failure().news();
  CHECK(news.kind == News::Kind::failed);
  CHECK(news.communicator == kId);
  CHECK(news.code == Code::timed_out);
  CHECK(news.culprit == 12);
}

TEST_CASE("bad news is passed on with its cause, and says who told it", "[agreement]") {
  Member me, next;
  me.hear({.communicator = kId, .code = Code::peer_failed, .culprit = 10}, 11);
  CHECK(me.failure().text() == "rank 10 of MPI_COMM_WORLD has failed, says rank 11");
  next.hear(me.failure().news(), 13);
  CHECK(next.failure().code() == Code::peer_failed);
  CHECK(next.failure().culprit() == 10);
  CHECK(next.failure().text() == "rank 10 of MPI_COMM_WORLD has failed, says rank 13");
  Member other;
  other.hear({.communicator = kId, .code = Code::timed_out, .culprit = 10}, 11);
  CHECK(other.failure().code() == Code::timed_out);
  CHECK(other.failure().text().find("rank 11") != std::string::npos);
  CHECK(other.failure().text().find("rank 10") != std::string::npos);
}

TEST_CASE("a living rank that is taken for dead is not told that it has failed", "[agreement]") {
  Member me;
  me.hear({.communicator = kId, .code = Code::peer_failed, .culprit = me.world_rank()}, 11);
  CHECK(me.failure().code() == Code::transport_failed);
  CHECK(me.failure().culprit() == 11);
  CHECK(me.failure().text() ==
        "a connection between this rank and another one has failed, says rank 11 of "
        "MPI_COMM_WORLD: there this rank is taken for dead");
}

// --- numbers wrap ------------------------------------------------------------------------------

TEST_CASE("numbers wrap at 2^32", "[agreement]") {
  Member me(0, 0xFFFFFFFEu), other(1, 0xFFFFFFFEu);
  const Task task = bcast(8);
  Begun calls[4] = {Begun(&task), Begun(&task), Begun(&task), Begun(&task)};
  for (Begun& call : calls) me.open(call);
  CHECK(calls[1].number() == 0xFFFFFFFFu);
  CHECK(calls[2].number() == 0);
  CHECK(calls[3].number() == 1);
  CHECK_FALSE(me.unwanted(message(2), 11));            // later
  CHECK_FALSE(me.unwanted(message(0xFFFFFFFFu), 11));  // open
  me.close(calls[1]);
  Begun theirs[2] = {Begun(&task), Begun(&task)};
  for (Begun& call : theirs) other.open(call);
  CHECK(ask(other, theirs[1], me)->kind == News::Kind::passed);
  me.hear(refused(2), 11);  // still to come
  CHECK_FALSE(me.failed());
  CHECK(me.unwanted(message(0xFFFFFFFFu), 11));  // over
  CHECK(me.failed());
}

TEST_CASE("refusals keep their order where numbers wrap", "[agreement]") {
  constexpr CollectiveNumber kFirst = 0xFFFFFFFEu;
  Member me(0, kFirst), other(1, 2);
  for (int i = 0; i < 4; ++i) me.refuse(Code::bad_count);
  auto news = old_news(me);
  REQUIRE(news.size() == 4);
  for (CollectiveNumber i = 0; i < 4; ++i) CHECK(news[i].call == kFirst + i);
  // Enough of them that the first ones are dropped: these, and not the smallest numbers.
  for (int i = 0; i < 5000; ++i) me.refuse(Code::bad_root);
  CHECK(old_news(me).back().call == kFirst + 5003);
  const auto answer_to = [&](CollectiveNumber call) { return me.hear(waits(call, 0), 12)->kind; };
  CHECK(answer_to(kFirst + 5003) == News::Kind::refused);
  CHECK(answer_to(kFirst + 1000) == News::Kind::refused);
  CHECK(answer_to(kFirst) == News::Kind::passed);
}

TEST_CASE("a refusal so old that its number is still to come is forgotten", "[agreement]") {
  constexpr CollectiveNumber kHalf = 0x80000000u;
  Member me(0, 5);
  me.refuse(Code::bad_count);
  Begun call, later, again;
  me.count() = CallCount(5 + kHalf - 1);  // after very many calls
  me.open(call);
  CHECK(me.hear(waits(5, 0), 12)->kind == News::Kind::refused);
  me.close(call);
  me.count() = CallCount(5 + kHalf);
  me.open(later);
  CHECK_FALSE(me.hear(waits(5, 0), 12));
  CHECK(old_news(me).empty());
  me.close(later);
  me.hear(refused(5), 11);  // by a member that is ahead
  me.count() = CallCount(5);
  me.open(again);
  CHECK(me.failure().culprit() == 11);
}
