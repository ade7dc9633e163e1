// The built-in table: which algorithm runs if nobody has measured or chosen. It sees only facts
// that are equal on all ranks, so that all ranks choose alike. Pure.
#pragma once

#include "collectives/selection/choices.hpp"

namespace tutti::collectives {

// What the choice may depend on besides the problem; equal on all ranks of the communicator.
struct Facts {
  int P = 1;
  int nodes = 1;
  int max_ranks_per_node = 1;
  bool software_wire = false;   // each packet between nodes costs CPU time (rxe, siw)
  bool oversubscribed = false;  // some machine has more ranks than cores
};

// The block length; if blocks differ, the mean; 0 if not all ranks know the lengths.
Bytes typical_bytes(const Problem& problem) noexcept;

// Depends only on what is equal on all ranks: not on problem.rank, nor on the counts of an
// all-to-all. What it returns applies to every root, in place or not.
Choice select(const Problem& problem, const Facts& facts);

}  // namespace tutti::collectives
