// Virtual topologies: who is whose parent and child. Shared by all rooted algorithms. Pure.
// A tree is built on virtual ranks v = (rank − root) mod P, the root being 0, and handed out in real ranks.
#pragma once

#include <optional>
#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

// `count` virtual ranks from `first` on.
struct Range {
  int first = 0;
  int count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// One rank's place in a tree. Every subtree is a contiguous range of virtual ranks that starts with its root, so that
// what belongs to a subtree can be one message.
struct Tree {
  std::optional<Rank> parent;   // nullopt: this rank is the root
  std::vector<Rank> children;   // in round order, largest subtree first
  std::vector<Range> subtrees;  // of the children, in the same order
  std::vector<int> rounds;      // of the children: the round in which the child hears from this rank, from 0
  Range own;                    // this rank's own subtree: itself and all below it
  int round = -1;               // in which this rank hears from its parent; −1: the root
};

// Root is the parent of all. One round.
Tree flat(int P, Rank rank, Rank root);

// v → v+1. P−1 rounds.
Tree chain(int P, Rank rank, Rank root);

// n-way binomial tree, IB §5.1.3: each round every holder of ranks cuts them into k+1 parts whose sizes differ by at
// most one, keeps the part with itself and hands k parts to new ranks. ⌈log_{k+1} P⌉ rounds; k = 1: the binomial tree.
Tree binomial(int P, Rank rank, Rank root, int k = 1);

// ⌈log_base P⌉, in integers.
int rounds_to_reach(int P, int base) noexcept;

}  // namespace tutti::collectives
