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
