// Taking buffers of failed calls back: from peers that write into them, and that copy into them.
#include "src/news/reclaim.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Channel;

TEST_CASE("after a failure nobody may write into what was given up", "[reclaim]") {
  for (const bool answers : {true, false}) {
    DispatchingJob job(true, true);
    DispatchedMember mine(job[0], 1, 0), theirs(job[1], 1, 1);
    Channel& channel = job[0].connections.channel(1);
    job[1].connections.channel(0);
    std::vector<std::byte> place(50000);
    protocols::Transfer receive;
    for (int i = 0; i < 200 && !job.net.registrar.covers(place.data(), place.size()); ++i) {
      channel.recv(receive, {1, 0, 0}, place.data(), 50000);
      job.settle();
    }
    REQUIRE(job.net.registrar.covers(place.data(), place.size()));
    mine.failure().record(Code::timed_out, 1, "too late");
    channel.abandon(receive);
    CHECK(channel.abandoned().withdrawing());
    if (answers) {  // the peer knows of the failure, and says that it writes no more
      job[0].dispatcher.spread(mine, mine.failure().news(), Dispatcher::Reach::connected);
      job.settle();
      CHECK_FALSE(channel.abandoned().withdrawing());
    }
    job[0].dispatcher.spread_failure(mine);
    CHECK_FALSE(job.net.registrar.covers(place.data(), place.size()));
  }
}

// Rank 1 has begun to copy into a buffer of rank 0, and was stopped.
TEST_CASE("who waits for a copy into its buffer waits to the end, and lets other threads call",
          "[reclaim][threads]") {
  using namespace std::chrono_literals;
  for (const bool failed : {false, true}) {
    INFO("the link has failed: " << failed);
    Hostility within_a_node{7};
    within_a_node.fetches = true;
    DispatchingJob job(within_a_node);
    const DispatchedMember peer(job[1], 5, 1);
    DispatchedMember member(job[0], 5, 0);
    Channel& channel = job[0].connections.channel(1);
    protocols::Transfer transfer;
    std::vector<std::byte> got(5000);
    while (transfer.phase != protocols::Transfer::Phase::awaits_outcome) {
      REQUIRE(channel.recv(transfer, {5, 0, 0}, got.data(), 5000, protocols::Use::gathered) ==
              protocols::Answer::again);
      job.settle();
    }
    const std::uint32_t invitation = transfer.rendezvous;
    transport::Revocation& copies = *job[1].connections.channel(0).link().capabilities().revocation;
    REQUIRE(copies.enter(invitation));
    member.failure().record(Code::timed_out, 1, "the test wants it to fail");
    channel.abandon(transfer);
    if (failed) channel.link().fail(Code::out_of_memory, "the test says so");
    std::atomic<bool> begun = false, returned = false, called = false;
    std::thread one([&] {
      const std::lock_guard lock(job[0].lock);
      begun = true;
      job[0].dispatcher.end_use(member);
      returned = true;
    });
    std::thread two([&] {
      while (!begun) std::this_thread::yield();
      const std::lock_guard lock(job[0].lock);
      called = true;
    });
    for (int i = 0; i < 2000 && !called; ++i) std::this_thread::sleep_for(10ms);
    CHECK(called);
    CHECK_FALSE(returned);
    copies.leave(invitation);
    one.join();
    two.join();
    CHECK_FALSE(channel.abandoned().being_accessed());
  }
}
