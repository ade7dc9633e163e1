// Waiting: for what is slow, for what never comes, and without keeping others from their calls.
#include "src/job/waiting.hpp"

#include <catch2/catch.hpp>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;
using namespace std::chrono_literals;

namespace {

Outcome barrier(Communicator& communicator) {
  return outcome_of([&] { Operation(communicator, task_of(Collective::barrier)).run(); });
}

}  // namespace

TEST_CASE("a wait ends with the user's limit, and names who did not come", "[waiting][threads]") {
  Configuration settings = Job::settings();
  settings.timeout_ms = 30;
  Job job(2, {}, settings);
  const auto outcomes = job.run([&](int rank) {
    if (rank == 0) Operation(job.world(0), task_of(Collective::barrier)).run();
  });
  CHECK(outcomes[0].code == Code::timed_out);
  CHECK(outcomes[0].peer == 1);
  CHECK(outcomes[0].message.find("30 ms") != std::string::npos);
  CHECK(outcomes[1].code == Code::success);
}

TEST_CASE("who waits hears where the others are", "[waiting][threads]") {
  Configuration settings = Job::settings();
  settings.timeout_ms = 2000;
  Job job(2, {}, settings);
  const Job::Communicators second = job.make(2, {0, 1});
  job.world(0).agreement().members().set_name("solver");
  for (const auto& communicator : second) communicator->agreement().members().set_name("halo");
  const auto says = [](const Outcome& outcome, const char* words) {
    CHECK(outcome.code == Code::timed_out);
    CHECK_THAT(outcome.message, Catch::Matchers::Contains(words));
  };
  SECTION("in a call of another communicator") {
    const auto outcomes = job.run([&](int rank) {
      Operation(job.world(rank), task_of(Collective::barrier)).run();
      Communicator& mine = rank == 0 ? job.world(0) : *second[1];
      Operation(mine, task_of(Collective::allreduce, 24)).run();
    });
    says(outcomes[0], "has been in call 2 of communicator `solver` (allreduce, 24 bytes) for ");
    says(outcomes[0],
         "It waits for rank 1, which has made one call there, and is in a call of "
         "communicator `halo` (allreduce, 24 bytes). See HANGS in tutti(1)");
    // Rank 1 knows no name for the other one.
    says(outcomes[1], "is in a call of communicator number 1 (allreduce, 24 bytes)");
  }
  SECTION("in none") {
    job.run([&](int rank) { Operation(job.world(rank), task_of(Collective::barrier)).run(); });
    const auto outcomes = job.run([&](int rank) {
      if (rank == 0) Operation(job.world(0), task_of(Collective::gather, 3, 0)).run();
    });
    says(outcomes[0], "has been in call 2 of communicator `solver` (gather, 3 bytes, root 0) for");
    says(outcomes[0], "rank 1, which has been in no collective of Tutti's for ");
  }
}

TEST_CASE("slow is not dead", "[waiting][threads]") {
  for (const int spin : {0, 100}) {
    Configuration settings = Job::settings();
    settings.spin = spin;
    settings.probe_interval_ms = 1;
    Job job(3, {}, settings);
    const auto outcomes = job.run([&](int rank) {
      if (rank == 2) std::this_thread::sleep_for(60ms);  // others begin to sleep, and probe
      Operation(job.world(rank), task_of(Collective::barrier)).run();
    });
    for (const Outcome& outcome : outcomes) CHECK(outcome.code == Code::success);
  }
}

TEST_CASE("who waits for a rank that has left gets an error", "[waiting][threads]") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    Job job(2, hostility_of(seed));
    const auto outcomes = job.run([&](int rank) {
      Operation(job.world(rank), task_of(Collective::allgather, 3000)).run();
      if (rank == 0) return job.engine(0).disconnect();
      Operation(job.world(1), task_of(Collective::barrier)).run();
    });
    CHECK(outcomes[0].code == Code::success);
    CHECK(outcomes[1].code == Code::peer_finalized);
    CHECK(outcomes[1].peer == 0);
  }
}

TEST_CASE("a mistake shows in what a rank sent that does not come back", "[waiting][threads]") {
  struct Mistake {
    Bytes sent, expected;
    Rank root;  // that the last rank passes
    const char* what;
  };
  for (const Mistake& mistake :
       {Mistake{8, 200, 0, "8 bytes came where 200"}, Mistake{200, 8, 0, "200 bytes came where 8"},
        Mistake{200, 20000, 0, "200 bytes came where 20000"},
        Mistake{8, 8, 1, "ranks make different calls: call 1 of "}}) {
    INFO(mistake.what);
    Hostility wire;
    wire.connects_at_once = false;  // the last rank learns who has connected to it
    Job job(3, wire);
    const auto outcomes = job.run([&](int rank) {
      const bool last = rank == 2;
      Operation(job.world(rank), task_of(Collective::bcast, last ? mistake.expected : mistake.sent,
                                         last ? mistake.root : 0))
          .run();
    });
    // Its call has ended, unless it hears before that the last rank's has failed.
    CHECK((outcomes[0].code == Code::success || outcomes[0].code == Code::calls_differ));
    CHECK(outcomes[2].code == Code::calls_differ);
    // The last rank learns it from a message, or from a rank that asks for it, whichever is first.
    const std::string& told = outcomes[2].message;
    INFO(told);
    CHECK((told.find(mistake.what) != std::string::npos ||
           told.find("ranks make different calls: call 1 of ") != std::string::npos));
  }
}

TEST_CASE("while one thread waits, another calls", "[waiting][threads]") {
  for (const int spin : {0, 100}) {
    Configuration settings = Job::settings();
    settings.spin = spin;
    Job job(2, {}, settings, true);
    const Job::Communicators second = job.make(2, {0, 1});
    // One thread of rank 0 waits in the first call for as long as the other one has not been in
    // the second.
    std::atomic<bool> waits = false;
    Outcome first_thread, second_thread, other_rank;
    std::thread one([&] {
      const auto lock = job.engine(0).enter();
      waits = true;
      first_thread = barrier(job.world(0));
    });
    std::thread two([&] {
      while (!waits) std::this_thread::yield();
      const auto lock = job.engine(0).enter();
      second_thread = barrier(*second[0]);
    });
    std::thread three([&] {
      const auto lock = job.engine(1).enter();
      other_rank = barrier(*second[1]);
      if (other_rank.code == Code::success) other_rank = barrier(job.world(1));
    });
    for (std::thread* const thread : {&one, &two, &three}) thread->join();
    CHECK(first_thread.message == "");
    CHECK(second_thread.message == "");
    CHECK(other_rank.message == "");
  }
}
