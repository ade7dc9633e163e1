// The check of calls: ranks that claim the same go on, others all get the same words.
#include "src/job/call_check.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "base/index.hpp"
#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

// One rank's claim, by the letter of its group.
struct Said {
  char letter;
  Claim claim() const { return {std::uint64_t(letter), std::uint64_t(letter), false}; }
  std::string words() const { return fmt::format("a {}(1)", letter); }
};

Outcome compared(CallCheck& check, const Claim& claim, const std::string& words,
                 const collectives::Task& task = {}) {
  return outcome_of([&] { check.compare(claim, task, [&] { return words; }); });
}

}  // namespace

TEST_CASE("ranks that claim the same go on, with any algorithm and call", "[check][threads]") {
  for (int P = 2; P <= 5; ++P)
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      INFO("P=" << P << " seed=" << seed);
      Job job(P, hostility_of(seed));
      const auto outcomes = job.run([&](int rank) {
        Communicator& world = job.world(rank);
        const auto must_have_begun = [&](int calls) {
          if (world.agreement().count().begun() != static_cast<std::uint64_t>(calls))
            throw Error(Code::internal, "not so many calls have begun: " + std::to_string(calls));
        };
        world.agreement().count().count_checks();
        CallCheck check(world);
        for (int i = 0; i < 5; ++i) {
          const auto task = any_task(seed * 7u + static_cast<std::uint32_t>(i), P);
          check.compare({1, 2, rank == 0 && i == 3}, task, [] { return std::string("never"); });
          Operation(world, task).run();
          must_have_begun(i + 1);
        }
        // A call that all reject is one call, too, and so is the next one.
        world.refuse(Code::bad_count);
        must_have_begun(6);
        check.compare({1, 2, false}, {}, [] { return std::string("never"); });
        Operation(world, task_of(Collective::barrier)).run();
        must_have_begun(7);
      });
      for (const Outcome& outcome : outcomes) CHECK(outcome.message == "");
    }
}

TEST_CASE("if claims differ, all ranks get the same words, and keep them", "[check][threads]") {
  struct Case {
    std::string letters;
    const char* words;
  };
  for (const auto& [letters, words] :
       {Case{"AB", "a A(1) on rank 0 of MPI_COMM_WORLD, and a B(1) on rank 1"},
        Case{"ABA", "a A(1) on ranks 0, 2 of MPI_COMM_WORLD, and a B(1) on rank 1"},
        Case{"AAAB", "a A(1) on ranks 0-2 of MPI_COMM_WORLD, and a B(1) on rank 3"},
        Case{"ABCDE",
             "a A(1) on rank 0 of MPI_COMM_WORLD, and a B(1) on rank 1, and a C(1) on "
             "rank 2, and a D(1) on rank 3, and 1 more on others"}})
    for (std::uint32_t seed = 1; seed <= 4; ++seed) {
      const int P = static_cast<int>(letters.size());
      INFO(letters << " seed=" << seed);
      Job job(P, hostility_of(seed));
      const Job::Communicators others = job.make(2, [&] {
        std::vector<int> all;
        for (int rank = 0; rank < P; ++rank) all.push_back(rank);
        return all;
      }());
      std::vector<Outcome> again(index(P));
      const auto outcomes = job.run([&](int rank) {
        Communicator& world = job.world(rank);
        world.agreement().members().set_name("solver");
        world.agreement().count().count_checks();
        const Said said{letters[index(rank)]};
        CallCheck check(world);
        check.compare({1, 2, false}, {}, [] { return std::string("never"); });
        Operation(world, task_of(Collective::barrier)).run();
        const Outcome first = compared(check, said.claim(), said.words());
        again[index(rank)] = compared(check, {1, 2, false}, "never");
        Operation(*others[index(rank)], task_of(Collective::barrier)).run();
        throw Error(first.code, first.message, first.peer);
      });
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        CHECK(outcomes[i].code == Code::calls_differ);
        CHECK(outcomes[i].message ==
              std::string("ranks make different calls: call 2 of communicator `solver` is ") +
                  words);
        CHECK(outcomes[i].peer != static_cast<int>(i));
        CHECK(again[i].message == outcomes[i].message);
      }
    }
}

TEST_CASE("if one rank knows a type by its bytes only, these are compared", "[check][threads]") {
  for (const bool differs : {false, true}) {
    Job job(3, {});
    const auto outcomes = job.run([&](int rank) {
      job.world(rank).agreement().count().count_checks();
      CallCheck check(job.world(rank));
      check.compare({std::uint64_t(rank), differs && rank == 2 ? 9u : 8u, rank == 1}, {},
                    [] { return std::string("some call"); });
    });
    for (const Outcome& outcome : outcomes)
      CHECK(outcome.code == (differs ? Code::calls_differ : Code::success));
  }
}

TEST_CASE("long words, and those of a broken peer, end", "[check][threads]") {
  Job job(2, {});
  const auto outcomes = job.run([&](int rank) {
    job.world(rank).agreement().count().count_checks();
    CallCheck check(job.world(rank));
    check.compare({std::uint64_t(rank), 0, false}, {}, [] { return std::string(5000, 'x'); });
  });
  for (const Outcome& outcome : outcomes) {
    CHECK(outcome.code == Code::calls_differ);
    CHECK(outcome.message.size() < 1000);
  }
}

TEST_CASE("who waits in a check is in the call that is checked", "[check][threads]") {
  Configuration settings = Job::settings();
  settings.timeout_ms = 2000;  // the other rank's thread may begin late
  Job job(2, {}, settings);
  const auto outcomes = job.run([&](int rank) {
    Communicator& world = job.world(rank);
    world.agreement().count().count_checks();
    CallCheck check(world);
    check.compare({}, {}, [] { return std::string(); });
    Operation(world, task_of(Collective::barrier)).run();
    if (rank == 0)
      check.compare({}, task_of(Collective::gather, 3, 1), [] { return std::string(); });
  });
  CHECK(outcomes[0].code == Code::timed_out);
  CHECK_THAT(outcomes[0].message, Catch::Matchers::Contains("has been in call 2 of communicator "
                                                            "number 1 (gather, 3 bytes, root 1)"));
}

TEST_CASE("who rejects its arguments fails the check of the others", "[check][threads]") {
  Job job(3, {});
  const auto outcomes = job.run([&](int rank) {
    Communicator& world = job.world(rank);
    world.agreement().count().count_checks();
    CallCheck check(world);
    if (rank == 1) return world.refuse(Code::bad_root);
    check.compare({}, {}, [] { return std::string(); });
  });
  for (const int rank : {0, 2}) CHECK(outcomes[index(rank)].code == Code::bad_root);
}
