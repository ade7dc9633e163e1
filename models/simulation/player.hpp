// A rank within a simulation: how far it is, and what it waits for. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "collectives/schedule/cursor.hpp"
#include "models/simulation/script_cache.hpp"

namespace tutti::models {

inline constexpr double kLongAgo = -std::numeric_limits<double>::infinity();
inline constexpr double kNotDue = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t kNoBar = -1;

inline constexpr std::size_t kMostPauses = 8;  // that a port is remembered to have had

struct Adapter {
  struct Pause {
    double begin, end;
  };
  double turn = kLongAgo;        // of the next message
  std::int64_t holder = kNoBar;  // has it until then
  std::vector<Pause> idle{};     // last times before, in ascending order
};

// One direction of a port. Several adapters pass as many messages at a time, each by the one that
// is free first.
struct Port : Adapter {
  explicit Port(int adapters = 1) : others(static_cast<std::size_t>(adapters) - 1) {}
  std::vector<Adapter> others;  // none of which is free earlier

  void take(double now, double time, std::int64_t bar = kNoBar) noexcept {
    turn = std::max(turn, now) + time;
    holder = bar;
    take_next();
  }
  // A message comes from `begin` on. It has the port whenever those whose last bytes came earlier
  // do not, until it has had it for so long. Returns when that is.
  double let_pass(double begin, double time) {
    if (begin > turn) {
      idle.push_back({turn, begin});
      turn = begin;
    }
    double end = turn;
    for (std::size_t i = 0; i < idle.size() && time > 0; ++i) {
      const Pause pause = idle[i];
      const double from = std::max(begin, pause.begin), used = std::min(time, pause.end - from);
      if (used <= 0) continue;
      time -= used;
      end = from + used;
      idle[i] = {pause.begin, from};
      if (end < pause.end)
        idle.insert(idle.begin() + static_cast<std::ptrdiff_t>(i) + 1, {end, pause.end});
    }
    std::erase_if(idle, [](const Pause& pause) { return pause.begin == pause.end; });
    if (idle.size() > kMostPauses) idle.erase(idle.begin());
    if (time > 0) end = turn += time;
    take_next();
    return end;
  }

 private:
  void take_next() noexcept {
    const auto next =
        std::min_element(others.begin(), others.end(),
                         [](const Adapter& a, const Adapter& b) { return a.turn < b.turn; });
    if (next == others.end() || next->turn >= turn) return;
    std::swap(*next, static_cast<Adapter&>(*this));
  }
};

// Steps that wait; the lowest one first.
class StepQueue {
 public:
  bool empty() const noexcept { return steps_.empty(); }
  collectives::StepId front() const noexcept { return steps_.front(); }
  void push(collectives::StepId step) {
    steps_.push_back(step);
    std::push_heap(steps_.begin(), steps_.end(), std::greater<>{});
  }
  void pop() noexcept {
    std::pop_heap(steps_.begin(), steps_.end(), std::greater<>{});
    steps_.pop_back();
  }

 private:
  std::vector<collectives::StepId> steps_;
};

// Events of a message's step before it runs.
enum Mark : std::uint8_t { kPosted = 1, kArrived = 2, kNoticed = 4 };

struct Player {
  std::shared_ptr<const Script> script;
  std::unique_ptr<collectives::Cursor> cursor;  // until it has finished
  std::vector<std::uint8_t> marks;              // by step
  StepQueue work, notices, sends[3];            // sends wait for the ports of each level
  double free = 0;                              // from then on the processor is
  double wake = kNotDue;                        // it decides again
  double sent = kLongAgo, received = kLongAgo;  // the processor's part of the last one ended
  bool touched = false;
};

}  // namespace tutti::models
