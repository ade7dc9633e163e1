// The dispatcher: news of communicators that this rank has not made yet.
#include "src/news/dispatcher.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;
using protocols::News;

namespace {

News failure_of(CommunicatorId id, Code code = Code::timed_out) {
  return {.communicator = id, .code = code, .culprit = 1};
}

News refusal_of(CommunicatorId id, CollectiveNumber call) {
  return {.kind = News::Kind::refused,
          .communicator = id,
          .call = call,
          .code = Code::bad_count,
          .culprit = 1};
}

// Rank 1 says so to rank 0.
struct Told : DispatchingJob {
  explicit Told(const std::vector<News>& all = {}) {
    (*this)[0].connections.channel(1);
    for (const News& news : all) tell(news);
  }
  void tell(const News& news) {
    (*this)[1].connections.channel(0).news().announce(news);
    settle();
  }
  const Channel& channel() { return *(*this)[0].connections.find(1); }
};

}  // namespace

TEST_CASE("who makes a communicator late hears that it has failed", "[dispatcher]") {
  for (const bool by_vote : {false, true}) {
    INFO("its number is voted on: " << by_vote);
    Told job({failure_of(7), failure_of(8, Code::internal)});
    DispatchedMember late(job[0], by_vote ? Agreement::kNoId : 7, 0);
    if (by_vote) {
      CHECK_FALSE(late.failed());
      job[0].dispatcher.identify(late, 8);  // which is taken on another member
      job[0].dispatcher.identify(late, 7);
      CHECK_FALSE(late.failed());
      job[0].dispatcher.hear_early(7);
    }
    CHECK(late.failure().code() == Code::timed_out);
    CHECK(late.failure().culprit() == 1);
  }
}

TEST_CASE("who makes a communicator late hears of refused calls when it makes them",
          "[dispatcher]") {
  Told job({refusal_of(7, 1), refusal_of(7, 2)});
  DispatchedMember late(job[0], 7, 0);
  BegunCall first, third;
  late.open(first);
  CHECK_FALSE(late.failed());
  late.close(first);
  late.refuse(Code::bad_count);  // as rank 1 did
  CHECK_FALSE(late.failed());
  late.open(third);
  CHECK(late.failure().code() == Code::bad_count);
  CHECK(late.failure().culprit() == 1);
  late.close(third);
}

TEST_CASE("who makes a communicator late finds a notice of a member, and of no other",
          "[dispatcher]") {
  DispatchingJob job(false);
  job.net.leave_notice(1, protocols::notice_of(failure_of(7)));
  job.net.leave_notice(2, protocols::notice_of(failure_of(7, Code::internal)));
  for (const int peer : {1, 2}) {
    job[0].connections.channel(peer).probe();
    CHECK_FALSE(job[0].connections.find(peer)->failed());
  }
  {
    const DispatchedMember stranger_to_both(job[0], 8, 0, {0, 3});
    CHECK_FALSE(stranger_to_both.failed());
  }
  const DispatchedMember late(job[0], 7, 0, {0, 1});
  CHECK(late.failure().code() == Code::timed_out);
  CHECK_FALSE(job[0].connections.find(2)->failed());
}

TEST_CASE("who spoke early of a communicator without being a member is not trusted",
          "[dispatcher]") {
  Told job({failure_of(7)});
  CHECK_FALSE(job.channel().failed());
  const DispatchedMember mine(job[0], 7, 0, {0, 2});
  CHECK_FALSE(mine.failed());
  CHECK(job.channel().failure_code() == Code::transport_failed);
}

// Rank 1 has invited rank 0 to a buffer, and has failed since.
TEST_CASE("who fails gets its buffers back from a rank that has not made the communicator yet",
          "[dispatcher]") {
  DispatchingJob job;
  DispatchedMember fails(job[1], 7, 1);
  Channel& channel = job[1].connections.channel(0);
  job[0].connections.channel(1);
  std::vector<std::byte> place(50000);
  protocols::Transfer receive;
  while (receive.phase != protocols::Transfer::Phase::awaits_outcome) {
    REQUIRE(channel.recv(receive, {7, 0, 0}, place.data(), 50000) == protocols::Answer::again);
    job.settle();
  }
  fails.failure().record(Code::timed_out, 1, "too late");
  channel.abandon(receive);
  job.settle();
  CHECK(channel.abandoned().withdrawing());
  job[0].dispatcher.hear(fails.failure().news(), 1);
  CHECK(job[0].dispatcher.unwanted({7, 0, 0}, 1));
  CHECK_FALSE(job[0].dispatcher.unwanted({8, 0, 0}, 1));
  job.settle();
  CHECK_FALSE(channel.abandoned().withdrawing());
  const DispatchedMember late(job[0], 7, 0);
  CHECK(late.failure().code() == Code::timed_out);
}

TEST_CASE("nothing is kept of a communicator that was freed", "[dispatcher]") {
  Told job;
  { const DispatchedMember freed(job[0], 7, 0); }
  job.tell(failure_of(7));
  const DispatchedMember other(job[0], 7, 0);  // numbers do not come again, but here
  CHECK_FALSE(other.failed());
}

TEST_CASE("a connection that brings more early news than can be kept fails", "[dispatcher]") {
  Told job;
  const CommunicatorId kMost{EarlyNews::kMost};
  for (CommunicatorId id = 1; id <= kMost; ++id) job[0].dispatcher.hear(failure_of(id), 1);
  CHECK_FALSE(job.channel().failed());
  SECTION("if nothing makes room for it") {
    job[0].dispatcher.hear(failure_of(kMost + 1), 1);
    CHECK(job.channel().failure_code() == Code::out_of_memory);
  }
  SECTION("but a communicator that was made does") {
    { const DispatchedMember made(job[0], 2, 0); }
    job[0].dispatcher.hear(failure_of(kMost + 1), 1);
    CHECK_FALSE(job.channel().failed());
    const DispatchedMember late(job[0], kMost + 1, 0);
    CHECK(late.failed());
  }
}
