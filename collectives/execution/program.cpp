// Binding the steps of a schedule to channels.
#include "collectives/execution/program.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/bits.hpp"

namespace tutti::collectives {

using protocols::Channel;

namespace {

bool invites_peer(const Step& step, const protocols::Limits& limits) noexcept {
  using protocols::Protocol;
  const Protocol protocol = protocols::protocol_for(length_of(step), step.use, limits);
  if (receives(step.kind)) return protocol == Protocol::rendezvous;
  return protocols::may_be_fetched(protocol);
}

}  // namespace

Program::Program(Schedule schedule, const ChannelTo& channel_to, Bytes element)
    : schedule_(std::move(schedule)), own_bytes_(round_up(schedule_.scratch_bytes, kCacheLine)) {
  const std::size_t steps = schedule_.steps.size();
  channels_.resize(steps, nullptr);
  std::map<Rank, Channel*> known;
  std::set<Rank> receivers;
  std::vector<Bytes> left;  // by step: the place of a step before it, which is done with it
  for (std::size_t i = 0; i < steps; ++i) {
    const Step& step = schedule_.steps[i];
    reads_output_ |= reads_source(step.kind) && step.source.buffer == Buffer::output;
    writes_output_ |= writes_target(step.kind) && step.target.buffer == Buffer::output;
    if (!is_message(step.kind)) continue;
    Channel*& channel = known[step.peer];
    if (!channel) channel = &channel_to(step.peer);
    channels_[i] = channel;
    load_.receives |= receives(step.kind);
    if (step.kind == StepKind::send && step.use == protocols::Use::spread)
      receivers.insert(step.peer);
    if (invites_peer(step, channel->limits())) {
      invites_.resize(steps, 0);
      invites_[i] = 1;
    }
    if (step.kind == StepKind::recv_reduce &&
        !protocols::combines_on_arrival(step.target.length, element, step.use, channel->limits())) {
      staged_.resize(steps, kNotStaged);
      left.resize(steps, kNotStaged);
      staged_[i] = left[i];
      if (staged_[i] == kNotStaged) {
        staged_[i] = own_bytes_ + staging_bytes_;
        staging_bytes_ += round_up(step.target.length, kCacheLine);
      }
      leave_place(static_cast<StepId>(i), left);
    }
  }
  load_.receivers = std::max(1, static_cast<int>(receivers.size()));
}

// To one of the steps that wait for it: a chain of messages that are combined needs one place.
void Program::leave_place(StepId id, std::vector<Bytes>& left) const {
  const Step& step = schedule_.steps[id];
  for (const StepId next : schedule_.successors_of(id)) {
    const Step& after = schedule_.steps[next];
    if (after.kind != StepKind::recv_reduce || after.target.length > step.target.length ||
        left[next] != kNotStaged)
      continue;
    left[next] = staged_[id];
    return;
  }
}

}  // namespace tutti::collectives
