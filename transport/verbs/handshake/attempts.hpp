// Attempts: the connections of a rank that are not ready yet, and how long it waits for each peer.
//
// An attempt repeats its request, at longer and longer intervals, and is given up when the peer was
// silent for too long: that is counted from the last sign of life, so a rank that has a thousand
// peers to serve may take its time as long as it says so; and without the time in which the peer
// was stopped, if that can be found out. Pure: no clock, no datagram. Not for several threads at a
// time.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

#include "base/running_clock.hpp"

namespace tutti::transport::verbs {

class Attempts {
 public:
  using Time = RunningClock::time_point;
  using Duration = std::chrono::milliseconds;
  static constexpr Duration kFirstInterval{20}, kLongestInterval{400};
  // Between two calls of look(), while there are attempts.
  static constexpr Duration kLongestPause = RunningTime::kLongestStep / 2;

  explicit Attempts(Duration timeout) : timeout_(timeout) {}

  // begin() will not throw.
  void make_room() { all_.reserve(all_.size() + 1); }
  // The first request to repeat is due after `delay`.
  void begin(int peer, Time now, Duration delay = kFirstInterval) {
    all_.push_back({peer, kFirstInterval, now + delay, now + timeout_});
  }
  void end(int peer) noexcept {
    std::erase_if(all_, [peer](const Attempt& a) { return a.peer == peer; });
  }
  // The peer lives, and can be reached.
  void heard_of(int peer, Time now) noexcept {
    for (Attempt& a : all_)
      if (a.peer == peer) a.deadline = now + timeout_;
  }
  // Calls repeat(peer) for each whose request is due, and give_up(peer) for each that was silent
  // for too long, which ends. Asks is_stopped(peer) for each that is in doubt, as it has a quarter
  // of its time left; see kLongestPause.
  template <class Repeat, class GiveUp, class IsStopped>
  void look(Time now, Repeat&& repeat, GiveUp&& give_up, IsStopped&& is_stopped) {
    for (Attempt& a : all_) {
      if (now >= doubt(a) && is_stopped(a.peer)) a.deadline += now - looked_;
      if (now >= a.deadline) {
        give_up(a.peer);
      } else if (now >= a.next) {
        repeat(a.peer);
        a.interval = std::min(a.interval * 2, kLongestInterval);
        a.next = now + a.interval;
      }
    }
    looked_ = now;
    std::erase_if(all_, [now](const Attempt& a) { return now >= a.deadline; });
  }
  // When look() has something to do; Time::max(): never.
  Time next() const noexcept {
    Time first = Time::max();
    for (const Attempt& a : all_) first = std::min({first, a.next, a.deadline});
    return first;
  }

 private:
  struct Attempt {
    int peer;
    Duration interval;
    Time next, deadline;
  };
  Time doubt(const Attempt& a) const noexcept { return a.deadline - timeout_ / 4; }

  const Duration timeout_;
  Time looked_{};
  std::vector<Attempt> all_;
};

}  // namespace tutti::transport::verbs
