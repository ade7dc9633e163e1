// The executor: runs one rank's schedule over channels. It advances whatever is ready, in whatever
// order messages come.
//
// An Execution is a schedule compiled for one communicator: channels resolved, scratch allocated,
// state arrays laid out. Running it again costs no allocation and no look-up. It knows channels; it
// knows no link, no queue pair and no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "collectives/schedule/cursor.hpp"
#include "collectives/schedule/schedule.hpp"
#include "protocols/channel.hpp"

namespace tutti::collectives {

class Execution {
 public:
  // `channel_to` gives the channel to a rank of the communicator; it is asked once for each peer.
  // `element`: bytes of what is reduced. Throws what it throws, and Error{out_of_memory}.
  Execution(Schedule schedule, const std::function<protocols::Channel&(Rank)>& channel_to,
            Bytes element = 1);
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  // Binds buffers and a name, to whose ordinal those of the schedule are added, and makes the first
  // steps ready. Not while another run of this object is under way. Slices are offsets into `input`
  // (never written) and `output`; both stay the caller's. `combine` is the operation of a
  // reduction.
  void start(const void* input, void* output, const MessageName& name,
             const Combine& combine = {}) noexcept;

  // Takes every step as far as it goes now. done: the collective is complete here. failed: see
  // culprit().
  protocols::Answer advance() noexcept;

  // After failed, or to give up: withdraws what peers may still write to, and forgets the run.
  void abandon() noexcept;

  // The channels that steps under way wait for; each may come several times.
  template <class Visit>
  void each_waiting(Visit&& visit) {
    for (const StepId id : active_)
      if (channels_[id]) visit(*channels_[id]);
  }
  // After failed: the channel that failed, or null (out of memory).
  protocols::Channel* culprit() const noexcept { return culprit_; }
  const Schedule& schedule() const noexcept { return schedule_; }
  // For messages that must be received whole before they can be combined, beside the schedule's own
  // scratch.
  Bytes staging_bytes() const noexcept { return staging_bytes_; }

 private:
  protocols::Answer take(StepId id) noexcept;
  protocols::Answer receive_and_reduce(StepId id, const MessageName& name) noexcept;
  std::byte* at(const Slice& slice) const noexcept {
    return base_[static_cast<std::size_t>(slice.buffer)] + slice.offset;
  }

  const Schedule schedule_;
  Cursor cursor_;
  std::vector<protocols::Channel*> channels_;   // by step; null for local steps
  std::vector<protocols::Transfer> transfers_;  // by step
  std::vector<StepId> active_;  // taken, not done; in id order as far as readiness allows
  struct Free {
    void operator()(std::byte* memory) const noexcept;
  };
  std::unique_ptr<std::byte, Free> scratch_;  // the schedule's, then the staging
  std::vector<Bytes> staged_;  // by step: where in scratch_ its message is received first; -1:
                               // nowhere. Empty: no step is
  Bytes staging_bytes_ = 0;
  std::array<std::byte*, 3> base_{};
  Combine combine_;
  MessageName name_;
  protocols::Channel* culprit_ = nullptr;
};

}  // namespace tutti::collectives
