// Members that wait for this rank, or have passed a call: who is compared with whom, and when a
// call is given up.
#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

// --- passed calls ------------------------------------------------------------------------------

TEST_CASE("a passed call fails whoever waits in it, at the second look", "[agreement]") {
  Member me;
  Begun call;
  me.open(call);
  me.note_still_waiting(call, 11, false, at(1));
  me.note_still_waiting(call, 11, false, at(2));
  CHECK_FALSE(me.failed());  // nobody has said anything
  me.hear(passed(0), 11);
  me.note_still_waiting(call, 11, false, at(3));
  me.note_still_waiting(call, 11, false,
                        at(3));  // the same look: several steps wait for the member
  CHECK_FALSE(me.failed());
  me.note_still_waiting(call, 12, false, at(4));  // another member
  CHECK_FALSE(me.failed());
  me.hear(passed(0), 11);                        // said again: the first time counts
  me.note_still_waiting(call, 11, true, at(4));  // only our adapter may be late
  CHECK_FALSE(me.failed());
  me.note_still_waiting(call, 11, false, at(5));
  CHECK(me.failure().code() == Code::calls_differ);
  CHECK(me.failure().culprit() == 11);
}

TEST_CASE("that a call was passed says nothing of others", "[agreement]") {
  Member me;
  Begun first, second;
  me.hear(passed(0), 11);  // not made yet: the member will say it again
  me.open(first);
  me.open(second);
  me.hear(passed(1), 11);
  for (int look = 1; look <= 3; ++look) me.note_still_waiting(first, 11, false, at(look));
  CHECK_FALSE(me.failed());
  me.close(second);
  me.hear(passed(1), 11);  // it has ended well here, too
  me.open(second);
  for (int look = 4; look <= 6; ++look) me.note_still_waiting(second, 11, false, at(look));
  CHECK_FALSE(me.failed());
}

TEST_CASE("several members may have passed several calls", "[agreement]") {
  Member me;
  Begun first, second;
  me.open(first);
  me.open(second);
  for (const int member : {11, 12})
    for (const CollectiveNumber call : {0u, 1u}) me.hear(passed(call), member);
  me.note_still_waiting(second, 12, false, at(1));
  me.close(second);
  me.note_still_waiting(first, 11, false, at(2));
  CHECK_FALSE(me.failed());
  me.note_still_waiting(first, 11, false, at(3));
  CHECK(me.failure().culprit() == 11);
}

// --- waits -------------------------------------------------------------------------------------

TEST_CASE("who waits in the same call gets no answer until it is over here", "[agreement]") {
  Member me(0), other(1);
  const Task task = bcast(100, 2);
  Begun theirs(&task), mine(&task);
  other.open(theirs);
  CHECK_FALSE(ask(other, theirs, me));  // not made here yet
  me.open(mine);
  CHECK_FALSE(ask(other, theirs, me));
  me.close(mine);
  const auto answer = ask(other, theirs, me);
  REQUIRE(answer);
  CHECK(answer->kind == News::Kind::passed);
  CHECK(answer->communicator == kId);
  CHECK(answer->call == 0);
  CHECK_FALSE(me.failed());
}

TEST_CASE("who waits in another call is found out, while it is open here and after",
          "[agreement]") {
  const Task mine_task = bcast(100);
  for (const Task& other_task : {bcast(101), bcast(100, 1), kBarrier})
    for (const bool over : {false, true}) {
      Member me(0), other(1);
      Begun theirs(&other_task), mine(&mine_task);
      other.open(theirs);
      me.open(mine);
      if (over) me.close(mine);
      CHECK_FALSE(ask(other, theirs, me));
      CHECK(me.failure().code() == Code::calls_differ);
      CHECK(me.failure().culprit() == other.world_rank());
      // Asked again, it says that it has failed, and why.
      const auto answer = ask(other, theirs, me);
      REQUIRE(answer);
      other.hear(*answer, me.world_rank());
      CHECK(other.failure().code() == Code::calls_differ);
    }
}

// --- what people are told ------------------------------------------------------------------------

TEST_CASE("both of two calls that differ are named, alike at both ends", "[agreement]") {
  const Task barrier = kBarrier,
             scattered{.collective = Collective::scatter, .root = 2, .counts = {1, 2, 3, 4}};
  const Task sum{.collective = Collective::allreduce, .bytes = 800};
  const Task blocks{.collective = Collective::reduce_scatter, .bytes = 24};
  const Task own{
      .collective = Collective::gather, .root = 2, .counts = {0, 7, 0, 0}, .counts_known = false};
  struct Case {
    const Task &mine, &theirs;
    const char* words;
  };
  const Task usual = bcast(800, 1);
  for (const auto& [mine_task, their_task, words] :
       {Case{usual, sum,
             "allreduce (800 bytes) on rank 12 of MPI_COMM_WORLD, and bcast (800 bytes, "
             "root 1) on rank 13"},
        Case{usual, own,
             "gatherv (7 bytes of its own, root 2) on rank 12 of MPI_COMM_WORLD, and bcast (800 "
             "bytes, root 1) on rank 13"},
        Case{barrier, scattered,
             "scatterv (10 bytes in all, root 2) on rank 12 of MPI_COMM_WORLD, "
             "and barrier on rank 13"},
        Case{scattered, blocks,
             "reduce_scatter_block (24 bytes) on rank 12 of MPI_COMM_WORLD, and "
             "scatterv (10 bytes in all, root 2) on rank 13"}}) {
    Member me(0), other(1);
    for (Member* const member : {&me, &other}) member->members().set_name("solver");
    Begun mine(&mine_task), theirs(&their_task);
    me.open(mine);
    other.open(theirs);
    ask(other, theirs, me);  // the waiting call says what it is
    REQUIRE(me.failed());
    CHECK_FALSE(me.failure().lacks_other_call());
    other.hear(me.failure().news(), me.world_rank());
    CHECK_FALSE(other.failure().lacks_other_call());
    const std::string both =
        std::string("ranks make different calls: call 1 of communicator `solver` is ") + words;
    CHECK(me.failure().text() == both);
    CHECK(other.failure().text() == both);
  }
}

// The end of a message that does not know the other call.
constexpr char kHint[] = " (TUTTI_CHECK=calls names both calls if they block)";

TEST_CASE("a third rank is told both calls, in the words of the others", "[agreement]") {
  const Task usual = bcast(8), other = bcast(9);
  Member finder(0), odd(1), third(2);
  Begun a(&usual, 0x105), b(&other), c(&usual);
  finder.open(a);
  odd.open(b);
  third.open(c);
  SECTION("by whoever made it") {
    finder.unwanted(message(0, 0x205), odd.world_rank());
    CHECK(finder.failure()
              .lacks_other_call());  // its message says no more than which collective it is
    finder.failure().record_in(a, Code::calls_differ, odd.world_rank(), "too late");
    CHECK_FALSE(third.hear(finder.failure().news(), finder.world_rank()));
    CHECK(third.failure().lacks_other_call());
    CHECK_THAT(third.failure().text(),
               Catch::Matchers::Contains(" is bcast with other arguments on rank 12 of "
                                         "MPI_COMM_WORLD, and bcast (8 bytes, root 0) on rank 13"));
    const auto reply = odd.hear(finder.failure().news(), finder.world_rank());
    REQUIRE(reply);
    CHECK_FALSE(odd.hear(finder.failure().news(), finder.world_rank()));  // only once
    for (Member* const member : {&finder, &third}) {
      member->hear(*reply, odd.world_rank());
      member->hear(finder.failure().news(), finder.world_rank());  // which says no more
    }
  }
  SECTION("by whoever made another one than the third, though it blames a fourth") {
    odd.failure().record_difference(0, 10, {}, "a message of 8 bytes came where 9 were expected");
    third.hear(odd.failure().news(), odd.world_rank());
    finder.hear(odd.failure().news(), odd.world_rank());
    third.hear(finder.failure().news(), finder.world_rank());
  }
  CHECK(finder.failure().lacks_call_of(third.world_rank()));
  finder.hear(third.failure().news(), third.world_rank());
  CHECK_FALSE(finder.failure().lacks_call_of(third.world_rank()));
  odd.hear(third.failure().news(), third.world_rank());
  for (Member* const member : {&finder, &odd, &third}) {
    CHECK_FALSE(member->failure().lacks_other_call());
    member->failure().tell_difference();
    CHECK(member->failure().text() ==
          "ranks make different calls: call 1 of communicator number 7 is bcast (8 bytes, root 0) "
          "on rank 11 of MPI_COMM_WORLD, and bcast (9 bytes, root 0) on rank 12");
  }
}

TEST_CASE("a third rank knows which collective the other call is, though nobody else tells it",
          "[agreement]") {
  const Task usual = bcast(8);
  Member finder(0), third(2);
  Begun a(&usual, 0x105), c(&usual);
  finder.open(a);
  third.open(c);
  finder.unwanted(message(0, 0x905), 12);  // a rank that does not come back
  third.hear(finder.failure().news(), finder.world_rank());
  for (const Member* const member : {&finder, &third})
    CHECK_THAT(member->failure().text(),
               Catch::Matchers::Contains(" is reduce on rank 12 of MPI_COMM_WORLD, and bcast (8 "
                                         "bytes, root 0) on rank 13" +
                                         std::string(kHint)));
}

TEST_CASE("a third rank is not told that equal calls differ", "[agreement]") {
  const Task usual = bcast(8);
  Member left(0), blamed(1), third(2);  // the first has freed the communicator
  Begun b(&usual), c(&usual);
  blamed.open(b);
  third.open(c);
  const News blame{
      .communicator = kId, .call = 0, .code = Code::calls_differ, .culprit = blamed.world_rank()};
  const std::string begin =
      "ranks make different calls: call 1 of communicator number 7 is bcast (8 bytes, root 0) on ";
  SECTION("by the rank that is blamed") {
    const auto reply = blamed.hear(blame, left.world_rank());
    REQUIRE(reply);
    CHECK(reply->culprit == left.world_rank());
    third.hear(*reply, blamed.world_rank());
    CHECK(third.failure().text() ==
          begin + "rank 12 of MPI_COMM_WORLD, and has no match on rank 13" + kHint);
  }
  SECTION("after the one that blames has said so") {
    third.hear(blame, left.world_rank());
    blamed.hear(blame, left.world_rank());
    third.hear(blamed.failure().news(), blamed.world_rank());
    third.failure().tell_difference();
    CHECK(third.failure().text() ==
          begin + "rank 12 of MPI_COMM_WORLD, and has no match on rank 13" + kHint);
  }
}

TEST_CASE("what a rank does not know of a call it does not say", "[agreement]") {
  const Task usual = bcast(8);
  Member me;
  Begun mine(&usual);
  const std::string begin = "ranks make different calls: call 1 of communicator number 7 is ";
  SECTION("of a message without a mark, or with one that cannot be") {
    me.open(mine);
    me.close(mine);
    me.unwanted(message(0, GENERATE(0u, 0xE00u, 0xFFFu)), 12);
    CHECK(me.failure().text() ==
          begin +
              "bcast (8 bytes, root 0) on rank 13 of MPI_COMM_WORLD, and has no match on rank 12" +
              kHint +
              ". Found on rank 13: the other rank has sent what no call of "
              "this one asks for");
  }
  SECTION("of a call that it has not made") {
    Member other(1);
    Begun theirs(&usual);
    other.open(theirs);
    other.failure().record_difference(0, me.world_rank(), {}, "");
    me.hear(other.failure().news(), other.world_rank());
    CHECK(me.failure().text() == begin +
                                     "bcast (8 bytes, root 0) on rank 12 of MPI_COMM_WORLD, and "
                                     "has no match on rank 13" +
                                     kHint);
  }
  SECTION("of what a broken peer says") {
    me.open(mine);
    News news{.communicator = kId, .code = Code::calls_differ, .culprit = 12};
    news.asked = {.collective = 99,
                  .lengths = static_cast<protocols::Asked::Lengths>(77),
                  .root = -5,
                  .bytes = -1};
    me.hear(news, 12);
    CHECK(me.failure().text() ==
          begin +
              "bcast (8 bytes, root 0) on rank 13 of MPI_COMM_WORLD, and has no match on rank 12" +
              kHint);
  }
}

TEST_CASE("several open calls are compared each with its own", "[agreement]") {
  Member me(0), other(1);
  const Task tasks[] = {bcast(1), bcast(2), bcast(3)};
  Begun mine[] = {Begun(&tasks[0]), Begun(&tasks[1]), Begun(&tasks[2])};
  Begun theirs[] = {Begun(&tasks[0]), Begun(&tasks[1]), Begun(&tasks[0])};
  for (Begun& call : mine) me.open(call);
  for (Begun& call : theirs) other.open(call);
  CHECK_FALSE(ask(other, theirs[1], me));
  me.close(mine[1]);
  CHECK_FALSE(ask(other, theirs[0], me));
  CHECK(ask(other, theirs[1], me)->kind == News::Kind::passed);
  CHECK_FALSE(me.failed());
  CHECK_FALSE(ask(other, theirs[2], me));
  CHECK(me.failed());
}

TEST_CASE("pairs compare the lengths that both know", "[agreement]") {
  // Bytes that rank 0 sends to, and receives from, the four ranks; and those of rank 3.
  Task mine{.collective = Collective::alltoall,
            .counts = {1, 2, 3, 4},
            .receive_counts = {1, 20, 30, 40}};
  Task theirs{
      .collective = Collective::alltoall, .counts = {40, 5, 6, 7}, .receive_counts = {4, 8, 9, 7}};
  Task scatter_root{
      .collective = Collective::scatter, .root = 0, .counts = {9, 8, 7, 6}, .counts_known = false};
  Task scatter_leaf{
      .collective = Collective::scatter, .root = 0, .counts = {0, 0, 0, 6}, .counts_known = false};
  Task scatter_other{
      .collective = Collective::scatter, .root = 1, .counts = {9, 0, 0, 0}, .counts_known = false};
  const auto agree = [](const Task& a, const Task& b) {
    Member zero(0), three(3);
    Begun first(&a), second(&b);
    zero.open(first);
    three.open(second);
    ask(zero, first, three);
    ask(three, second, zero);
    CHECK(zero.failed() == three.failed());
    return !zero.failed();
  };
  CHECK(agree(mine, theirs));
  theirs.counts[0] = 41;  // 3 → 0
  CHECK_FALSE(agree(mine, theirs));
  mine.receive_counts[3] = 41;
  CHECK(agree(mine, theirs));
  mine.counts[3] = 5;  // 0 → 3
  CHECK_FALSE(agree(mine, theirs));
  mine.counts[3] = 4, mine.counts[1] = 99;  // a third rank's block is not theirs to compare
  CHECK(agree(mine, theirs));

  CHECK(agree(scatter_root, scatter_leaf));
  scatter_leaf.counts[3] = 5;
  CHECK_FALSE(agree(scatter_root, scatter_leaf));
  scatter_leaf.root = 1;  // neither is the root: each knows only its own block
  CHECK(agree(scatter_other, scatter_leaf));

  Task gather_root = scatter_root, gather_leaf = scatter_root;
  gather_root.collective = gather_leaf.collective = Collective::gather;
  gather_leaf.counts = {0, 0, 0, 6};
  CHECK(agree(gather_root, gather_leaf));
  gather_root.counts[3] = 7;
  CHECK_FALSE(agree(gather_root, gather_leaf));

  Task all{.collective = Collective::allgather, .counts = {1, 2, 3, 4}}, other = all;
  CHECK(agree(all, other));
  other.counts[1] = 9;  // all ranks know all counts
  CHECK_FALSE(agree(all, other));
}

TEST_CASE("a call is compared until its task is forgotten, or many came after", "[agreement]") {
  Member me(0), other(1);
  const Task wrong = bcast(1), right = bcast(2), many = bcast(3);
  Begun theirs(&wrong), mine(&right);
  other.open(theirs);
  me.open(mine);
  me.close(mine);
  SECTION("forgotten") { me.forget(right); }
  SECTION("many calls later") {
    for (std::size_t i = 0; i < OpenCalls::kRemembered; ++i) {
      Begun later(&many);
      me.open(later);
      me.close(later);
    }
  }
  CHECK(ask(other, theirs, me)->kind == News::Kind::passed);
  CHECK_FALSE(me.failed());
  Begun last(&many);
  me.open(last);
  me.forget(right);  // not the task of that call
  CHECK(me.waiting(last, 12));
}

TEST_CASE("an open call stays comparable, whatever comes after it", "[agreement]") {
  Member me(0), other(1);
  const Task task = bcast(1), many = bcast(3);
  Begun mine(&task), theirs(&many);
  me.open(mine);
  other.open(theirs);
  for (std::size_t i = 0; i < OpenCalls::kRemembered; ++i) {
    Begun later(&many);
    me.open(later);
    me.close(later);
  }
  CHECK_FALSE(ask(other, theirs, me));
  CHECK(me.failed());
}
