// Events that are due, in the order of time; at one moment in that of kind, rank and step, so that
// a simulation does not depend on the order in which events were announced. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"

namespace tutti::models {

struct Event {
  enum Kind : std::uint32_t { done, reaches, passed, notice, enter, wake };
  double time;
  std::uint32_t what;  // the kind, and the step
  Rank rank;

  static constexpr int kStepBits = 29;
  Event() = default;
  Event(double when, Kind kind, Rank who, std::uint32_t step)
      : time(when), what(kind << kStepBits | step), rank(who) {}
  Kind kind() const noexcept { return static_cast<Kind>(what >> kStepBits); }
  std::uint32_t step() const noexcept { return what & ((1U << kStepBits) - 1); }
  bool before(const Event& other) const noexcept {
    if (time != other.time) return time < other.time;
    return what != other.what ? what < other.what : rank < other.rank;
  }
};

// A heap of four children a parent: half as deep as one of two, and siblings share a cache line.
class EventQueue {
 public:
  bool empty() const noexcept { return heap_.empty(); }
  const Event& top() const noexcept { return heap_.front(); }

  void push(const Event& event) {
    std::size_t at = heap_.size();
    heap_.push_back(event);
    for (; at > 0; at = parent(at)) {
      if (!event.before(heap_[parent(at)])) break;
      heap_[at] = heap_[parent(at)];
    }
    heap_[at] = event;
  }

  void pop() noexcept {
    const Event last = heap_.back();
    heap_.pop_back();
    const std::size_t size = heap_.size();
    if (size == 0) return;
    std::size_t at = 0;
    for (std::size_t child; (child = 4 * at + 1) < size;) {
      const std::size_t end = child + 4 < size ? child + 4 : size;
      for (std::size_t other = child + 1; other < end; ++other)
        if (heap_[other].before(heap_[child])) child = other;
      if (!heap_[child].before(last)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = last;
  }

 private:
  static std::size_t parent(std::size_t at) noexcept { return (at - 1) / 4; }
  std::vector<Event> heap_;
};

}  // namespace tutti::models
