// Standings: the calls that ranks are in, for people. This rank's own, and the last word of each
// member. Pure.
#pragma once

#include <vector>

#include "base/running_clock.hpp"
#include "src/news/call_count.hpp"
#include "src/news/members.hpp"
#include "src/news/open_calls.hpp"

namespace tutti {

class Standings {
 public:
  using Time = RunningClock::time_point;

  // All must outlive this object.
  Standings(const Members& members, const CallCount& count, const OpenCalls& calls) noexcept
      : members_(members), count_(count), calls_(calls) {}

  // This rank's standing, as far as its calls on this communicator tell: that it may be in another
  // one's is left out.
  protocols::Standing mine() const noexcept { return mine(calls_.newest()); }
  // In that call; null: in none.
  protocols::Standing mine(const OpenCall* in) const noexcept;

  void hear(const protocols::Standing& standing, int from, Time now) noexcept;
  struct Said {
    int member;
    protocols::Standing standing;
    Time when;  // it came
  };
  // A member's last word. Null: it has said nothing.
  const Said* said(int member) const noexcept;

 private:
  const Members& members_;
  const CallCount& count_;
  const OpenCalls& calls_;
  std::vector<Said> said_;  // by members that were waited for: few
};

}  // namespace tutti
