// The buffers of calls that have failed: the program uses them for something else at once, and
// ranks whose call succeeds nevertheless get the right result.
#include <atomic>
#include <catch2/catch.hpp>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;
using State = Request::State;

namespace {

constexpr Bytes kRendezvous = 20000;  // longer than eager messages

Hostility wire_of(std::uint32_t seed) {
  Hostility hostility{seed, seed % 2 == 0, true, true};
  if (seed % 3 == 0) hostility.registers = false, hostility.fetches = true;
  return hostility;
}

// A call of rank 0, as far as it goes until it sends to `peer`, or to its end: a chain has no
// message to others than the next rank, and the peer may be quicker than the look at the channel.
void begin_to_send(Job& job, Operation& operation, int peer) {
  operation.start();
  Connections& connections = job.engine(0).connections();
  while (operation.request.state() == State::active) {
    const protocols::Channel* const channel = connections.find(peer);
    if (channel && channel->awaits_acknowledgement()) return;
    connections.progress_transports();
    connections.adopt_links();
    connections.progress_all();
    operation.request.advance();
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("who gives up what it sends leaves others an error, or the right data",
          "[buffers][threads]") {
  std::atomic<int> errors = 0;
  for (const char* const algorithm : {"bcast=linear", "bcast=chain(segment=6000)"})
    for (std::uint32_t seed = 1; seed <= 24; ++seed) {
      INFO(algorithm << ", seed=" << seed);
      constexpr int P = 3;
      Job job(P, wire_of(seed));
      job.rules.forced = collectives::parse_choices(algorithm);
      const collectives::Task task = task_of(Collective::bcast, kRendezvous);
      const auto outcomes = job.run([&](int rank) {
        Operation(job.world(rank), task).run();  // connects
        if (rank != 0) {
          const Code code = outcome_of([&] { Operation(job.world(rank), task).run(); }).code;
          if (code == Code::internal) throw Error(code, "a wrong result");
          errors += code != Code::success;
          return;
        }
        Operation given_up(job.world(0), task);
        begin_to_send(job, given_up, 1 + static_cast<int>(seed) % (P - 1));
        job.world(0).agreement().failure().record(Code::timed_out, 1, "the test wants it to fail");
        if (outcome_of([&] { given_up.request.wait(); }).code == Code::timed_out)
          given_up.buffers.poison();
        // The program goes on for a while.
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
        while (std::chrono::steady_clock::now() < end)
          job.engine(0).connections().progress_transports();
      });
      for (const Outcome& outcome : outcomes) {
        INFO(outcome.message);
        CHECK(outcome.code == Code::success);
      }
    }
  CHECK(errors > 0);
}

TEST_CASE("a message that does not leave costs its connection, and not its buffer", "[buffers]") {
  Hostility hostility{5, true, true, true};
  Job job(2, hostility);
  const collectives::Task task = task_of(Collective::bcast, kRendezvous);
  Operation sends(job.world(0), task), receives(job.world(1), task);
  sends.start();
  receives.start();
  const protocols::Channel& channel = job.engine(0).connections().channel(1);
  for (int i = 0; i < 10'000 && !channel.awaits_acknowledgement(); ++i) {
    job.progress();
    sends.request.advance();
    receives.request.advance();
  }
  REQUIRE(channel.awaits_acknowledgement());
  job.world(0).agreement().failure().record(Code::timed_out, 1, "the test wants it to fail");
  // Rank 1 takes nothing in meanwhile.
  CHECK(outcome_of([&] { sends.request.wait(); }).code == Code::timed_out);
  CHECK_FALSE(job.net.registrar.covers(sends.buffers.output.data(), 1, false));
  sends.buffers.poison();
  CHECK(channel.failed());
  CHECK(channel.failure_code() == Code::transport_failed);
  CHECK(outcome_of([&] { receives.request.wait(); }).code == Code::transport_failed);
}

// The sender computes, and takes nothing in; the wire is slow. A scatter has one message.
TEST_CASE("a receive that is given up while its message comes leaves the connection to others",
          "[buffers]") {
  for (const bool polls : {true, false}) {
    INFO("polls " << polls);
    Hostility hostility{6, polls, true, true};
    hostility.holds_writes = true;
    Job job(2, hostility);
    const Job::Communicators others = job.make(2, {0, 1});
    const collectives::Task task = task_of(Collective::scatter, kRendezvous);
    Operation sends(job.world(0), task), receives(job.world(1), task);
    sends.start();
    receives.start();
    const protocols::Channel& channel = job.engine(0).connections().channel(1);
    for (int i = 0; i < 10'000 && !channel.awaits_acknowledgement(); ++i) {
      job.progress();
      sends.request.advance();
      receives.request.advance();
    }
    REQUIRE(channel.awaits_acknowledgement());
    job.world(1).agreement().failure().record(Code::timed_out, 0, "the test wants it to fail");
    CHECK(outcome_of([&] { receives.request.wait(); }).code == Code::timed_out);
    CHECK_FALSE(job.net.registrar.covers(receives.buffers.output.data(), 1));
    receives.buffers.poison();
    CHECK(outcome_of([&] { sends.request.wait(); }).code == Code::success);
    std::vector<std::unique_ptr<Operation>> both;
    for (const auto& other : others) both.push_back(std::make_unique<Operation>(*other, task));
    for (const auto& operation : both) operation->start();
    REQUIRE(job.finish(both));
    for (const auto& operation : both) CHECK(operation->right());
  }
}
