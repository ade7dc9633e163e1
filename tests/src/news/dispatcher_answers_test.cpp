// The dispatcher: its answers to ranks that wait or ask.
#include "src/news/dispatcher.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/index.hpp"
#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;

TEST_CASE("who waits in a call that is over hears it, also if the communicator was freed",
          "[dispatcher]") {
  for (const bool freed : {false, true}) {
    DispatchingJob job;
    std::optional<DispatchedMember> mine(std::in_place, job[0], 1, 0);
    DispatchedMember theirs(job[1], 1, 1);
    BegunCall call, other;
    mine->open(other);
    mine->close(other);
    theirs.open(call);
    if (freed) mine.reset();
    job[0].connections.channel(1);
    job.mention(1, waiting_in(1, 0));
    theirs.note_still_waiting(call, 0, false, Agreement::Time{std::chrono::seconds{1}});
    theirs.note_still_waiting(call, 0, false, Agreement::Time{std::chrono::seconds{2}});
    CHECK(theirs.failure().code() == Code::calls_differ);
    CHECK(theirs.failure().culprit() == 0);
  }
}

TEST_CASE("who waits in a communicator that this rank does not have yet hears where this rank is",
          "[dispatcher]") {
  const collectives::Task task{.collective = collectives::Collective::barrier};
  for (const bool in_a_call : {false, true}) {
    INFO("in a call: " << in_a_call);
    DispatchingJob job;
    DispatchedMember other(job[0], 1, 0), theirs(job[1], 2, 1);
    BegunCall call(&task), waiting(&task);
    if (in_a_call) other.open(call);
    theirs.open(waiting);
    job[0].connections.channel(1);
    job.mention(1, waiting_in(2, 0));
    const Standings::Said* const said = theirs.standings().said(0);
    REQUIRE(said);
    CHECK(said->standing.calls == 0);
    CHECK(said->standing.in == (in_a_call ? 1 : Agreement::kNoId));
    CHECK_FALSE(theirs.failed());
    theirs.close(waiting);
    if (in_a_call) other.close(call);
  }
}

TEST_CASE("who waits for a failed member is told why", "[dispatcher]") {
  DispatchingJob job;
  DispatchedMember mine(job[0], 1, 0), theirs(job[1], 1, 1);
  mine.failure().record(Code::peer_failed, 2, "gone");
  job[0].connections.channel(1);
  job.mention(1, waiting_in(1, 0));
  CHECK(theirs.failure().code() == Code::peer_failed);
  CHECK(theirs.failure().culprit() == 2);
}

TEST_CASE("who asks after a freed communicator hears its first cause, however it asks",
          "[dispatcher]") {
  enum Cause { failed, refused };
  for (const Cause cause : {failed, refused})
    for (const bool by_entry : {false, true}) {
      INFO("cause " << cause << ", by an entry: " << by_entry);
      DispatchingJob job;
      std::vector<std::byte> place(50000);
      std::optional<DispatchedMember> mine(std::in_place, job[0], 1, 0);
      DispatchedMember theirs(job[1], 1, 1);
      BegunCall call;
      theirs.open(call);
      if (cause == failed)
        mine->failure().record(Code::peer_failed, 2, "gone");
      else
        mine->refuse(Code::bad_count);
      mine.reset();
      job[0].connections.channel(1);
      Channel& channel = job[1].connections.channel(0);
      protocols::Transfer receive;
      for (int i = 0; i < 20 && !theirs.failed(); ++i) {
        if (by_entry)
          channel.recv(receive, {1, 0, 0}, place.data(), static_cast<Bytes>(place.size()));
        else
          channel.news().mention(waiting_in(1, 0));
        job.settle();
      }
      CHECK(theirs.failure().code() == (cause == failed ? Code::peer_failed : Code::bad_count));
      CHECK(theirs.failure().culprit() == (cause == failed ? 2 : 0));
      theirs.close(call);
    }
}

TEST_CASE("who sends to a communicator that ended well here is told, and it is logged once",
          "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember freed(job[0], 1, 0); }
  DispatchedMember theirs(job[1], 1, 1), third(job[2], 1, 2);
  job[0].connections.channel(1);
  job[0].connections.channel(2);
  Channel& channel = job[1].connections.channel(0);
  const char data[8] = {};
  for (Ordinal i = 0; i < 2; ++i) {
    protocols::Transfer transfer;
    for (bool sent = false; !sent; job.settle())
      sent = channel.send(transfer, {1, 0, i}, data, 8) == protocols::Answer::done;
  }
  job.settle();
  CHECK(theirs.failure().code() == Code::calls_differ);
  CHECK(theirs.failure().culprit() == 1);
  REQUIRE(job[0].warnings.size() == 1);
  CHECK(job[0].warnings[0].starts_with("rank 1 of MPI_COMM_WORLD has sent what no call"));
  // A rank that waits for this one hears the same.
  job.mention(2, waiting_in(1, 0));
  CHECK(third.failure().code() == Code::calls_differ);
  CHECK(third.failure().culprit() == 1);
}

// Rank 0 makes another call than ranks 1 and 2, of which rank 1 finds it out and rank 2 has ended
// its call.
TEST_CASE("whose call differs says at once what it is", "[dispatcher]") {
  DispatchingJob job;
  const collectives::Task task{.collective = collectives::Collective::bcast, .bytes = 8},
      other{.collective = collectives::Collective::allreduce, .bytes = 16};
  std::vector<std::unique_ptr<DispatchedMember>> members;
  std::vector<BegunCall> calls(3);
  for (int rank = 0; rank < 3; ++rank) {
    members.push_back(std::make_unique<DispatchedMember>(job[rank], 1, rank));
    calls[index(rank)] = BegunCall(rank == 0 ? &other : &task);
    members.back()->open(calls[index(rank)]);
  }
  members[2]->close(calls[2]);
  for (int rank = 0; rank < 3; ++rank)
    for (int peer = 0; peer < 3; ++peer)
      if (peer != rank) job[rank].connections.channel(peer);
  job.settle();
  members[1]->failure().record_difference(0, 0, {}, "");
  job[1].dispatcher.spread(*members[1], members[1]->failure().news(), Dispatcher::Reach::connected);
  job.settle();
  CHECK_FALSE(members[1]->failure().lacks_other_call());
  for (const auto& member : members) member->failure().tell_difference();
  const std::string words =
      "call 1 of communicator number 1 is allreduce (16 bytes) on rank 0 of "
      "MPI_COMM_WORLD, and bcast (8 bytes, root 0) on rank 1";
  CHECK(members[0]->failure().text().find(words) != std::string::npos);
  CHECK(members[1]->failure().text().find(words) != std::string::npos);
  CHECK(members[2]->failure().code() == Code::calls_differ);
  CHECK(members[2]->failure().lacks_other_call());  // until rank 0 has told it, too
  job[0].dispatcher.spread(*members[0], members[0]->failure().news(), Dispatcher::Reach::connected);
  job.settle();
  members[2]->failure().tell_difference();
  CHECK(members[2]->failure().text().find("allreduce (16 bytes) on rank 0") != std::string::npos);
  for (const int rank : {0, 1}) members[index(rank)]->close(calls[index(rank)]);
}

TEST_CASE("who fails waits for what others say of the call, and looks once at least",
          "[dispatcher]") {
  DispatchingJob job;
  const collectives::Task task{.collective = collectives::Collective::bcast, .bytes = 8},
      other{.collective = collectives::Collective::allreduce, .bytes = 16};
  BegunCall mine(&task), theirs(&other);
  DispatchedMember me(job[0], 1, 0, {0, 1}), late(job[1], 1, 1, {0, 1});
  me.open(mine);
  late.open(theirs);
  job[0].connections.channel(1);
  job[1].connections.channel(0);
  job.settle();
  me.failure().record_difference(0, 1, {}, "");
  late.failure().record_difference(0, 0, {}, "");
  job[1].dispatcher.spread(late, late.failure().news(), Dispatcher::Reach::connected);
  CHECK(me.failure().lacks_call_of(1));
  job[0].dispatcher.spread_failure(me);
  CHECK_FALSE(me.failure().lacks_call_of(1));
  me.failure().tell_difference();
  CHECK(me.failure().text().find("allreduce (16 bytes) on rank 1") != std::string::npos);
  me.close(mine);
  late.close(theirs);
}
