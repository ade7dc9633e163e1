// Bound requests: what they need is found, made and registered once, however often they start.
#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <random>

#include "src/job/plan.hpp"
#include "tests/src/job/bound_operation.hpp"

using namespace tutti;
using namespace tutti::tests;
using State = Request::State;

namespace {

// Longer than eager messages, and no whole number of pages, so that blocks share some.
constexpr Bytes kBlock = 40'000;

constexpr Collective kMoved[] = {
    Collective::bcast,    Collective::scatter,   Collective::gather, Collective::allgather,
    Collective::alltoall, Collective::allreduce, Collective::reduce, Collective::reduce_scatter};

Hostility long_messages(std::uint32_t seed) {
  Hostility hostility{seed, seed % 2 == 0, true, true};
  hostility.deliver = 1;
  hostility.refuse = 0.05;
  return hostility;
}

// The cache keeps nothing that is not in use.
Configuration keeping_nothing() {
  Configuration c = Job::settings();
  c.registration_cache = true;
  c.registration_cache_bytes = 0;
  return c;
}

// One rank's requests, made by its thread and used again by others.
using BoundRequests = std::vector<std::unique_ptr<Bound>>;

// All of a job's ranks make the call once, and then `more` times; how many registrations the one
// and the others have taken. Only the root of a rooted call is in place.
std::pair<int, int> registrations(Job& job, const collectives::Task& task, int more) {
  BoundRequests all(static_cast<std::size_t>(job.size()));
  const auto repeat = [&](int times) {
    const int before = job.net.registrar.adds;
    check_success(job.run([&](int rank) {
      auto& mine = all[static_cast<std::size_t>(rank)];
      collectives::Task here = task;
      if (is_rooted(task.collective)) here.in_place = task.in_place && rank == task.root;
      if (!mine) mine = std::make_unique<Bound>(job.world(rank), here);
      for (int i = 0; i < times; ++i) mine->repeat();
    }));
    return job.net.registrar.adds - before;
  };
  const int first = repeat(1);
  return {first, repeat(more)};
}

}  // namespace

TEST_CASE("the buffers of a bound request stay registered from call to call", "[bound][threads]") {
  const auto check = [](int P, const collectives::Task& task, const std::string& algorithm) {
    INFO(name_of(task.collective) << " by `" << algorithm << "`, P=" << P << ", in place "
                                  << task.in_place);
    Job job(P, long_messages(static_cast<std::uint32_t>(P)), keeping_nothing());
    if (!algorithm.empty())
      job.rules.forced =
          collectives::parse_choices(fmt::format("{}={}", name_of(task.collective), algorithm));
    if (outcome_of([&] { job.world(0).plan(task); }).code != Code::success) return;
    const auto [first, later] = registrations(job, task, 3);
    CHECK(later == 0);
    CHECK(first <= 3 * P);  // input, output, scratch
    CHECK(job.net.registrar.live == 0);
  };
  for (const Collective collective : kMoved) {
    for (const auto& algorithm : collectives::algorithms())
      if (algorithm.collective == collective)
        check(3, task_of(collective, kBlock), std::string(algorithm.name));
    for (const int P : {2, 3})
      for (const bool in_place : {false, true}) {
        if (in_place && !collectives::may_be_in_place(collective)) continue;
        collectives::Task task = task_of(collective, kBlock);
        task.in_place = in_place;
        check(P, task, "");
      }
  }
}

TEST_CASE("blocks of many lengths are bound as one buffer", "[bound][threads]") {
  for (const Collective collective :
       {Collective::scatter, Collective::gather, Collective::allgather}) {
    INFO(name_of(collective));
    Job job(3, long_messages(7), keeping_nothing());
    collectives::Task task = task_of(collective);
    task.counts = {kBlock, 0, kBlock / 3};
    const auto [first, later] = registrations(job, task, 3);
    CHECK(first > 0);
    CHECK(later == 0);
    CHECK(first <= 2 * 3);
  }
}

TEST_CASE("without the cache a bound request registers as others do", "[bound][threads]") {
  Job job(2, long_messages(3));
  const auto [first, later] = registrations(job, task_of(Collective::allgather, kBlock), 3);
  CHECK(first > 0);
  CHECK(later == 3 * first);
  CHECK(job.net.registrar.live == 0);
}

TEST_CASE("where messages need no registration a bound request has none", "[bound][threads]") {
  Hostility shared_memory{3, true, true, false};
  shared_memory.fetches = shared_memory.passes_pieces = true;
  for (const Collective collective : kMoved) {
    Job job(3, shared_memory);
    CHECK(registrations(job, task_of(collective, kBlock), 3) == std::pair(0, 0));
  }
  Job job(3, long_messages(1));
  CHECK(registrations(job, task_of(Collective::allgather, 8), 3) == std::pair(0, 0));
}

TEST_CASE("a bound request keeps its plan, whatever others make", "[bound][threads]") {
  Job job(2, long_messages(4), keeping_nothing());
  const collectives::Task task = task_of(Collective::bcast, kBlock);
  check_success(job.run([&](int rank) {
    Bound bound(job.world(rank), task);
    bound.repeat();
    const Plan* const plan = &bound.request.plan();
    for (Bytes bytes = 1; bytes <= static_cast<Bytes>(SharedPlans::kMost) + 8; ++bytes)
      Operation(job.world(rank), task_of(Collective::bcast, bytes)).run();
    if (!plan->in_use()) throw Error(Code::internal, "its plan may be dropped");
    bound.repeat();
    if (&bound.request.plan() != plan) throw Error(Code::internal, "it has another plan");
  }));
}

// The buffers of a request that goes before the job does, and of one that never started.
TEST_CASE("what a bound request holds is given back with it", "[bound][threads]") {
  Job job(2, long_messages(6), keeping_nothing());
  const collectives::Task task = task_of(Collective::allgather, kBlock);
  check_success(job.run([&](int rank) {
    Plan& plan = job.world(rank).plan(task);
    Bound never(job.world(rank), task);
    {
      Bound bound(job.world(rank), task);
      bound.repeat();
      if (!plan.in_use()) throw Error(Code::internal, "it holds nothing");
    }
    if (plan.in_use()) throw Error(Code::internal, "it holds an execution still");
  }));
  CHECK(job.net.registrar.live == 0);
}

TEST_CASE("a bound buffer that was unmapped and mapped again is registered anew",
          "[bound][threads]") {
  Job job(2, long_messages(2), keeping_nothing());
  const collectives::Task task = task_of(Collective::bcast, kBlock);
  constexpr std::size_t kMapped = 10 * 4096;
  const auto map = [](void* at) {
    void* const memory = mmap(at, kMapped, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | (at ? MAP_FIXED : 0), -1, 0);
    if (memory == MAP_FAILED) throw Error(Code::system, "mmap failed");
    return static_cast<std::byte*>(memory);
  };
  const Bound expected(job.world(0), task);
  std::byte* const memory = map(nullptr);
  Request receives(job.world(1)), sends(job.world(0));
  receives.bind();
  receives.call.output = memory;
  sends.call.output = const_cast<std::byte*>(expected.buffers.output.data());
  sends.bind();
  for (int round = 0; round < 6; ++round) {
    INFO("round " << round);
    const int before = job.net.registrar.adds;
    check_success(job.run([&](int rank) {
      Request& request = rank == 0 ? sends : receives;
      request.start(job.world(rank).plan(task));
      request.wait();
    }));
    CHECK(std::memcmp(memory, expected.buffers.output.data(), kBlock) == 0);
    // Both at first; then the one whose pages went.
    CHECK(job.net.registrar.adds - before == (round == 0 ? 2 : round % 2 == 0 ? 1 : 0));
    if (round % 2 != 0) {
      REQUIRE(munmap(memory, kMapped) == 0);
      REQUIRE(map(memory) == memory);
    }
  }
  munmap(memory, kMapped);
}

TEST_CASE("a buffer that cannot be bound is registered message by message", "[bound][threads]") {
  const collectives::Task task = task_of(Collective::alltoall, kBlock);
  for (int nth = 1; nth <= 6; ++nth) {  // two ranks, two buffers each
    INFO("registration " << nth << " fails");
    Hostility hostility = long_messages(3);
    hostility.fail_registration = nth;
    Job job(2, hostility, keeping_nothing());
    check_success(job.run([&](int rank) {
      Bound bound(job.world(rank), task);
      for (int i = 0; i < 3; ++i) bound.repeat();
    }));
  }
}

TEST_CASE("bound requests, others and blocking calls share buffers and connections",
          "[bound][threads]") {
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    constexpr int P = 3;
    INFO("seed=" << seed);
    Hostility hostility = hostility_of(seed);
    hostility.registers = seed % 3 != 0;
    Job job(P, hostility, seed % 2 == 0 ? Job::settings() : keeping_nothing());
    check_success(job.run([&](int rank) {
      std::mt19937 random(seed);  // alike on all ranks
      std::vector<std::unique_ptr<Bound>> bound(4);
      for (int round = 0; round < 12; ++round) {
        std::unique_ptr<Bound>& one = bound[random() % bound.size()];
        const auto task = any_task(static_cast<std::uint32_t>(random()), P);
        if (!one || random() % 4 == 0) one = std::make_unique<Bound>(job.world(rank), task);
        one->repeat();
        // A call that is not bound, on the same buffers, while another one is under way.
        one->refill();
        Request blocking(job.world(rank));
        blocking.call = one->request.call;
        blocking.start(one->request.plan());
        blocking.wait();
        if (!one->right()) throw Error(Code::internal, "a wrong result");
        Operation other(job.world(rank), one->problem);
        other.start();
        one->repeat();
        other.request.wait();
        if (!other.right()) throw Error(Code::internal, "a wrong result");
      }
    }));
  }
}

// --- failures ----------------------------------------------------------------------------------

namespace {

// May a peer write to its output? The last block of an allgather comes from the last rank.
bool is_exposed(const Job& job, const Bound& bound) {
  return job.net.registrar.covers(bound.output() + bound.buffers.output.size() - 1, 1);
}

}  // namespace

TEST_CASE("a bound request that fails releases its buffers", "[bound]") {
  for (const int rounds : {0, 2}) {  // before it fails
    INFO(rounds << " calls before");
    Job job(2, long_messages(5), keeping_nothing());
    const collectives::Task task = task_of(Collective::allgather, kBlock);
    Bound mine(job.world(0), task), theirs(job.world(1), task);
    for (int i = 0; i < rounds; ++i) {
      mine.start();
      theirs.start();
      REQUIRE(job.finish(std::vector{&mine, &theirs}));
    }
    CHECK(is_exposed(job, mine) == (rounds > 0));
    mine.start();
    for (int i = 0; i < 1000; ++i) {
      job.progress();
      mine.request.advance();
    }
    REQUIRE(is_exposed(job, mine));
    job.world(0).agreement().failure().record(Code::timed_out, 1, "the test wants it to fail");
    CHECK(outcome_of([&] { mine.request.wait(); }).code == Code::timed_out);
    CHECK(mine.request.state() == State::failed);
    CHECK_FALSE(is_exposed(job, mine));
    // The connection is well.
    CHECK_FALSE(job.engine(0).connections().channel(1).failed());
    CHECK(outcome_of([&] { mine.start(); }).code == Code::timed_out);
  }
}

TEST_CASE("a failure takes from others' bound requests nothing", "[bound][threads]") {
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    INFO("seed=" << seed);
    constexpr int P = 3;
    Job job(P, long_messages(seed), keeping_nothing());
    const Job::Communicators others = job.make(2, {0, 1, 2});
    const collectives::Task task = task_of(Collective::allgather, kBlock);
    const auto outcomes = job.run([&](int rank) {
      const auto place = static_cast<std::size_t>(rank);
      Bound stays(*others[place], task), fails(job.world(rank), task);
      fails.request.call.output = stays.output();  // both on the same buffer
      stays.repeat();
      // One rank gives its call up, at a moment of the seed's.
      if (rank == static_cast<int>(seed) % P) {
        fails.start();
        for (std::uint32_t i = 0; i < 20 * seed; ++i) {
          job.engine(rank).connections().progress_transports();
          fails.request.advance();
        }
        job.world(rank).agreement().failure().record(Code::timed_out, rank, "the test");
      }
      const Code code = outcome_of([&] {
                          if (fails.request.state() == State::idle) fails.start();
                          fails.request.wait();
                          fails.start();
                          fails.request.wait();
                        }).code;
      if (code != Code::timed_out) throw Error(Code::internal, "it went on");
      for (int i = 0; i < 3; ++i) stays.repeat();
    });
    check_success(outcomes);
    CHECK(job.net.registrar.live == 0);
  }
}

// It dies before it sends: the buffer has been offered to it.
TEST_CASE("the death of a peer ends a bound request, and its buffers go back", "[bound]") {
  Job job(2, long_messages(8), keeping_nothing());
  const collectives::Task task = task_of(Collective::alltoall, kBlock);
  Bound mine(job.world(0), task), theirs(job.world(1), task);
  mine.start();
  theirs.start();
  REQUIRE(job.finish(std::vector{&mine, &theirs}));
  REQUIRE(is_exposed(job, mine));
  mine.start();
  for (int i = 0; i < 100; ++i) {
    job.progress();
    mine.request.advance();
  }
  REQUIRE(mine.request.state() == State::active);
  job.net.stop(1);
  CHECK(outcome_of([&] { mine.request.wait(); }).code == Code::peer_failed);
  CHECK_FALSE(is_exposed(job, mine));
}
