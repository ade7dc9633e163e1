// The built-in table: which algorithm runs when nobody has measured or chosen. Pure: it sees only
// facts that are equal on all ranks, so that all ranks choose alike.
#pragma once

#include "collectives/selection/choices.hpp"

namespace tutti::collectives {

// What the choice may depend on. Must be equal on all ranks of the communicator.
struct Facts {
  int P = 1;
  int nodes = 1;
  int max_ranks_per_node = 1;
  bool software_wire =
      false;  // ranks speak over a wire whose every packet costs CPU time (rxe, siw)
  bool oversubscribed = false;  // a machine has more ranks than cores
};

// Of blocks that differ the mean; 0 where ranks may not know it alike.
Bytes typical_bytes(const Problem& problem) noexcept;

// Only what is equal on all ranks counts: not problem.rank, nor the lengths of an all-to-all with
// counts. What is returned applies to every root, in place or not.
Choice select(const Problem& problem, const Facts& facts);

}  // namespace tutti::collectives
