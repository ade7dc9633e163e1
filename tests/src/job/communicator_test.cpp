// Communicators: several at once, and what becomes of one whose member refuses, stops or does
// something else.
#include "src/job/communicator.hpp"

#include <barrier>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/index.hpp"
#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// A rendezvous under way when a call fails may cost its connection: the wire here is slower than
// the time-out of the rank that gives up. So these tests of failures send none.
constexpr Bytes kLong = 3000;

std::vector<int> ranks_from(int first, int end) {
  std::vector<int> ranks;
  for (int rank = first; rank < end; ++rank) ranks.push_back(rank);
  return ranks;
}

// Makes calls until one fails; how it failed. At most so many: then none did.
Outcome first_failure(Communicator& communicator, const collectives::Task& task, int most = 3) {
  Outcome outcome;
  for (int i = 0; i < most && outcome.code == Code::success; ++i)
    outcome = outcome_of([&] { Operation(communicator, task).run(); });
  return outcome;
}

// Until all that the rank has sent has come.
void drain(Job& job, int rank) {
  for (protocols::Channel* const channel : job.engine(rank).connections().all())
    while (!channel->link().drained()) std::this_thread::yield();
}

// The rank stops.
void die(Job& job, int rank) {
  drain(job, rank);
  job.net.stop(rank);
}

// Rank 1 tells rank 0 of a failure, and its connection fails before that was read. Also the steps
// of a call of rank 0, to which it happens between two looks.
struct LastWords {
  void say() {
    job.engine(1).connections().channel(0).news().announce(
        {.communicator = 1, .code = Code::timed_out, .culprit = 2});
    for (int i = 0; i < 5; ++i) job.net.step_to(0);
    channel.link().fail(Code::peer_failed, "the peer has stopped");
  }
  template <class Visit>
  void each_waiting(Visit&& visit) {
    if (++looks == 2) say();
    visit(channel);
  }
  bool fits(protocols::Channel&) const { return true; }

  Job& job;
  protocols::Channel& channel;
  int looks = 0;
};

void all_well(const std::vector<Outcome>& outcomes) {
  for (const Outcome& outcome : outcomes) {
    INFO(outcome.message);
    CHECK(outcome.code == Code::success);
  }
}

}  // namespace

TEST_CASE("a task has one plan, however often it runs", "[communicator]") {
  Job job(2, {});
  Communicator& world = job.world(0);
  const Plan& plan = world.plan(task_of(Collective::allreduce, 800));
  CHECK(&world.plan(task_of(Collective::allreduce, 800)) == &plan);
  CHECK(&world.plan(task_of(Collective::allreduce, 804)) != &plan);
  CHECK(plan.problem().P == 2);
  CHECK(plan.problem().rank == 0);
  const nlohmann::json facts = world.describe()["communicator"];
  CHECK(facts["size"] == 2);
  CHECK(facts["rank"] == 0);
  CHECK(facts["nodes"] == 1);
  CHECK(facts["max_ranks_per_node"] == 2);
  CHECK(facts["failed"] == false);
  CHECK(facts["collectives"].size() == 1);
  CHECK(facts["collectives"]["allreduce"]["algorithm"] == to_string(plan.choice()));
}

TEST_CASE("communicators share the plans of the same members in the same order", "[communicator]") {
  Job job(3, {});
  const auto task = task_of(Collective::allreduce, 800);
  const Plan* const plan = &job.world(0).plan(task);
  const Job::Communicators again = job.make(2, {0, 1, 2}), turned = job.make(3, {0, 2, 1}),
                           fewer = job.make(4, {0, 1});
  CHECK(&again[0]->plan(task) == plan);
  CHECK(&turned[0]->plan(task) != plan);
  CHECK(&fewer[0]->plan(task) != plan);
  // Each describes its own calls, although plans are shared.
  const auto called = [](const Communicator& c) {
    return c.describe()["communicator"]["collectives"].size();
  };
  again[0]->plan(task_of(Collective::bcast, 8));
  CHECK(called(job.world(0)) == 1);
  CHECK(called(*again[0]) == 2);
}

TEST_CASE("a communicator goes on with the plans of one that has failed", "[communicator]") {
  Job job(2, {});
  const auto task = task_of(Collective::allreduce, kLong);
  for (CommunicatorId id = 2; id < 6; ++id) {
    Job::Communicators failing = job.make(id, {0, 1});
    std::vector<Outcome> failures(2);
    all_well(job.run([&](int rank) {
      const auto place = static_cast<std::size_t>(rank);
      if (rank == 1) failing[place]->refuse(Code::bad_count);
      failures[place] = first_failure(*failing[place], task);
      Operation(job.world(rank), task).run();
    }));
    for (const Outcome& failure : failures) CHECK(failure.code == Code::bad_count);
    CHECK(job.world(0).plan(task).in_use());
    failing.clear();
    CHECK_FALSE(job.world(0).plan(task).in_use());
  }
}

TEST_CASE("calls of several communicators are under way at once", "[communicator]") {
  for (std::uint32_t seed = 1; seed <= 12; ++seed) {
    const int P = 3;
    Job job(P, hostility_of(seed), seed % 2 == 0 ? Job::settings() : Job::starved());
    const Job::Communicators reversed = job.make(2, {2, 1, 0}), pair = job.make(3, {2, 0});
    std::mt19937 random(seed);
    for (int round = 0; round < 6; ++round) {
      INFO("seed=" << seed << " round=" << round);
      const auto draw = [&](int size) {
        return any_task(static_cast<std::uint32_t>(random()), size);
      };
      const collectives::Task tasks[] = {draw(P), draw(P), draw(2)};
      std::vector<std::unique_ptr<Operation>> all;
      // Each rank starts them in an order of its own.
      for (int rank = 0; rank < P; ++rank)
        for (std::size_t i = 0, first = random() % 3; i < 3; ++i) {
          const std::size_t which = (first + i) % 3;
          Communicator* const communicators[] = {&job.world(rank),
                                                 reversed[static_cast<std::size_t>(rank)].get(),
                                                 pair[static_cast<std::size_t>(rank)].get()};
          if (!communicators[which]) continue;
          all.push_back(std::make_unique<Operation>(*communicators[which], tasks[which]));
          all.back()->start();
        }
      REQUIRE(job.finish(all));
      for (const auto& operation : all) REQUIRE(operation->right());
    }
  }
}

// --- members that do not take part -------------------------------------------------------------

TEST_CASE("a member that rejects a call fails it for all, with its code",
          "[communicator][threads]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 6; ++seed)
      for (const Bytes bytes : {Bytes{8}, kLong}) {
        INFO("P=" << P << " seed=" << seed << " " << bytes << " bytes");
        Job job(P, hostility_of(seed));
        const Job::Communicators others = job.make(2, ranks_from(0, P));
        const int who = static_cast<int>(seed) % P;
        std::vector<Outcome> failures(static_cast<std::size_t>(P)), again = failures;
        all_well(job.run([&](int rank) {
          const auto i = static_cast<std::size_t>(rank);
          const collectives::Task task = task_of(Collective::allreduce, bytes);
          if (rank == who) job.world(rank).refuse(Code::bad_operation, "op is no operation");
          failures[i] = first_failure(job.world(rank), task);
          again[i] = first_failure(job.world(rank), task_of(Collective::barrier), 1);
          Operation(*others[i], task_of(Collective::barrier)).run();
        }));
        for (std::size_t i = 0; i < failures.size(); ++i) {
          INFO("rank " << i << ": " << failures[i].message);
          CHECK(failures[i].code == Code::bad_operation);
          CHECK(failures[i].peer == who);
          const bool is_own = failures[i].message.find("op is no operation") != std::string::npos;
          CHECK(is_own == (i == static_cast<std::size_t>(who)));
          CHECK(again[i].code == failures[i].code);  // the first cause stays
          CHECK(again[i].message == failures[i].message);
        }
      }
}

TEST_CASE("if all reject a call, the communicator goes on", "[communicator][threads]") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    Job job(3, hostility_of(seed));
    all_well(job.run([&](int rank) {
      for (int i = 0; i < 50; ++i) {
        job.world(rank).refuse(Code::bad_count);
        if (i % 10 == 0) Operation(job.world(rank), task_of(Collective::barrier)).run();
      }
    }));
  }
}

TEST_CASE("a rank that stops fails those who need it, and nobody else", "[communicator][threads]") {
  for (int P = 2; P <= 4; ++P)
    for (std::uint32_t seed = 1; seed <= 6; ++seed)
      for (const Bytes bytes : {Bytes{8}, kLong}) {
        INFO("P=" << P << " seed=" << seed << " " << bytes << " bytes");
        Job job(P, hostility_of(seed));
        const Job::Communicators survivors = job.make(2, ranks_from(1, P));
        std::vector<Outcome> failures(static_cast<std::size_t>(P)), again = failures;
        std::barrier all_have_ended(P);  // else the news of a failed call 2 may end call 1 there
        all_well(job.run([&](int rank) {
          const auto i = static_cast<std::size_t>(rank);
          const collectives::Task task = task_of(Collective::allgather, bytes);
          Operation(job.world(rank), task).run();
          all_have_ended.arrive_and_wait();
          if (rank == 0) return die(job, 0);
          failures[i] = first_failure(job.world(rank), task);
          again[i] = first_failure(job.world(rank), task, 1);
          Operation last(*survivors[i], task);
          last.run();
          if (!last.right()) throw Error(Code::internal, "a wrong result");
          job.engine(rank).disconnect();
        }));
        for (std::size_t i = 1; i < failures.size(); ++i) {
          INFO("rank " << i << ": " << failures[i].message);
          CHECK(failures[i].code == Code::peer_failed);
          CHECK(failures[i].peer == 0);
          CHECK(again[i].message == failures[i].message);
        }
      }
}

// Rank 0 finds that its connection to rank 1 has failed while rank 1 waits for it, and makes no
// call with rank 1 any more.
TEST_CASE("a connection that fails at one end fails at the other, and nowhere else",
          "[communicator][threads]") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    INFO("seed=" << seed);
    Job job(3, hostility_of(seed));
    const Job::Communicators first = job.make(2, {0, 1}), second = job.make(3, {0, 2}),
                             third = job.make(4, {1, 2});
    std::atomic<bool> returned = false;
    Outcome told;
    const auto go_on = [](Communicator& communicator) {
      for (int i = 0; i < 20; ++i)
        Operation(communicator, task_of(Collective::allgather, kLong)).run();
    };
    all_well(job.run([&](int rank) {
      if (rank < 2) Operation(*first[index(rank)], task_of(Collective::barrier)).run();
      if (rank == 0) {
        drain(job, 0);
        job.engine(0).connections().channel(1).link().fail(Code::out_of_memory, "the test says so");
      }
      if (rank == 1) told = first_failure(*first[1], task_of(Collective::barrier));
      if (rank == 1) returned = true;
      if (rank != 1) go_on(*second[index(rank)]);
      while (!returned) std::this_thread::yield();
      if (rank != 0) go_on(*third[index(rank)]);
    }));
    INFO(told.message);
    CHECK(told.code == Code::out_of_memory);
    CHECK(told.peer == 0);
    CHECK_FALSE(first[0]->agreement().failed());  // it has not looked
  }
}

TEST_CASE("what a rank said before its connection failed is the cause", "[communicator]") {
  for (const bool waits : {false, true}) {
    INFO("found by a rank that waits: " << waits);
    Hostility quick;
    quick.latency = 1;
    Job job(3, quick);
    Operation call(job.world(0), task_of(Collective::barrier));
    call.start();
    LastWords last{job, job.engine(0).connections().channel(1)};
    if (waits) {
      WaitState wait_state{.polls = 1000, .yields = 15};  // about to look at all
      job.engine(0).waiting().wait_once(wait_state, job.world(0).agreement(), call.request, last);
    } else {
      last.say();
      job.world(0).blame(call.request, &last.channel);
    }
    CHECK(job.world(0).agreement().failure().code() == Code::timed_out);
    CHECK(job.world(0).agreement().failure().culprit() == 2);
  }
}

TEST_CASE("ranks that make different calls all get an error", "[communicator][threads]") {
  for (int P = 2; P <= 5; ++P)
    for (const std::uint32_t seed : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 90, 111}) {
      std::mt19937 random(seed);
      const auto draw = [&] {
        collectives::Task task = any_task(static_cast<std::uint32_t>(random()), P);
        task.bytes = std::min(task.bytes, kLong);
        return task;
      };
      const collectives::Task usual = draw();
      collectives::Task other = usual;
      while (other == usual) {
        other = draw();
        other.commutative = usual.commutative;  // commutativity is not compared
      }
      INFO("P=" << P << " seed=" << seed << " " << name_of(usual.collective) << " and "
                << name_of(other.collective));
      Job job(P, hostility_of(seed));
      const Job::Communicators others = job.make(2, ranks_from(0, P));
      std::vector<Outcome> failures(static_cast<std::size_t>(P));
      all_well(job.run([&](int rank) {
        const bool differs = rank == static_cast<int>(seed) % P;
        Outcome& mine = failures[static_cast<std::size_t>(rank)];
        mine = first_failure(job.world(rank), differs ? other : usual, 1);
        // For some it may have been enough. They learn of it once a message has come that nobody
        // asks for, which may take any time, and somebody has looked.
        if (mine.code == Code::success)
          mine = first_failure(job.world(rank), task_of(Collective::barrier), 100'000);
        // A rank that knows stays in Tutti until all do, so that others' calls go on.
        Operation(*others[static_cast<std::size_t>(rank)], task_of(Collective::barrier)).run();
      }));
      for (const Outcome& failure : failures) {
        INFO(failure.message);
        CHECK(failure.code == Code::calls_differ);
        CHECK(failure.message.starts_with("ranks make different calls: call "));
      }
    }
}

// Rank 0 takes part in a gather to rank 2, and rank 1 in one to rank 0: both have only to send. The
// wire delivers a message when it is told to, and one thread runs all ranks.
TEST_CASE("a message that comes when its call is over is found when the communicator is freed",
          "[communicator]") {
  enum Moment { before, after };
  for (const Moment comes : {before, after}) {
    INFO("it comes " << (comes == before ? "before" : "after"));
    Hostility hostility;
    hostility.latency = 100;
    Job job(3, hostility);
    Job::Communicators made = job.make(2, {0, 1, 2});
    for (int rank = 0; rank < 3; ++rank)
      for (int peer = 0; peer < 3; ++peer)
        if (peer != rank) job.engine(rank).connections().channel(peer);
    Operation(*made[0], task_of(Collective::gather, 8, 2)).run();
    Operation(*made[1], task_of(Collective::gather, 8, 0)).run();
    if (comes == before)
      for (int i = 0; i < 200; ++i) job.net.step_to(0);  // and nobody has looked
    CHECK_FALSE(made[0]->agreement().failed());
    made[0].reset();
    for (int i = 0; i < 500; ++i) job.progress();
    const Agreement &sender = made[1]->agreement(), &third = made[2]->agreement();
    CHECK(sender.failure().code() == Code::calls_differ);
    CHECK(sender.failure().culprit() == 1);
    // Afterwards rank 0 does not know the members any more. They hear of it if they wait for it.
    CHECK(third.failed() == (comes == before));
  }
}
