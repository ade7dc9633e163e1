// Running a schedule: an ordered list of steps under way, polled until nothing moves.
#include "collectives/executor.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace tutti::collectives {

using protocols::Answer;
using protocols::Channel;

void Execution::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

Execution::Execution(Schedule schedule, const std::function<Channel&(Rank)>& channel_to)
    : schedule_(std::move(schedule)), cursor_(schedule_) {
  const std::size_t steps = schedule_.steps.size();
  channels_.resize(steps, nullptr);
  transfers_.resize(steps);
  active_.reserve(steps);
  std::map<Rank, Channel*> known;
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = schedule_.steps[i];
    if (!is_message(step.kind)) continue;
    Channel*& channel = known[step.peer];
    if (!channel) channel = &channel_to(step.peer);
    channels_[i] = channel;
  }
  if (schedule_.scratch_bytes > 0) {
    const std::size_t bytes = (static_cast<std::size_t>(schedule_.scratch_bytes) + kCacheLine - 1) / kCacheLine * kCacheLine;
    scratch_.reset(static_cast<std::byte*>(std::aligned_alloc(kCacheLine, bytes)));
    if (!scratch_)
      throw Error(Code::out_of_memory,
                  "no memory for " + std::to_string(bytes) + " bytes of scratch; choose an algorithm that needs less (tutti list)");
  }
}

Execution::~Execution() { abandon(); }

void Execution::start(const void* input, void* output, CommunicatorId communicator, CollectiveNumber number) noexcept {
  // The input is only ever a source: no step kind writes it (the verifier proves that of every schedule).
  base_ = {static_cast<std::byte*>(const_cast<void*>(input)), static_cast<std::byte*>(output), scratch_.get()};
  name_ = {communicator, number, 0};
  culprit_ = nullptr;
  active_.clear();
  cursor_.reset();
}

Answer Execution::advance() noexcept {
  bool moved = true;
  while (moved) {
    moved = false;
    for (const StepId id : cursor_.ready()) {
      transfers_[id] = {};
      active_.push_back(id);
    }
    cursor_.take_all();
    std::size_t kept = 0;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      const StepId id = active_[i];
      const Answer answer = take(id);
      if (answer == Answer::done) {
        cursor_.done(id);
        moved = true;
      } else if (answer == Answer::again) {
        active_[kept++] = id;
      } else {
        culprit_ = channels_[id];
        while (i < active_.size()) active_[kept++] = active_[i++];
        active_.resize(kept);
        return Answer::failed;
      }
    }
    active_.resize(kept);
  }
  return cursor_.finished() ? Answer::done : Answer::again;
}

Answer Execution::take(StepId id) noexcept {
  const Step& step = schedule_.steps[id];
  switch (step.kind) {
    case StepKind::send:
      return channels_[id]->send(transfers_[id], {name_.communicator, name_.collective, step.ordinal}, at(step.source), step.source.length);
    case StepKind::recv:
      return channels_[id]->recv(transfers_[id], {name_.communicator, name_.collective, step.ordinal}, at(step.target), step.target.length);
    case StepKind::copy:
      if (step.source.length != 0) std::memcpy(at(step.target), at(step.source), static_cast<std::size_t>(step.source.length));
      return Answer::done;
    case StepKind::recv_reduce:
    case StepKind::reduce: break;  // no registered algorithm makes them yet; an operation to apply comes with the reductions
  }
  return Answer::failed;
}

void Execution::abandon() noexcept {
  for (const StepId id : active_)
    if (channels_[id]) channels_[id]->abandon(transfers_[id]);
  active_.clear();
}

}  // namespace tutti::collectives
