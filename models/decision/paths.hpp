// The critical path through the stages of a sketch, where some of them lie beside others. Pure.
#pragma once

#include "models/decision/estimate.hpp"

namespace tutti::models {

// The time of the rounds that are on the critical path, and what it is made of.
struct Path {
  double time = 0;
  Estimate::Parts parts;
  void add(const Path& more, double rounds) noexcept {
    time += rounds * more.time;
    parts.start_up += rounds * more.parts.start_up;
    parts.compute += rounds * more.parts.compute;
    parts.cores += rounds * more.parts.cores;
    parts.wakes += rounds * more.parts.wakes;
  }
};

// The critical path so far, and the open rounds, whose messages are on their way.
class Paths {
 public:
  // `sent`: until a round's messages have been sent, and others may be.
  void add(const Stage& stage, const Path& path, const Path& sent) noexcept {
    if (stage.order == Stage::Order::beside) {
      has_beside_ = true;
      return beside_.add(path, stage.rounds);
    }
    if (has_beside_) take_later(beside_);
    if (stage.order == Stage::Order::open) {
      open_.add(path, stage.rounds);
      sent_.add(sent, stage.rounds);
      return;
    }
    sent_.add(path, stage.rounds);
    if (stage.order == Stage::Order::joins) return take_later(sent_);
    whole_.add(sent_, 1);
    open_ = sent_ = {};
  }
  const Path& whole() noexcept {
    if (has_beside_) take_later(beside_);
    return whole_;
  }

 private:
  void take_later(const Path& other) noexcept {
    whole_.add(other.time < open_.time ? open_ : other, 1);
    open_ = sent_ = beside_ = {};
    has_beside_ = false;
  }

  Path whole_, open_, sent_, beside_;
  bool has_beside_ = false;  // which may take no time
};

}  // namespace tutti::models
