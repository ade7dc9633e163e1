// Requests: several at once, waited for or not, in any order, and given up.
#include "src/job/request.hpp"

#include <catch2/catch.hpp>

#include "src/job/plan.hpp"
#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;
using State = Request::State;

namespace {

using Operations = std::vector<std::unique_ptr<Operation>>;

Hostility registering(std::uint32_t seed) {
  Hostility hostility{seed, true, true, true};
  return hostility;
}

// May a peer write into the output? The last block of an allgather comes from the last rank.
bool exposed(const Job& job, const Operation& operation) {
  return job.net.registrar.covers(&operation.buffers.output.back(), 1);
}

// An allgather of long blocks, as far as it goes without the others: they are told where to write.
void expose(Job& job, Operation& operation) {
  operation.start();
  for (int i = 0; i < 1000 && !exposed(job, operation); ++i) {
    job.progress();
    operation.request.advance();
  }
  REQUIRE(exposed(job, operation));
  REQUIRE(operation.request.state() == State::active);
}

// A message of 20,000 bytes takes hours: a rank that may wait for a twentieth of that waits until
// what it waits for has come.
models::Platform slow() {
  return {.name = "slow", .source = "", .between = models::Hockney{{1.0}, {1e6}}};
}

}  // namespace

TEST_CASE("a request is idle, active, done, and can be started again", "[request]") {
  Job job(2, {});
  Operation first(job.world(0), task_of(Collective::bcast, 20000)),
      second(job.world(1), task_of(Collective::bcast, 20000));
  CHECK(first.request.state() == State::idle);
  for (CollectiveNumber round = 0; round < 3; ++round) {
    first.start();
    CHECK(first.request.state() == State::active);
    CHECK(first.request.number() == round);
    second.start();
    REQUIRE(job.finish(std::vector{&first, &second}));
    CHECK(first.right());
    CHECK(second.right());
    first.request.advance();  // nothing to do
    first.request.wait();
    CHECK(first.request.state() == State::done);
    second.buffers.output.assign(second.buffers.output.size(), std::byte{});
  }
}

TEST_CASE("a request that cannot start stays idle and takes no number", "[request]") {
  Job job(2, {});
  collectives::Task folded = task_of(Collective::allreduce, 8);
  folded.left_fold = true;
  Operation operation(job.world(0), task_of(Collective::barrier)), bad(job.world(0), folded);
  job.rules.forced = collectives::parse_choices("allreduce=chain");
  CHECK(outcome_of([&] { bad.start(); }).code == Code::algorithm_not_applicable);
  CHECK(bad.request.state() == State::idle);
  operation.start();
  CHECK(operation.request.number() == 0);
}

TEST_CASE("several calls are under way at once, and nobody waits for one", "[request]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 10; ++seed)
      for (const Configuration& settings : {Job::settings(), Job::starved()}) {
        Job job(P, hostility_of(seed), settings);
        std::mt19937 random(seed);
        for (int round = 0; round < 6; ++round) {
          INFO("P=" << P << " seed=" << seed << " round=" << round
                    << " slots=" << settings.line_slots);
          std::vector<collectives::Task> tasks;
          for (std::size_t i = 0; i < 2 + seed % 2; ++i)
            tasks.push_back(any_task(static_cast<std::uint32_t>(random()), P));
          // In the same order on all ranks, but each rank at times of its own.
          Operations all;
          for (int rank = 0; rank < P; ++rank)
            for (const collectives::Task& task : tasks) {
              all.push_back(std::make_unique<Operation>(job.world(rank), task));
              all.back()->start();
              for (auto steps = random() % 20; steps > 0; --steps) {
                job.progress();
                all[random() % all.size()]->request.advance();
              }
            }
          REQUIRE(job.finish(all));
          for (const auto& operation : all) REQUIRE(operation->right());
        }
      }
}

TEST_CASE("messages to ranks that start at the same time set off in the start",
          "[request][threads]") {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    INFO("seed=" << seed);
    Job job(3, {.seed = seed, .polls_memory = seed % 2 == 0}, Job::settings(), false, slow());
    job.rules.forced = collectives::parse_choices("alltoall=at-once");
    std::vector<std::unique_ptr<Operation>> all;
    for (int rank = 0; rank < 3; ++rank)
      all.push_back(
          std::make_unique<Operation>(job.world(rank), task_of(Collective::alltoall, 20000)));
    for (const Outcome& outcome : job.run([&](int rank) {
           Operation& mine = *all[static_cast<std::size_t>(rank)];
           mine.start();
           mine.request.await_invitations();
         }))
      REQUIRE(outcome.message == "");
    // From here on no rank advances its call.
    const auto has_come = [](const auto& operation) {
      return operation->buffers.right(collectives::problems_of_all_ranks(operation->problem));
    };
    int steps = 0;
    while (!std::ranges::all_of(all, has_come) && ++steps < 100'000) job.progress();
    CHECK(std::ranges::all_of(all, has_come));
    REQUIRE(job.finish(all));
  }
}

TEST_CASE("nobody looks for invitations to messages that need none, or the rank's help",
          "[request]") {
  const auto time_of = [](bool fetches, Bytes bytes) {
    Job job(2, {.seed = 1, .fetches = fetches}, Job::settings(), false, slow());
    return job.world(0).plan(task_of(Collective::alltoall, bytes)).time_for_invitations().count();
  };
  CHECK(time_of(false, 20000) > 0);
  CHECK(time_of(false, 8) == 0);
  CHECK(time_of(true, 20000) == 0);
}

TEST_CASE("calls under way at once are waited for in any order", "[request][threads]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 6; ++seed) {
      INFO("P=" << P << " seed=" << seed);
      Job job(P, hostility_of(seed), seed % 2 == 0 ? Job::settings() : Job::starved());
      const auto outcomes = job.run([&](int rank) {
        std::mt19937 random(seed), order(seed * 100 + static_cast<std::uint32_t>(rank));
        for (int round = 0; round < 4; ++round) {
          Operations all;
          for (int i = 0; i < 3; ++i) {
            all.push_back(std::make_unique<Operation>(
                job.world(rank), any_task(static_cast<std::uint32_t>(random()), P)));
            all.back()->start();
          }
          std::shuffle(all.begin(), all.end(), order);
          for (const auto& operation : all) operation->request.wait();
          for (const auto& operation : all)
            if (!operation->right()) throw Error(Code::internal, "a wrong result");
        }
      });
      for (const Outcome& outcome : outcomes) {
        INFO(outcome.message);
        CHECK(outcome.code == Code::success);
      }
    }
}

// --- failure and giving up ---------------------------------------------------------------------

TEST_CASE("a call that a member has rejected before fails when it starts", "[request]") {
  Job job(2, {});
  for (const int rank : {0, 1}) job.engine(rank).connections().channel(1 - rank);
  job.world(1).refuse(Code::bad_count);
  for (int i = 0; i < 100; ++i) job.progress();
  Operation operation(job.world(0), task_of(Collective::barrier));
  const Outcome outcome = outcome_of([&] { operation.start(); });
  CHECK(outcome.code == Code::bad_count);
  CHECK(outcome.peer == 1);
  CHECK(operation.request.state() == State::failed);
  CHECK(outcome_of([&] { operation.request.wait(); }).code == Code::bad_count);
}

TEST_CASE("after the wait for a failed call nobody writes into its buffers", "[request]") {
  Job job(2, registering(1));
  Operation operation(job.world(0), task_of(Collective::allgather, 20000)),
      other(job.world(0), task_of(Collective::barrier));
  expose(job, operation);
  job.world(0).agreement().failure().record(Code::timed_out, 1, "the test wants it to fail");
  SECTION("it is the first to say so") {}
  SECTION("another call has said so") {
    CHECK(outcome_of([&] { other.start(); }).code == Code::timed_out);
    CHECK(other.request.state() == State::idle);
    CHECK(operation.request.state() == State::active);
  }
  CHECK(outcome_of([&] { operation.request.wait(); }).code == Code::timed_out);
  CHECK(operation.request.state() == State::failed);
  CHECK_FALSE(exposed(job, operation));
}

TEST_CASE("nobody writes into the buffers of a call that was given up", "[request]") {
  Job job(2, registering(2));
  Operation mine(job.world(0), task_of(Collective::allgather, 20000));
  Operation theirs(job.world(1), task_of(Collective::allgather, 20000));
  {
    Operation given_up(job.world(0), task_of(Collective::allgather, 20000));
    given_up.buffers.output.swap(mine.buffers.output);  // outlives the request
    given_up.request.call.output = given_up.buffers.output.data();
    expose(job, given_up);
    given_up.buffers.output.swap(mine.buffers.output);
  }
  CHECK_FALSE(exposed(job, mine));
  // The member that takes part in it learns that it will not end.
  const Outcome here = outcome_of([&] { mine.start(); });
  CHECK(here.code == Code::internal);
  CHECK(here.peer == 0);
  const Agreement& agreement = job.world(1).agreement();
  for (int i = 0; i < 100'000 && !agreement.failed(); ++i) job.progress();
  const Outcome there = outcome_of([&] { theirs.start(); });
  CHECK(there.code == Code::internal);
  CHECK(there.peer == 0);
}

TEST_CASE("who waits in a call that another gives up gets an error", "[request][threads]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 6; ++seed)
      for (const collectives::Task& task :
           {task_of(Collective::barrier), task_of(Collective::allreduce, 200),
            task_of(Collective::allgather, 3000)}) {
        INFO("P=" << P << " seed=" << seed << " " << name_of(task.collective));
        Job job(P, hostility_of(seed));
        std::vector<int> all;
        for (int rank = 0; rank < P; ++rank) all.push_back(rank);
        const Job::Communicators others = job.make(2, all);
        const int who = static_cast<int>(seed) % P;
        std::vector<Code> codes(static_cast<std::size_t>(P));
        const auto outcomes = job.run([&](int rank) {
          Code& code = codes[static_cast<std::size_t>(rank)];
          if (rank == who) Operation(job.world(rank), task).start();
          // Its messages may be enough for the call of another, but not for the next.
          for (int i = 0; i < 3 && code == Code::success; ++i)
            code = outcome_of([&] { Operation(job.world(rank), task).run(); }).code;
          // Other communicators go on.
          Operation(*others[static_cast<std::size_t>(rank)], task_of(Collective::barrier)).run();
        });
        for (const Outcome& outcome : outcomes) {
          INFO(outcome.message);
          CHECK(outcome.code == Code::success);
        }
        for (const Code code : codes) CHECK(code == Code::internal);
      }
}
