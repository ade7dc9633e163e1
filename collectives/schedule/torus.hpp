// Ranks on a torus. Pure.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

// The number of ranks along each dimension, which is closed to a ring; the ranks along the last one
// follow each other. An offset is written as the rank that is there, seen from rank 0: its digits,
// one for each dimension, are added to those of a rank.
using Torus = std::vector<int>;

Rank plus(const Torus& torus, Rank rank, Rank offset);
// The offset of `to` from `from`.
Rank minus(const Torus& torus, Rank to, Rank from);
// The part of an offset along one dimension. The parts along all of them add up to the offset.
Rank along(const Torus& torus, Rank offset, int dimension);

}  // namespace tutti::collectives
