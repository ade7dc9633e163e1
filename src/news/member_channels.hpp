// MemberChannels: the channels from this rank to the connected members of one communicator, and
// waiting for them. Knows connections; knows no agreement.
#pragma once

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/running_clock.hpp"
#include "src/news/connections.hpp"
#include "src/news/members.hpp"

namespace tutti {

// Whether there is a channel, and its peer may still read what comes by it.
inline bool can_hear(const protocols::Channel* channel) noexcept {
  return channel && !channel->failed() && !channel->closed();
}

class MemberChannels {
 public:
  // Both must outlive this object.
  MemberChannels(Connections& connections, const Members& members) noexcept
      : connections_(connections), ranks_(members.world_ranks()) {}

  template <class Visit>
  void each(Visit&& visit) const noexcept {
    for (const int member : ranks_)
      if (protocols::Channel* const channel = connections_.find(member)) visit(*channel);
  }
  // Waits for as long as waits(channel) is true for some member, up to the time-out. All channels
  // go on meanwhile.
  template <class Waits>
  void wait_while(std::chrono::milliseconds timeout, Waits&& waits) const noexcept {
    const auto keeps_waiting = [&](int member) {
      protocols::Channel* const channel = connections_.find(member);
      return channel && waits(*channel);
    };
    const auto deadline = RunningClock::now() + timeout;
    // The last look is after the deadline: this process may have had no core before.
    for (bool late = false; !late && std::any_of(ranks_.begin(), ranks_.end(), keeps_waiting);) {
      late = RunningClock::now() >= deadline;
      connections_.progress_transports();
      connections_.adopt_links();
      each([](protocols::Channel& channel) {
        if (can_hear(&channel)) channel.progress();
      });
      sched_yield();
    }
  }
  // wait_while(), for members that can hear.
  template <class Waits>
  void wait_while_heard(std::chrono::milliseconds timeout, Waits&& waits) const noexcept {
    wait_while(timeout,
               [&](protocols::Channel& channel) { return can_hear(&channel) && waits(channel); });
  }

 private:
  Connections& connections_;
  const std::vector<int>& ranks_;
};

}  // namespace tutti
