// The dispatcher: this rank's news to the members.
#include "src/news/dispatcher.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <thread>
#include <vector>

#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;
using protocols::News;

TEST_CASE("who leaves says before what it knows, also past news that waits", "[dispatcher]") {
  DispatchingJob job;
  const AllGoOn all(job);
  DispatchedMember leaves(job[0], 1, 0), stays(job[1], 1, 1);
  job[1].connections.channel(0);
  Channel& channel = job[0].connections.channel(1);
  for (CommunicatorId other = 2; other < 20; ++other)  // more than there are slots
    channel.news().announce({.communicator = other, .code = Code::timed_out, .culprit = 2});
  REQUIRE(channel.news().pending());
  leaves.failure().record(Code::peer_failed, 2, "gone");
  job[0].dispatcher.send_last_news();
  job.settle(1);  // rank 0 makes no progress any more
  CHECK(stays.failure().code() == Code::peer_failed);
  CHECK(stays.failure().culprit() == 2);
}

TEST_CASE("news is spread to all members on the node, and elsewhere to those connected",
          "[dispatcher]") {
  for (const bool at_once : {true, false}) {
    DispatchingJob job(at_once);
    std::vector<std::unique_ptr<DispatchedMember>> members;
    for (int rank = 0; rank < 3; ++rank)
      members.push_back(std::make_unique<DispatchedMember>(job[rank], 1, rank));
    // No member, though the identifier is the same.
    DispatchedMember stranger(job[3], 1, 0, {3});
    for (const int rank : {1, 3}) {
      job[0].connections.channel(rank);
      job[rank].connections.channel(0);
    }
    if (at_once) job[2].connections.channel(0);
    job.settle();
    members[0]->failure().record(Code::timed_out, 2, "too late");
    job[0].dispatcher.spread(*members[0], members[0]->failure().news(),
                             Dispatcher::Reach::connected);
    job.settle();
    CHECK(members[1]->failure().code() == Code::timed_out);
    CHECK(members[2]->failed() == at_once);
    CHECK_FALSE(stranger.failed());
    // It hears as soon as it connects.
    job[2].connections.channel(0);
    job.settle();
    CHECK(members[2]->failure().code() == Code::timed_out);
    CHECK(members[2]->failure().culprit() == 2);
  }
}

TEST_CASE("who rejects a call tells members to which it was not connected, and goes",
          "[dispatcher]") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {  // the wire refuses some messages at first
    const bool at_once = seed % 2 == 0;
    DispatchingJob job(Hostility{.seed = seed, .connects_at_once = at_once});
    DispatchedMember rejects(job[0], 1, 0), one(job[1], 1, 1), two(job[2], 1, 2);
    if (at_once)  // else they adopt what comes
      for (const int rank : {1, 2}) job[rank].connections.channel(0);
    std::atomic<bool> gone = false;
    std::thread others([&] {
      while (!gone) job.settle(1);
      job.settle(1);
    });
    job[0].dispatcher.spread(rejects, rejects.refuse(Code::bad_count), Dispatcher::Reach::near);
    gone = true;
    others.join();
    for (DispatchedMember* const member : {&one, &two}) {
      BegunCall call;
      member->open(call);
      CHECK(member->failure().code() == Code::bad_count);
      member->close(call);
    }
  }
}

// Rank 0 makes no progress after it has rejected the call: it computes.
TEST_CASE("who has no memory for a connection is heard all the same", "[dispatcher]") {
  using Reach = Dispatcher::Reach;
  DispatchingJob job;
  DispatchedMember rejects(job[0], 1, 0), waits(job[1], 1, 1), fails(job[0], 2, 0, {0, 2}),
      other(job[1], 2, 0, {1}), member(job[2], 2, 1, {0, 2});
  job[0].transport.lacks_memory = true;
  job[0].dispatcher.spread(rejects, rejects.refuse(Code::out_of_memory), Reach::connected);
  job[0].dispatcher.spread(rejects, rejects.refuse(Code::out_of_memory), Reach::connected);
  fails.failure().record(Code::out_of_memory, 0, "no memory");
  job[0].dispatcher.spread(fails, fails.failure().news(), Reach::connected);
  CHECK(job.net.notices(0).size() == 2);  // one of each communicator
  BegunCall call;
  waits.open(call);
  for (const int rank : {1, 2}) {
    Channel& to_rejecting = job[rank].connections.channel(0);
    job.settle(1);
    to_rejecting.probe();
    CHECK_FALSE(to_rejecting.failed());
  }
  CHECK(waits.failure().code() == Code::out_of_memory);
  CHECK(waits.failure().culprit() == 0);
  CHECK(member.failure().code() == Code::out_of_memory);
  CHECK_FALSE(other.failed());  // which has the same number
  waits.close(call);

  job.net.leave_notice(0, protocols::notice_of({.kind = News::Kind::refused}));
  Channel& channel = *job[1].connections.find(0);
  channel.probe();
  CHECK(channel.failure_code() == Code::transport_failed);
}

// Rank 0 makes no progress: it computes.
TEST_CASE("who was not connected finds what was said before", "[dispatcher]") {
  DispatchingJob job(false);
  DispatchedMember fails(job[0], 1, 0), waits(job[1], 1, 1);
  fails.failure().record(Code::timed_out, 2, "too late");
  job[0].dispatcher.spread(fails, fails.failure().news(), Dispatcher::Reach::connected);
  job[1].connections.channel(0).probe();
  CHECK(waits.failure().code() == Code::timed_out);
}

TEST_CASE("who connects late hears what each of its communicators has to say", "[dispatcher]") {
  DispatchingJob job(false);
  DispatchedMember one(job[0], 1, 0), two(job[0], 2, 0), three(job[0], 3, 0, {0, 2});
  DispatchedMember late_one(job[1], 1, 1), late_two(job[1], 2, 1), stranger(job[1], 3, 0, {1});
  one.failure().record(Code::timed_out, 2, "too late");
  two.refuse(Code::bad_count);
  three.failure().record(Code::internal, 2, "not theirs");
  job[1].connections.channel(0);
  job.settle();
  CHECK(late_one.failure().code() == Code::timed_out);
  CHECK_FALSE(late_two.failed());
  CHECK_FALSE(stranger.failed());
  BegunCall call;
  late_two.open(call);
  CHECK(late_two.failure().code() == Code::bad_count);
  late_two.close(call);
}
