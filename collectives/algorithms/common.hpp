// What algorithms begin with. Pure.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/builder.hpp"

namespace tutti::collectives {

inline Builder solve(const Problem& problem) { return Builder{problem.P, problem.rank, user_buffers(problem)}; }

// The output of an allgather, or of a gather at its root.
inline Blocks gathered(const Problem& problem) { return blocks_in(Buffer::output, problem); }

// `count` blocks from `first` on, around the end: one run, or two.
template <class Visit>
void for_runs(const Blocks& block, int first, int count, Visit&& visit) {
  const int until_end = std::min(count, block.parts() - mod(first, block.parts()));
  visit(block.range(first, until_end));
  if (until_end < count) visit(block.range(0, count - until_end));
}

// Full fan-in: BEO §3.3.7. P stages: in stage i all others send to rank i, which takes their messages one after another, its right
// neighbour's first.
template <class Send, class Receive>
void full_fan_in(Builder& s, int P, Rank r, Send&& send, Receive&& receive) {
  StepId before = kNoStep;
  const auto after_the_last = [&](auto&& step) {
    s.after(before);
    step();
    before = s.last();
  };
  for (Rank stage = 0; stage < P; ++stage)
    if (stage != r) after_the_last([&] { send(stage); });
  before = kNoStep;
  for (int i = 1; i < P; ++i) after_the_last([&] { receive(mod(r + i, P)); });
}

// Signals up a tree, what the root does when all have reported, signals down.
// A leaf may wait for its parent before its own signal has left: the parent answers only after it.
template <class AtRoot>
void up_and_down(Builder& s, std::optional<Rank> parent, const std::vector<Rank>& children, AtRoot&& at_root) {
  for (const Rank child : children) s.await(child);
  if (!children.empty()) s.round();
  if (parent) {
    s.signal(*parent);
    s.await(*parent);
    if (!children.empty()) s.round();
  } else {
    at_root();
  }
  for (const Rank child : children) s.signal(child);
}

}  // namespace tutti::collectives
