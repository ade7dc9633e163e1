// Running a schedule: an ordered list of steps under way, polled until nothing moves.
#include "collectives/execution/executor.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"

namespace tutti::collectives {

using protocols::Answer;
using protocols::Channel;

void Execution::Free::operator()(std::byte* memory) const noexcept { std::free(memory); }

Execution::Execution(Schedule schedule, const std::function<Channel&(Rank)>& channel_to,
                     Bytes element)
    : schedule_(std::move(schedule)), cursor_(schedule_) {
  const std::size_t steps = schedule_.steps.size();
  channels_.resize(steps, nullptr);
  transfers_.resize(steps);
  active_.reserve(steps);
  std::map<Rank, Channel*> known;
  const auto in_lines = [](Bytes bytes) {
    return (bytes + static_cast<Bytes>(kCacheLine) - 1) / static_cast<Bytes>(kCacheLine) *
           static_cast<Bytes>(kCacheLine);
  };
  const Bytes own = in_lines(schedule_.scratch_bytes);
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = schedule_.steps[i];
    if (!is_message(step.kind)) continue;
    Channel*& channel = known[step.peer];
    if (!channel) channel = &channel_to(step.peer);
    channels_[i] = channel;
    if (step.kind == StepKind::recv_reduce &&
        !protocols::combines_on_arrival(step.target.length, element, channel->limits())) {
      staged_.resize(steps, -1);
      staged_[i] = own + staging_bytes_;
      staging_bytes_ += in_lines(step.target.length);
    }
  }
  if (const Bytes bytes = own + staging_bytes_; bytes > 0) {
    scratch_.reset(
        static_cast<std::byte*>(std::aligned_alloc(kCacheLine, static_cast<std::size_t>(bytes))));
    if (!scratch_)
      throw Error(Code::out_of_memory,
                  "no memory for " + std::to_string(bytes) +
                      " bytes of scratch; choose an algorithm that needs less (tutti list)");
  }
}

Execution::~Execution() { abandon(); }

void Execution::start(const void* input, void* output, const MessageName& name,
                      const Combine& combine) noexcept {
  // The input is only ever a source: no step kind writes it (the verifier proves that of every
  // schedule).
  base_ = {static_cast<std::byte*>(const_cast<void*>(input)), static_cast<std::byte*>(output),
           scratch_.get()};
  name_ = name;
  combine_ = combine;
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
  const MessageName name{name_.communicator, name_.collective, name_.ordinal + step.ordinal};
  switch (step.kind) {
    case StepKind::send:
      return channels_[id]->send(transfers_[id], name, at(step.source), step.source.length);
    case StepKind::recv:
      return channels_[id]->recv(transfers_[id], name, at(step.target), step.target.length);
    case StepKind::recv_reduce: return receive_and_reduce(id, name);
    case StepKind::copy:
      if (step.source.length != 0)
        std::memcpy(at(step.target), at(step.source), static_cast<std::size_t>(step.source.length));
      return Answer::done;
    case StepKind::reduce: {
      const std::byte *theirs = at(step.source), *mine = at(step.target);
      combine_.apply(combine_.context, step.reversed ? theirs : mine, step.reversed ? mine : theirs,
                     at(step.target), step.target.length);
      return Answer::done;
    }
  }
  return Answer::failed;
}

Answer Execution::receive_and_reduce(StepId id, const MessageName& name) noexcept {
  const Step& step = schedule_.steps[id];
  const Operand operand{&combine_, at(step.source), step.reversed};
  const Bytes staged = staged_.empty() ? -1 : staged_[id];
  if (staged < 0)
    return channels_[id]->recv(transfers_[id], name, at(step.target), step.target.length, &operand);
  std::byte* const place = scratch_.get() + staged;
  const Answer answer = channels_[id]->recv(transfers_[id], name, place, step.target.length);
  if (answer == Answer::done) operand.apply(place, at(step.target), 0, step.target.length);
  return answer;
}

void Execution::abandon() noexcept {
  for (const StepId id : active_)
    if (channels_[id]) channels_[id]->abandon(transfers_[id]);
  active_.clear();
}

}  // namespace tutti::collectives
