// One rank's place in one schedule: which steps are ready. The executor, the verifier and the
// simulator use it, and so do charts. Only bound calls of short messages do without, if all steps
// are ready at once (Binding::at_once()). No I/O, no clock, no allocation after construction.
// Header-only, because a call of one short message goes through it, too.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// The schedule must outlive its cursors and stay where it is. For one thread at a time.
//
// Each step goes through these states once: waiting, ready, taken, done. Ready steps stand in a log
// that only grows until reset(), so a span from ready() keeps its contents across take_all() and
// done(), until the next reset().
class Cursor {
 public:
  // The part that all cursors of one schedule share. The schedule must outlive it, too.
  class Shape {
   public:
    explicit Shape(const Schedule& schedule)
        : step_count_(static_cast<std::uint32_t>(schedule.steps.size())),
          successors_(schedule.successors.data()),
          has_edges_(!schedule.successors.empty()) {
      first_.reserve(step_count_ + 1U);
      for (const Step& step : schedule.steps) first_.push_back(step.first_successor);
      first_.push_back(static_cast<std::uint32_t>(schedule.successors.size()));
      initial_.reserve(2U * step_count_);
      for (const Step& step : schedule.steps) initial_.push_back(step.predecessors);
      for (StepId id = 0; id < step_count_; ++id) {
        if (schedule.steps[id].predecessors == 0) initial_.push_back(id);
      }
    }

   private:
    friend class Cursor;
    std::uint32_t step_count_;
    const StepId* successors_;
    bool has_edges_;
    // Successors of step i: successors_[first_[i], first_[i + 1]).
    std::vector<std::uint32_t> first_;
    std::vector<std::uint32_t> initial_;  // the front of state_ at the start
  };

  explicit Cursor(const Schedule& schedule) : Cursor(std::make_shared<const Shape>(schedule)) {}
  explicit Cursor(std::shared_ptr<const Shape> shape)
      : step_count_(shape->step_count_),
        initial_tail_(static_cast<std::uint32_t>(shape->initial_.size())),
        has_edges_(shape->has_edges_),
        successors_(shape->successors_),
        first_(shape->first_.data()),
        state_(2U * step_count_),
        shape_(std::move(shape)) {
    std::ranges::copy(shape_->initial_, state_.begin());
    reset();
  }

  // Back to the start: nothing done, nothing taken.
  void reset() noexcept {
    // Without edges done() leaves it as it is: no step waits, and none joins the log.
    if (has_edges_)
      std::memcpy(state_.data(), shape_->initial_.data(), initial_tail_ * sizeof(StepId));
    head_ = step_count_;
    tail_ = initial_tail_;
    done_ = 0;
  }

  // The steps whose predecessors are all done and that were not taken yet. Steps that became ready
  // together stand in ascending order of ids.
  std::span<const StepId> ready() const noexcept { return {state_.data() + head_, tail_ - head_}; }

  // Takes all of ready().
  void take_all() noexcept { head_ = tail_; }

  // A taken step is complete: those of its successors that waited for nothing else join ready().
  void done(StepId id) noexcept {
    ++done_;
    if (!has_edges_) return;
    const std::uint32_t end = first_[id + 1];
    for (std::uint32_t i = first_[id]; i < end; ++i) {
      const StepId next = successors_[i];
      if (--state_[next] == 0) state_[tail_++] = next;
    }
  }

  bool finished() const noexcept { return done_ == step_count_; }

 private:
  std::uint32_t step_count_;
  std::uint32_t initial_tail_;  // tail_ at the start
  bool has_edges_;
  std::uint32_t head_ = 0;  // state_[head_, tail_) is ready()
  std::uint32_t tail_ = 0;
  std::uint32_t done_ = 0;
  const StepId* successors_;
  const std::uint32_t* first_;
  // [0, n): of each step, the predecessors that are not done; [n, 2n): the log of ready steps.
  std::vector<std::uint32_t> state_;
  std::shared_ptr<const Shape> shape_;
};

}  // namespace tutti::collectives
