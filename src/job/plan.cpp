// Makes plans, and keeps the last ones used.
#include "src/job/plan.hpp"

#include <algorithm>
#include <utility>

#include "collectives/algorithms/catalogue.hpp"
#include "src/news/mark.hpp"

namespace tutti {

using collectives::Problem;
using collectives::Task;

namespace {

MulticastTree tree_of(const collectives::Program& program, const Task& task,
                      const Plan::PlanContext& means) {
  MulticastTree tree{means.mailbox, task.bytes, means.world_rank(task.root), nullptr, {}};
  const auto& steps = program.schedule().steps;
  for (collectives::StepId id = 0; id < steps.size(); ++id)
    if (steps[id].kind == collectives::StepKind::send)
      tree.children.push_back(program.channel(id));
    else if (collectives::receives(steps[id].kind))
      tree.parent = program.channel(id);
  return tree;
}

// This share of the time that messages take may be lost where a computation hides it.
constexpr double kForInvitations = 0.05;

std::chrono::nanoseconds time_to_look(const collectives::Program& program,
                                      const Plan::PlanContext& means) {
  if (!means.time_at_port) return {};
  double time = 0;
  for (collectives::StepId id = 0; id < program.schedule().steps.size(); ++id)
    if (program.goes_alone(id))
      time += means.time_at_port(program.schedule().steps[id].source.length);
  constexpr double kMost = 10e9;  // ns; the model may be that of another machine
  return std::chrono::nanoseconds(
      static_cast<std::int64_t>(std::min(kForInvitations * time * 1e3, kMost)));
}

}  // namespace

Plan::Plan(Problem problem, const collectives::Choice& choice, const PlanContext& means)
    : problem_(std::move(problem)),
      choice_(choice),
      program_(choice.algorithm->build(problem_, choice.parameters), means.channel_to,
               problem_.element),
      scratch_(means.scratch),
      time_for_invitations_(time_to_look(program_, means)) {
  if (program_.schedule().datagrams && problem_.P > 1)
    tree_ = tree_of(program_, problem_, means);
  else
    mark_ = mark_of(problem_,
                    static_cast<Ordinal>(choice_.algorithm - collectives::algorithms().data()));
  give_back(take());  // the first call finds it made
}

Running* Plan::make() {
  made_.push_back(std::make_unique<Running>(program_, tree_ ? &*tree_ : nullptr, scratch_));
  return made_.back().get();
}

void Plan::end_failed(const void* owner) noexcept {
  taken_ -= static_cast<int>(
      std::erase_if(made_, [&](const auto& running) { return running->failed_for_ == owner; }));
}

// --- plans -------------------------------------------------------------------------------------

Plan* SharedPlans::find(const Task& task) noexcept {
  const auto found =
      std::ranges::find_if(plans_, [&](const auto& plan) { return plan->task() == task; });
  return found != plans_.end() ? found->get() : nullptr;
}

Plan& SharedPlans::add(std::unique_ptr<Plan> plan) {
  while (plans_.size() >= kMost && drop_oldest()) {
  }  // once many calls have ended, many plans go
  plans_.push_back(std::move(plan));
  use(*plans_.back());
  return *plans_.back();
}

void SharedPlans::end_failed(const void* owner) noexcept {
  for (const auto& plan : plans_) plan->end_failed(owner);
}

bool SharedPlans::drop_oldest() noexcept {
  auto oldest = plans_.end();
  for (auto it = plans_.begin(); it != plans_.end(); ++it)
    if (!(*it)->in_use() && (oldest == plans_.end() || (*it)->last_use_ < (*oldest)->last_use_))
      oldest = it;
  if (oldest == plans_.end()) return false;
  for (Plans* user = users_; user; user = user->after_) user->forget(**oldest);
  plans_.erase(oldest);
  ++dropped_;
  return true;
}

Plans::Plans(SharedPlans& shared, std::function<void(const Task&)> forget)
    : shared_(shared), forget_(std::move(forget)), after_(shared.users_) {
  if (after_) after_->before_ = this;
  shared_.users_ = this;
}

Plans::~Plans() {
  (before_ ? before_->after_ : shared_.users_) = after_;
  if (after_) after_->before_ = before_;
}

Plan& Plans::add(std::unique_ptr<Plan> plan) {
  Plan& added = shared_.add(std::move(plan));
  last_[static_cast<std::size_t>(added.task().collective)] = &added;
  return added;
}

void Plans::forget(Plan& plan) noexcept {
  forget_(plan.task());
  std::ranges::replace(last_, &plan, nullptr);
}

}  // namespace tutti
