// Trees: who is whose parent and child. Shared by all rooted algorithms. Pure. A tree is built on
// virtual ranks v = (rank − root) mod P, where the root is 0, and given out in real ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "collectives/algorithms/parameters.hpp"

namespace tutti::collectives {

// `count` virtual ranks from `first` on.
struct Range {
  int first = 0;
  int count = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

// One rank's place in a tree. Except in the k-ary and the bine tree, every subtree is a contiguous
// range of virtual ranks that starts with its root, so that what belongs to it can be one message.
struct Tree {
  std::optional<Rank> parent;   // nullopt: this rank is the root
  std::vector<Rank> children;   // in the order in which they are served
  std::vector<Range> subtrees;  // of the children, in the same order; k-ary, bine: empty
  std::vector<int> rounds;      // in which each child hears from this rank, from 0; k-ary: empty
  Range own;                    // this rank's own subtree: itself and all below it
  int round = -1;               // in which this rank hears from its parent; −1: the root
};

// The root is the parent of all. One round.
Tree flat(int P, Rank rank, Rank root);

// v → v+1. P−1 rounds.
Tree chain(int P, Rank rank, Rank root);

// The root feeds k chains of nearly equal length (OCC §4.2).
Tree k_chain(int P, Rank rank, Rank root, int k);

// The complete tree of degree k (TAU §4.6), whose children are kv+1 … kv+k: level i has k^i ranks,
// and there are ⌈log_k((k−1)P + 1)⌉ levels. Its subtrees are not ranges of ranks.
Tree k_ary(int P, Rank rank, Rank root, int k);
// k = 2 (OCC §4.2).
inline Tree binary(int P, Rank rank, Rank root) { return k_ary(P, rank, root, 2); }

// Bine tree: De Sensi et al., arXiv:2508.17311. A binomial tree whose children are nearer: in round
// i of log2 P a holder's child is its bine_partner() of step log2 P − 1 − i. P a power of two.
// Every subtree is a range of virtual ranks around its root.
Tree bine(int P, Rank rank, Rank root);
// The rank (1 − (−2)^{step+1})/3 away, upwards from even ranks and downwards from odd ones, modulo
// P. A partner's partner is the rank itself.
Rank bine_partner(int P, Rank rank, int step) noexcept;
// The corner of a rank if the steps are the dimensions of a hypercube: the corners of partners in
// step i differ in bit i alone.
unsigned bine_corner(int P, Rank rank) noexcept;

// Halving of partitions (IB §5.1.3, recursive splitting): a rank that holds n ranks hands the upper
// ⌊n/2⌋ to the first of them, and goes on with the rest. For a power of two this is the hypercube.
// ⌈log2 P⌉ rounds of one message.
Tree splitting(int P, Rank rank, Rank root);

// The best tree for scattering blocks under LogGP, IB §5.1.3: a rank that holds the blocks of P
// ranks hands over those of the last n, where n solves t(1) = 0,
//   t(P) = min over n of { (bytes of the n blocks − 1)G + max{ L' + t(n), g + t(P−n) } },
// t of those n ranks and of the others. IB prints n(s−1)G; but n blocks are one message, so that
// would be n − 1 bytes too few. `blocks`: the length of all blocks, or of each, by rank: then t
// differs for every range of ranks. For more than kLogGPRanks ranks blocks count as long as their
// mean.
Tree loggp(int P, Rank rank, Rank root, std::span<const Bytes> blocks,
           const LogGP& times = kUsualTimes);
inline constexpr int kLogGPRanks = 256;
// The way to the last rank of that tree that gets its block, for blocks of one length.
struct LogGPPath {
  // A rank sends so many messages with so many blocks in all, and the last message goes on.
  struct Hop {
    int messages = 0;
    std::int64_t blocks = 0;
    int distance = 0;  // of the farthest rank of these
  };
  std::vector<Hop> hops;
  int children = 0;  // of the root
  int largest = 0;   // blocks of the greatest message
};
// O(P). Requires that all times are set.
LogGPPath loggp_path(int P, Bytes block, const LogGP& times);

// n-way binomial tree, IB §5.1.3: in each round every rank that holds ranks cuts them into k+1
// parts whose sizes differ by at most one, keeps the part with itself and hands k parts to new
// ranks. ⌈log_{k+1} P⌉ rounds. k = 1: the binomial tree.
Tree binomial(int P, Rank rank, Rank root, int k = 1);

// ⌈log_base P⌉, in integers.
int rounds_to_reach(int P, int base) noexcept;

}  // namespace tutti::collectives
