// Helpers that algorithms share. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/schedule/builder.hpp"
#include "collectives/schedule/mirrored.hpp"

namespace tutti::collectives {

inline Builder solve(const Problem& problem) {
  return Builder{problem.P, problem.rank, user_buffers(problem), use_in(problem)};
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
// Visits the runs of these blocks, around the end, as slices.
template <class Visit>
void for_runs(const Blocks& block, int first, int count, Visit&& visit) {
  for_runs(block.parts(), first, count,
           [&](int begin, int length) { visit(block.range(begin, length)); });
}

inline int largest_power_of_two(int P) {
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(P)));
}

// The power of two of P ranks that take part where an algorithm needs one. Every odd one of the
// first 2·extra ranks is folded onto the even one before it. Neighbours are folded, not r and
// r − 2^⌊log2 P⌋ as is usual, so that a group of partners still holds one range of ranks.
struct PowerOfTwo {
  explicit PowerOfTwo(int P) : count(largest_power_of_two(P)), extra(P - count) {}
  int count, extra;
  bool folded(Rank rank) const noexcept { return rank < 2 * extra && rank % 2 == 1; }
  int partner_of(Rank rank) const noexcept { return rank < 2 * extra ? rank / 2 : rank - extra; }
  Rank rank_of(int partner) const noexcept {  // the first one that it stands for
    return partner < extra ? 2 * partner : partner + extra;
  }
  std::vector<Rank> ranks() const {
    std::vector<Rank> all;
    all.reserve(index(count));
    for (int partner = 0; partner < count; ++partner) all.push_back(rank_of(partner));
    return all;
  }
};

// Two places in turn for vectors that are combined round by round: none is written while it is
// being sent, and after `rounds` of them the result lies in the output.
class InTurn {
 public:
  // `bytes` of scratch, for the other place.
  InTurn(Builder& s, Bytes bytes, int rounds)
      : places_{s.output(), s.scratch(bytes)}, at_(rounds % 2) {}
  // Before the first round: where what is combined by then belongs.
  const Slice& place() const noexcept { return places_[at_]; }
  const Slice& next() noexcept { return places_[at_ = 1 - at_]; }

 private:
  Slice places_[2];
  int at_;
};

using Author = Schedule (*)(const Problem&, const Parameters&);

// The mirror of what `spread` makes; see mirrored.hpp.
inline Schedule mirror(Author spread, const Problem& problem, const Parameters& parameters) {
  return mirrored(spread(mirror_of(problem), parameters), problem);
}

// Combines at the owner of each block what all ranks contribute to it. In place the result stands
// where rank 0's block is: it is made elsewhere, and moved there when that is sent.
template <class Combine>
Schedule to_the_owners(const Problem& problem, Combine&& combine) {
  Builder s = solve(problem);
  const Blocks block = blocks_in(Buffer::input, problem);
  const Slice place{Buffer::output, 0, block[problem.rank].length};
  const Slice result = problem.in_place ? s.scratch(place.length) : place;
  combine(s, block, result);
  s.copy(result, place);
  return s.finish();
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
