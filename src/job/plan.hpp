// Plan: how a communicator does one task. Which algorithm, which schedule, over which channels:
// facts that do not change, shared by all calls that ask for the same, on all communicators of the
// same members in the same order. Beside them the plan keeps what has executed it, for the next
// call.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "collectives/selection/rules.hpp"
#include "src/job/running.hpp"

namespace tutti {

class Plan {
 public:
  // Facts about the communicator and the process that a plan needs.
  struct PlanContext {
    collectives::Program::ChannelTo channel_to;
    protocols::Mailbox* mailbox;  // null: no datagrams
    std::function<int(Rank)> world_rank;
    ScratchPool* scratch = nullptr;  // outlives the plan; null: executions keep theirs
    // How long a message between two nodes keeps a port busy, us.
    std::function<double(Bytes)> time_at_port{};
  };
  // Connects to the peers of the schedule. Throws Error.
  Plan(collectives::Problem problem, const collectives::Choice& choice, const PlanContext& means);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  // --- facts
  const collectives::Problem& problem() const noexcept { return problem_; }
  const collectives::Task& task() const noexcept { return problem_; }
  const collectives::Choice& choice() const noexcept { return choice_; }
  const collectives::Program& program() const noexcept { return program_; }
  // Whether a call may have a view of its input, and this one of its output.
  bool takes_view_of_input() const noexcept { return !tree_; }
  bool takes_view_of_output(const PackedView& view) const {
    return !tree_ && (!program_.reads_output_back() || view.places_differ());
  }
  // So long a rank that begins a call, and may turn to other things, looks for invitations to the
  // messages that go without it then. Zero: there are no such messages.
  std::chrono::nanoseconds time_for_invitations() const noexcept { return time_for_invitations_; }
  // In the names of its messages, so that calls that do not match are noticed; 0: they bear none.
  Ordinal mark() const noexcept { return mark_; }

  // --- executions. Between take() and give_back() the plan must stay.
  // Throws Error{out_of_memory}.
  Running* take() {
    Running* const running = idle_ ? idle_ : make();
    running->take_scratch();
    idle_ = running->next_idle_;
    ++taken_;
    return running;
  }
  void give_back(Running* running) noexcept {
    running->give_scratch_back();
    running->next_idle_ = idle_;
    idle_ = running;
    --taken_;
  }
  // Instead of give_back() after a failure: peers or adapters may still be at the scratch. No call
  // gets that execution any more, and it counts as taken until end_failed() with the same `owner`.
  void fail(Running* running, const void* owner) noexcept { running->failed_for_ = owner; }
  // Nobody is at the scratch of those executions any more.
  void end_failed(const void* owner) noexcept;
  bool in_use() const noexcept { return taken_ != 0; }

 private:
  friend class SharedPlans;
  const collectives::Problem problem_;
  const collectives::Choice choice_;
  const collectives::Program program_;
  ScratchPool* const scratch_;
  std::optional<MulticastTree> tree_;
  Ordinal mark_ = 0;
  std::chrono::nanoseconds time_for_invitations_{0};
  Running* make();
  std::vector<std::unique_ptr<Running>> made_;
  Running* idle_ = nullptr;  // linked
  int taken_ = 0;
  std::uint64_t last_use_ = 0;
};

class Plans;

// The plans of all communicators of the same members in the same order, the last used ones. A plan
// in use is never dropped. Users of plans must be destroyed before.
class SharedPlans {
 public:
  static constexpr std::size_t kMost = 64;
  SharedPlans() = default;
  SharedPlans(const SharedPlans&) = delete;
  SharedPlans& operator=(const SharedPlans&) = delete;

  // Null: there is none for that task.
  Plan* find(const collectives::Task& task) noexcept;
  void use(Plan& plan) noexcept { plan.last_use_ = ++uses_; }
  std::uint64_t dropped() const noexcept { return dropped_; }
  // Throws std::bad_alloc.
  Plan& add(std::unique_ptr<Plan> plan);
  void end_failed(const void* owner) noexcept;

 private:
  friend class Plans;
  bool drop_oldest() noexcept;  // false: all are in use

  std::vector<std::unique_ptr<Plan>> plans_;
  std::uint64_t uses_ = 0, dropped_ = 0;
  Plans* users_ = nullptr;  // linked
};

// The plans that one communicator uses.
class Plans {
 public:
  static constexpr std::size_t kMost = SharedPlans::kMost;
  // `forget` hears of each plan's task before the plan is dropped.
  Plans(SharedPlans& shared, std::function<void(const collectives::Task&)> forget);
  ~Plans();
  Plans(const Plans&) = delete;
  Plans& operator=(const Plans&) = delete;

  // Null: there is none for that task.
  Plan* find(const collectives::Task& task) noexcept {
    Plan*& last = last_[static_cast<std::size_t>(task.collective)];
    if (!last || last->task() != task) {
      Plan* const found = shared_.find(task);
      if (!found) return nullptr;
      last = found;
    }
    use(*last);
    return last;
  }
  // It runs once more.
  void use(Plan& plan) noexcept { shared_.use(plan); }
  // Number of plans dropped so far. While it stays, all plans stay.
  std::uint64_t dropped() const noexcept { return shared_.dropped(); }
  // Throws std::bad_alloc.
  Plan& add(std::unique_ptr<Plan> plan);
  // The plan that each collective used last here.
  template <class Visit>
  void each_last(Visit&& visit) const {
    for (const Plan* const plan : last_)
      if (plan) visit(*plan);
  }

 private:
  friend class SharedPlans;
  void forget(Plan& plan) noexcept;

  SharedPlans& shared_;
  const std::function<void(const collectives::Task&)> forget_;
  std::array<Plan*, collectives::kCollectives> last_{};  // by collective: it mostly runs again
  Plans *before_ = nullptr, *after_ = nullptr;           // of those that share
};

}  // namespace tutti
