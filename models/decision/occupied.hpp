// How long processors and ports have to work in the rounds of a sketch. Pure.
#pragma once

#include <algorithm>

#include "models/decision/sketch.hpp"

namespace tutti::models {

// How long a processor is occupied: that of a rank that takes part in all stages, and that of one
// which receives what is handed down.
struct Processor {
  double all = 0, of_child = 0;
  double most() const noexcept { return std::max(all, of_child); }
  void add(double busy, double of_receiver) noexcept {
    all += busy;
    of_child = std::max(of_child + busy, of_receiver);
  }
};

// How long the processors and the ports of the busiest ranks and node are occupied.
struct Occupied {
  Processor of_leader, of_others;
  double out_near = 0, in_near = 0, out_far = 0, in_far = 0, node = 0;
  double ports() const noexcept { return std::max({out_near, in_near, out_far, in_far, node}); }
  double most() const noexcept { return std::max({of_leader.most(), of_others.most(), ports()}); }
  void add(const Occupied& more, const Stage& stage, bool others_at_borders) noexcept {
    const double times = stage.busy * stage.share;
    // A rank that receives from the leader of its node is no leader itself.
    of_leader.add(times * more.of_leader.all, stage.leaders ? times * more.of_leader.of_child : 0);
    if (!stage.leaders) of_others.add(times * more.of_others.all, times * more.of_others.of_child);
    out_near += times * more.out_near;
    in_near += times * more.in_near;
    if (!others_at_borders) {
      out_far += times * more.out_far;
      in_far += times * more.in_far;
    }
    node += times * more.node;
  }
};

}  // namespace tutti::models
