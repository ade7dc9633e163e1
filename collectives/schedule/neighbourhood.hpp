// A rank's neighbourhood: the ranks to which it sends in neighbourhood collectives, and those from
// which it receives. Pure data.
#pragma once

#include <compare>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "collectives/schedule/torus.hpp"

namespace tutti::collectives {

inline constexpr Rank kNoNeighbour = -1;

// Blocks and neighbours are in MPI's order (MPI 4.0, section 8.6): block i of the input goes to
// to[i], and block i of the output comes from from[i]. A rank may be there several times, and so
// may the rank itself. kNoNeighbour, at the border of a grid: the block stays as it is.
struct Neighbourhood {
  std::vector<Rank> to{}, from{};
  // Blocks of one rank for another match in the order of the two lists. In a Cartesian grid the two
  // lists are the same, down and up along each dimension, and what a rank sends down comes from
  // above: there the two blocks of a dimension match in the opposite order.
  bool crossed = false;
  // If there is one: all ranks have their neighbours at the same offsets on it, in the same order.
  // All ranks know that.
  Torus torus{};

  // The block of the output which the i-th match fills.
  int matched(int i) const noexcept { return crossed ? i ^ 1 : i; }
  friend auto operator<=>(const Neighbourhood&, const Neighbourhood&) = default;  // NOLINT(*ptr)
};

// A grid of one dimension which is closed to a ring, as MPI_Cart_create makes it.
Neighbourhood ring_of(int P, Rank rank);

// The neighbourhood of `rank` as another rank of the same torus has it.
Neighbourhood moved(const Neighbourhood& neighbours, Rank rank, Rank other);

// The blocks that a rank gives to itself: their numbers in the input and in the output.
std::vector<std::pair<int, int>> own_blocks(const Neighbourhood& neighbours, Rank rank);

// The block of its input which rank `from` sends for block `block` of the output of `rank`. `mine`
// and `theirs` are the two ranks' neighbourhoods; -1: they do not match.
int source_of(const Neighbourhood& mine, Rank rank, int block, const Neighbourhood& theirs);

}  // namespace tutti::collectives
