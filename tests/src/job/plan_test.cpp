// Plans: found by their task, kept while they are in use, and their executions used again.
#include "src/job/plan.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "tests/protocols/pair.hpp"
#include "tests/src/job/member.hpp"

using namespace tutti;
using collectives::Collective;
using collectives::Problem;
using collectives::Task;
using tests::bcast;

namespace {

// An algorithm that runs every call.
collectives::Choice first_of(Collective collective) {
  for (const auto& algorithm : collectives::algorithms())
    if (algorithm.collective == collective && algorithm.needs.each().empty()) return {&algorithm};
  return {};
}

// For a communicator of one rank, unless `P` says otherwise; then to connect is an error.
std::unique_ptr<Plan> plan_for(const Task& task, int P = 1, int rank = 0,
                               collectives::Choice choice = {}) {
  const Problem problem{task, P, rank};
  const Plan::PlanContext means{
      [](Rank peer) -> protocols::Channel& { throw Error(Code::unreachable, "no wire", peer); },
      nullptr, [](Rank r) { return r; }};
  if (!choice.algorithm) choice = first_of(task.collective);
  return std::make_unique<Plan>(problem, choice, means);
}

// Plans whose dropped ones are known by their bytes; shared with others, or with nobody.
struct Kept {
  Kept() = default;
  explicit Kept(SharedPlans& others) : shared(others) {}
  SharedPlans own;
  SharedPlans& shared = own;
  std::vector<Bytes> forgotten;
  Plans plans{shared, [this](const Task& task) { forgotten.push_back(task.bytes); }};
  Plan& add(const Task& task) { return plans.add(plan_for(task)); }
};

}  // namespace

// --- one plan ----------------------------------------------------------------------------------

TEST_CASE("an execution that was given back is taken again", "[plan]") {
  const auto plan = plan_for(bcast(100));
  CHECK_FALSE(plan->in_use());
  Running* const first = plan->take();
  Running* const second = plan->take();
  CHECK(first != second);
  CHECK(plan->in_use());
  plan->give_back(first);
  CHECK(plan->in_use());
  CHECK(plan->take() == first);
  plan->give_back(second);
  plan->give_back(first);
  CHECK_FALSE(plan->in_use());
  const std::set<Running*> again{plan->take(), plan->take()};
  CHECK(again == std::set<Running*>{first, second});
}

TEST_CASE("a plan connects to the peers of its schedule, or is not made", "[plan]") {
  try {
    plan_for(bcast(100), 2, 1);
    FAIL("there is no wire");
  } catch (const Error& error) {
    CHECK(error.code == Code::unreachable);
    CHECK(error.peer == 0);
  }
}

TEST_CASE("calls that do not match bear different marks", "[plan]") {
  std::set<Ordinal> marks;
  for (std::size_t c = 0; c < collectives::kCollectives; ++c) {
    const auto plan = plan_for({.collective = static_cast<Collective>(c)});
    CHECK((plan->mark() & ((1u << kOrdinalBits) - 1)) == 0);
    marks.insert(plan->mark());
  }
  CHECK(marks.size() == collectives::kCollectives);
  CHECK(marks.count(0) == 0);
  CHECK(plan_for(bcast(1, 0))->mark() != plan_for(bcast(1, 1))->mark());
}

// Another size may lead to another algorithm, whose messages may be as long.
TEST_CASE("all algorithms of a collective have marks of their own", "[plan]") {
  for (std::size_t c = 0; c < collectives::kCollectives; ++c) {
    const Task task{.collective = static_cast<Collective>(c), .bytes = 1000};
    std::set<Ordinal> marks;
    int made = 0;
    for (const auto& algorithm : collectives::algorithms()) {
      if (algorithm.collective != task.collective || !algorithm.needs.each().empty()) continue;
      marks.insert(plan_for(task, 1, 0, {&algorithm})->mark());
      ++made;
    }
    CHECK(static_cast<int>(marks.size()) == made);
  }
}

// --- plans -------------------------------------------------------------------------------------

TEST_CASE("a plan is found by every fact of its task", "[plan]") {
  Kept kept;
  Task task{.collective = Collective::alltoall, .counts = {100}, .receive_counts = {100}};
  const auto differs = [&](auto member, auto value) {
    Task other = task;
    other.*member = value;
    return kept.plans.find(other) == nullptr;
  };
  CHECK(kept.plans.find(task) == nullptr);
  Plan& plan = kept.add(task);
  CHECK(kept.plans.find(task) == &plan);
  CHECK(differs(&Task::collective, Collective::allgather));
  CHECK(differs(&Task::root, 1));
  CHECK(differs(&Task::bytes, 8));
  CHECK(differs(&Task::in_place, true));
  CHECK(differs(&Task::counts, std::vector<Bytes>{101}));
  CHECK(differs(&Task::receive_counts, std::vector<Bytes>{101}));
  CHECK(differs(&Task::counts_known, false));
  CHECK(differs(&Task::element, 4));
  CHECK(differs(&Task::commutative, false));
  CHECK(differs(&Task::left_fold, true));
  CHECK(kept.plans.find(task) == &plan);
}

TEST_CASE("each collective's last plan is visited", "[plan]") {
  Kept kept;
  const auto last = [&] {
    std::set<Bytes> bytes;
    kept.plans.each_last([&](const Plan& plan) { bytes.insert(plan.task().bytes); });
    return bytes;
  };
  CHECK(last().empty());
  kept.add(bcast(1));
  kept.add(bcast(2));
  kept.add({.collective = Collective::allgather, .bytes = 3});
  CHECK(last() == std::set<Bytes>{2, 3});
  kept.plans.find(bcast(1));
  CHECK(last() == std::set<Bytes>{1, 3});
}

TEST_CASE("the plan that was used longest ago gives way", "[plan]") {
  Kept kept;
  constexpr auto kMost = static_cast<Bytes>(Plans::kMost);
  for (Bytes bytes = 0; bytes < kMost; ++bytes) kept.add(bcast(bytes));
  CHECK(kept.forgotten.empty());
  kept.plans.find(bcast(0));
  kept.add(bcast(kMost));
  CHECK(kept.forgotten == std::vector<Bytes>{1});
  CHECK(kept.plans.find(bcast(1)) == nullptr);
  CHECK(kept.plans.find(bcast(0)) != nullptr);
  // Also if it is the last of its collective.
  kept.add({.collective = Collective::allgather, .bytes = 1000});
  for (Bytes bytes = 2000; bytes < 2000 + kMost; ++bytes) kept.add(bcast(bytes));
  CHECK(kept.plans.find({.collective = Collective::allgather, .bytes = 1000}) == nullptr);
  int last = 0;
  kept.plans.each_last([&](const Plan&) { ++last; });
  CHECK(last == 1);
}

TEST_CASE("a plan in use is never dropped", "[plan]") {
  Kept kept;
  constexpr auto kMost = static_cast<Bytes>(Plans::kMost);
  std::vector<std::pair<Plan*, Running*>> taken;
  for (Bytes bytes = 0; bytes < kMost + 20; ++bytes) {
    Plan& plan = kept.add(bcast(bytes));
    taken.emplace_back(&plan, plan.take());
  }
  CHECK(kept.forgotten.empty());
  taken[7].first->give_back(taken[7].second);
  kept.add(bcast(1000)).take();
  CHECK(kept.forgotten == std::vector<Bytes>{7});
  // Once they are free there are as many as before.
  for (Bytes bytes = 0; bytes < kMost + 20; ++bytes)
    if (bytes != 7) {
      const auto& [plan, running] = taken[static_cast<std::size_t>(bytes)];
      plan->give_back(running);
    }
  kept.add(bcast(2000));
  Bytes found = 0;
  for (Bytes bytes = 0; bytes <= 2000; ++bytes) found += kept.plans.find(bcast(bytes)) != nullptr;
  CHECK(found == kMost);
}

TEST_CASE("communicators of the same members find each other's plans", "[plan]") {
  SharedPlans shared;
  Kept first(shared);
  Plan& plan = first.add(bcast(1));
  const auto uses = [](const Kept& kept) {
    int last = 0;
    kept.plans.each_last([&](const Plan&) { ++last; });
    return last;
  };
  {
    Kept second(shared), third(shared);
    CHECK(second.plans.find(bcast(1)) == &plan);
    CHECK(uses(second) == 1);
    CHECK(uses(third) == 0);
    // All hear of what is dropped, if they have used it or not.
    for (Bytes bytes = 2; bytes < 2 + static_cast<Bytes>(Plans::kMost); ++bytes)
      third.add(bcast(bytes));
    for (const Kept* const kept : {&first, &second, &third}) {
      CHECK(kept->forgotten == std::vector<Bytes>{1});
      CHECK(kept->plans.dropped() == 1);
    }
    CHECK(uses(first) == 0);
    CHECK(uses(second) == 0);
  }
  first.add(bcast(1));  // those that have gone hear nothing
  CHECK(first.forgotten == std::vector<Bytes>{1, 2});
}

TEST_CASE("an execution that has failed serves no other call, and goes with its communicator",
          "[plan]") {
  Kept kept;
  Plan& plan = kept.add(bcast(100));
  const int owner = 0, other = 0;
  Running* const failed = plan.take();
  plan.fail(failed, &owner);
  CHECK(plan.in_use());
  Running* const next = plan.take();
  CHECK(next != failed);
  plan.give_back(next);
  CHECK(plan.in_use());
  kept.shared.end_failed(&other);
  CHECK(plan.in_use());
  kept.shared.end_failed(&owner);
  CHECK_FALSE(plan.in_use());
  CHECK(plan.take() == next);
  plan.give_back(next);
}

// --- scratch -----------------------------------------------------------------------------------

namespace {

// Bytes that 102'400 bytes of scratch take in the pool.
constexpr Bytes kInPages = 26 * 4096;

// Two ranks, over a wire where what is combined comes whole first.
struct Reduces {
  tests::Pair wire{{.direct = true}};
  ScratchPool pool{Bytes{1} << 20};
  std::unique_ptr<Plan> plan(Bytes bytes) {
    const Problem problem{{.collective = Collective::reduce, .bytes = bytes}, 2, 0};
    const Plan::PlanContext means{[&](Rank) -> protocols::Channel& { return wire.channels[0]; },
                                  nullptr, [](Rank r) { return r; }, &pool};
    return std::make_unique<Plan>(problem, first_of(Collective::reduce), means);
  }
};

}  // namespace

TEST_CASE("plans of all communicators lend each other their scratch", "[plan]") {
  Reduces reduces;
  Kept communicators[12];
  constexpr Bytes kEach = 102'400;
  for (Kept& kept : communicators) {
    Plan& plan = kept.plans.add(reduces.plan(kEach));
    CHECK(plan.program().scratch_bytes() == kEach);
    Running* const running = plan.take();
    CHECK(reduces.pool.kept() == 0);
    plan.give_back(running);
    CHECK(reduces.pool.kept() == kInPages);
  }
  CHECK(communicators[0].forgotten.empty());
}

TEST_CASE("calls under way have scratch of their own", "[plan]") {
  Reduces reduces;
  const auto plan = reduces.plan(102'400);
  Running *const first = plan->take(), *const second = plan->take();
  CHECK(reduces.pool.kept() == 0);
  plan->give_back(first);
  plan->give_back(second);
  CHECK(reduces.pool.kept() == 2 * kInPages);
}

TEST_CASE("the scratch of a call that has failed serves no other", "[plan]") {
  Reduces reduces;
  {
    const auto plan = reduces.plan(102'400);
    const int owner = 0;
    plan->fail(plan->take(), &owner);
    CHECK(reduces.pool.kept() == 0);
  }
  CHECK(reduces.pool.kept() == kInPages);  // by then the failure is settled
}

TEST_CASE("short scratch stays with its plan", "[plan]") {
  Reduces reduces;
  const auto plan = reduces.plan(collectives::Run::kMostOwn);
  plan->give_back(plan->take());
  CHECK(reduces.pool.kept() == 0);
}
