// Making plans, and keeping them.
#include "src/job/plan.hpp"

#include <algorithm>
#include <utility>

#include "collectives/algorithms/catalogue.hpp"
#include "src/job/mark.hpp"

namespace tutti {

using collectives::Problem;
using collectives::Task;

namespace {

MulticastTree tree_of(const collectives::Program& program, const Task& task,
                      const Plan::Means& means) {
  MulticastTree tree{means.mailbox, task.bytes, means.world_rank(task.root), nullptr, {}};
  const auto& steps = program.schedule().steps;
  for (collectives::StepId id = 0; id < steps.size(); ++id)
    if (steps[id].kind == collectives::StepKind::send)
      tree.children.push_back(program.channel(id));
    else if (collectives::receives(steps[id].kind))
      tree.parent = program.channel(id);
  return tree;
}

}  // namespace

Plan::Plan(Problem problem, const collectives::Choice& choice, const Means& means)
    : problem_(std::move(problem)),
      choice_(choice),
      program_(choice.algorithm->build(problem_, choice.parameters), means.channel_to,
               problem_.element),
      scratch_(means.scratch) {
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

// --- plans -------------------------------------------------------------------------------------

Plan* Plans::search(const Task& task) noexcept {
  const auto found =
      std::ranges::find_if(plans_, [&](const auto& plan) { return plan->task() == task; });
  return found != plans_.end() ? found->get() : nullptr;
}

Plan& Plans::add(std::unique_ptr<Plan> plan) {
  while (plans_.size() >= kMost && drop_oldest()) {
  }  // once many calls have ended, many plans go
  plans_.push_back(std::move(plan));
  Plan& added = *plans_.back();
  use(added);
  last_[static_cast<std::size_t>(added.task().collective)] = &added;
  return added;
}

bool Plans::drop_oldest() noexcept {
  auto oldest = plans_.end();
  for (auto it = plans_.begin(); it != plans_.end(); ++it)
    if (!(*it)->in_use() && (oldest == plans_.end() || (*it)->last_use_ < (*oldest)->last_use_))
      oldest = it;
  if (oldest == plans_.end()) return false;
  forget_((*oldest)->task());
  std::ranges::replace(last_, oldest->get(), nullptr);
  plans_.erase(oldest);
  ++dropped_;
  return true;
}

}  // namespace tutti
