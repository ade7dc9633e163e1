// Running: what executes one call, either the steps of a schedule or a broadcast by datagrams over
// the schedule's tree. Kept by its plan and used again.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "collectives/execution/run.hpp"
#include "protocols/multicast.hpp"

namespace tutti {

// A call's part of a plan: the places of its bytes. The buffers and what `combine` points to
// stay the caller's, and must last until the call has ended.
struct Call {
  const void* input = nullptr;
  void* output = nullptr;
  Combine combine;
  collectives::Views views{};  // only if the plan can use them
};

// The tree over which a broadcast by datagrams is repaired.
struct MulticastTree {
  protocols::Mailbox* mailbox;
  Bytes bytes;                 // of the message
  int root;                    // rank of MPI_COMM_WORLD
  protocols::Channel* parent;  // null: this rank is the root
  std::vector<protocols::Channel*> children;
};

class Running {
 public:
  // With `tree` by datagrams. `pool`: see Run. Throws Error{out_of_memory}.
  Running(const collectives::Program& program, const MulticastTree* tree, ScratchPool* pool) {
    if (!tree) {
      steps_.emplace(program, pool);
      return;
    }
    datagrams_.emplace(*tree->mailbox, tree->root, tree->parent, tree->children);
    bytes_ = tree->bytes;
  }

  // See Run.
  void take_scratch() {
    if (steps_) steps_->take_scratch();
  }
  void give_scratch_back() noexcept {
    if (steps_) steps_->give_scratch_back();
  }
  void start(const Call& call, const MessageName& name) noexcept {
    if (steps_)
      steps_->start(call.input, call.output, name, call.combine, call.views);
    else
      datagrams_->start(name, call.output, bytes_);
  }
  // See Run. Broadcasts by datagrams need nothing registered.
  void bind(const Call& call) {
    if (steps_) steps_->bind(call.input, call.output);
  }
  // See Run.
  [[gnu::always_inline]] void start_bound(const Call& call, const MessageName& name) noexcept {
    if (steps_) [[likely]]
      steps_->start_bound(name);
    else
      datagrams_->start(name, call.output, bytes_);
  }
  void unbind() noexcept {
    if (steps_) steps_->unbind();
  }
  // See Run. Broadcasts by datagrams have no steps.
  void record(collectives::StepTimes* times) noexcept {
    if (steps_) steps_->record(times);
  }
  // done, again, or failed: see culprit().
  protocols::Answer advance() noexcept {
    return steps_ ? steps_->advance() : datagrams_->advance();
  }
  // After failed, or to give up: peers lose the right to write into the call's buffers.
  void abandon() noexcept { steps_ ? steps_->abandon() : datagrams_->abandon(); }
  // The channel that failed; null: the operation of a reduction did.
  protocols::Channel* culprit() const noexcept {
    return steps_ ? steps_->culprit() : datagrams_->culprit();
  }
  // The channels that are waited for; each may come several times.
  template <class Visit>
  void each_waiting(Visit&& visit) {
    steps_ ? steps_->each_waiting(visit) : datagrams_->each_waiting(visit);
  }
  // See Run. Datagrams need no invitation.
  bool awaits_invitation() const noexcept { return steps_ && steps_->awaits_invitation(); }
  // See Run. The repairs of a broadcast by datagrams are not looked at.
  bool fits(protocols::Channel& channel) const noexcept { return !steps_ || steps_->fits(channel); }

 private:
  friend class Plan;
  Running* next_idle_ = nullptr;
  const void* failed_for_ = nullptr;  // see Plan::fail()
  std::optional<collectives::Run> steps_;
  std::optional<protocols::MulticastBroadcast> datagrams_;
  Bytes bytes_ = 0;  // of those
};

}  // namespace tutti
