// The dispatcher: news to the agreement that it concerns, and to no other.
#include "src/news/dispatcher.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;
using protocols::News;

TEST_CASE("a communicator without a number yet hears nothing, and leaves nothing", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  job[0].connections.channel(1);
  {
    DispatchedMember member(job[0], Agreement::kNoId, 0);
    job[1].connections.channel(0).news().announce(
        {.communicator = Agreement::kNoId, .code = Code::timed_out, .culprit = 1});
    job.settle();
    CHECK_FALSE(member.failed());
    CHECK_FALSE(dispatcher.unwanted({Agreement::kNoId, 0, 0}, 1));
    dispatcher.identify(member, 6);
    CHECK_FALSE(dispatcher.is_free(6));
    job[1].connections.channel(0).news().announce(
        {.communicator = 6, .code = Code::timed_out, .culprit = 1});
    job.settle();
    CHECK(member.failed());
  }
  CHECK_FALSE(dispatcher.is_free(6));
  { const DispatchedMember given_up(job[0], Agreement::kNoId, 0); }
  CHECK(dispatcher.is_free(Agreement::kNoId));
  Identifiers::Vote vote;
  CHECK(dispatcher.identifiers().propose(vote) == 7);
}

TEST_CASE("news comes to the communicator that it names, and to no other", "[dispatcher]") {
  DispatchingJob job;
  DispatchedMember one(job[0], 1, 0), two(job[0], 2, 0);
  Channel& channel = job[1].connections.channel(0);
  job[0].connections.channel(1);
  channel.news().announce({.communicator = 2, .code = Code::timed_out, .culprit = 1});
  channel.news().announce({.communicator = 3, .code = Code::internal, .culprit = 1});  // nobody's
  job.settle();
  CHECK_FALSE(one.failed());
  CHECK(two.failure().code() == Code::timed_out);
}

TEST_CASE("who speaks of a communicator without being a member is not trusted", "[dispatcher]") {
  using Kind = News::Kind;
  for (const Kind kind : {Kind::failed, Kind::refused, Kind::waits, Kind::passed}) {
    DispatchingJob job;
    DispatchedMember mine(job[0], 1, 0, {0, 2});
    BegunCall call;
    mine.open(call);
    Channel& channel = job[0].connections.channel(1);
    const bool has_cause = kind == Kind::failed || kind == Kind::refused;
    job[1].connections.channel(0).news().announce(
        {.kind = kind, .communicator = 1, .code = has_cause ? Code::timed_out : Code::success});
    job.settle();
    CHECK(channel.failure_code() == Code::transport_failed);
    CHECK_FALSE(mine.failed());
  }
}

TEST_CASE("what is unwanted is asked of the communicator", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  DispatchedMember member(job[0], 1, 0);
  CHECK_FALSE(dispatcher.unwanted({1, 0, 0}, 1));  // of a later call
  CHECK_FALSE(dispatcher.unwanted({2, 0, 0}, 1));  // of a communicator that this rank makes later
  member.failure().record(Code::timed_out, 1, "too late");
  CHECK(dispatcher.unwanted({1, 0, 0}, 1));
  CHECK(dispatcher.why_unwanted({1, 0, 0}, 2).code == Code::timed_out);
  CHECK(dispatcher.why_unwanted({1, 0, 0}, 2).culprit == 1);
  { const DispatchedMember freed(job[0], 2, 0); }
  CHECK(dispatcher.unwanted({2, 0, 0}, 1));
  // It ended well here, so who waits has made another call.
  CHECK(dispatcher.why_unwanted({2, 0, 0}, 1).code == Code::calls_differ);
  CHECK(dispatcher.why_unwanted({2, 0, 0}, 1).culprit == 1);
}

TEST_CASE("a communicator that goes leaves no slots taken", "[dispatcher]") {
  DispatchingJob job;
  Channel& mine = job[0].connections.channel(1);
  Channel& theirs = job[1].connections.channel(0);
  const char data[8] = {};
  int sent = 0;
  protocols::Transfer transfer;
  const auto send = [&](CommunicatorId id) {
    for (int i = 0; i < 1000 && sent < 1000; ++i) {
      if (theirs.send(transfer, {id, 0, static_cast<Ordinal>(sent)}, data, 8) ==
          protocols::Answer::done)
        ++sent, transfer = {};
      job.settle();
      if (sent == 4) break;
    }
  };
  {
    DispatchedMember member(job[0], 1, 0);
    send(1);  // as many as there are slots
    CHECK(sent == 4);
    member.failure().record(Code::timed_out, 1, "too late");
  }
  protocols::Transfer s, r;
  char got[8];
  bool gone = false, here = false;
  for (int i = 0; i < 1000 && !(gone && here); ++i) {
    if (!gone) gone = theirs.send(s, {2, 0, 0}, data, 8) == protocols::Answer::done;
    if (!here) here = mine.recv(r, {2, 0, 0}, got, 8) == protocols::Answer::done;
    job.settle();
  }
  CHECK(gone);
  CHECK(here);
}
