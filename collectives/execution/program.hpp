// Program: a schedule bound to the channels of one communicator. It holds what is equal in all
// runs: the peer of each step, and the place where each message that cannot be combined on arrival
// is received first. Immutable, so any number of runs share it.
//
// Knows channels; knows no link, no queue pair and no MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "protocols/channel.hpp"

namespace tutti::collectives {

class Program {
 public:
  using ChannelTo = std::function<protocols::Channel&(Rank)>;
  static constexpr Bytes kNotStaged = -1;

  // `channel_to` gives the channel to a rank of the communicator; it is asked once for each peer.
  // `element`: bytes of what is reduced. Throws what `channel_to` throws.
  Program(Schedule schedule, const ChannelTo& channel_to, Bytes element = 1);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  const Schedule& schedule() const noexcept { return schedule_; }
  // Null for local steps.
  protocols::Channel* channel(StepId id) const noexcept { return channels_[id]; }
  // Where in a run's scratch the step's message is received before it is combined; kNotStaged: it
  // is combined on arrival, or not at all.
  Bytes staged_at(StepId id) const noexcept { return staged_.empty() ? kNotStaged : staged_[id]; }
  // Whether the peer, before it can do its part, waits for this rank's word where its memory is
  // (rendezvous.hpp). Those steps begin before others, which may take a while: else two ranks that
  // exchange long messages copy one after the other.
  bool invites(StepId id) const noexcept { return !invites_.empty() && invites_[id] != 0; }
  bool any_invites() const noexcept { return !invites_.empty(); }
  // Whether the step sends a message that goes without this rank once its receiver has invited it.
  bool goes_alone(StepId id) const noexcept {
    const Step& step = schedule_.steps[id];
    return step.kind == StepKind::send &&
           protocols::goes_alone(*channels_[id], step.source.length, step.use);
  }
  // To how many ranks this one sends what is spread, and whether it receives anything.
  const transport::Load& load() const noexcept { return load_; }
  // Something is written to the output, and something is read from there: it must be what was
  // written, so no byte of the output may share its place with another one.
  bool reads_output_back() const noexcept { return reads_output_ && writes_output_; }
  // A run's scratch: the schedule's own, then the staging.
  Bytes scratch_bytes() const noexcept { return own_bytes_ + staging_bytes_; }
  Bytes staging_bytes() const noexcept { return staging_bytes_; }

 private:
  void leave_place(StepId id, std::vector<Bytes>& left) const;

  const Schedule schedule_;
  std::vector<protocols::Channel*> channels_;  // by step
  std::vector<Bytes> staged_;                  // by step; empty: no step is staged
  std::vector<std::uint8_t> invites_;          // by step; empty: no step does
  Bytes own_bytes_ = 0, staging_bytes_ = 0;
  transport::Load load_{.receivers = 1, .receives = false};
  bool reads_output_ = false, writes_output_ = false;
};

}  // namespace tutti::collectives
