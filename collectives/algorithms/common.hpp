// What algorithms begin with. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/schedule/builder.hpp"
#include "collectives/schedule/mirrored.hpp"

namespace tutti::collectives {

inline Builder solve(const Problem& problem) {
  return Builder{problem.P, problem.rank, user_buffers(problem)};
}

// The output of an allgather, or of a gather at its root.
inline Blocks gathered(const Problem& problem) { return blocks_in(Buffer::output, problem); }

// `count` of `parts` from `first` on, around the end: one run, or two.
template <class Visit>
void for_runs(int parts, int first, int count, Visit&& visit) {
  const int begin = mod(first, parts), until_end = std::min(count, parts - begin);
  visit(begin, until_end);
  if (until_end < count) visit(0, count - until_end);
}
// The same of blocks, as slices.
template <class Visit>
void for_runs(const Blocks& block, int first, int count, Visit&& visit) {
  for_runs(block.parts(), first, count,
           [&](int begin, int length) { visit(block.range(begin, length)); });
}

inline int largest_power_of_two(int P) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(P)));
}

using Author = Schedule (*)(const Problem&, const Parameters&);

// The mirror of what `spread` makes; see mirrored.hpp.
inline Schedule mirror(Author spread, const Problem& problem, const Parameters& parameters) {
  return mirrored(spread(mirror_of(problem), parameters), problem);
}

// Full fan-in: BEO §3.3.7. P stages: in stage i all others send to rank i, which takes their
// messages one after another, its right neighbour's first.
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
void up_and_down(Builder& s, std::optional<Rank> parent, const std::vector<Rank>& children,
                 AtRoot&& at_root) {
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
