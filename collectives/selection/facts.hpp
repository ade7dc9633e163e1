// The facts on which the choice of an algorithm may depend besides the problem. Pure.
#pragma once

#include <span>

#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

// Equal on all ranks of the communicator, so that all ranks choose alike.
struct Facts {
  int P = 1;
  int nodes = 1;
  int max_ranks_per_node = 1;
  bool software_wire = false;   // each packet between nodes costs CPU time (rxe, siw)
  bool oversubscribed = false;  // some machine has more ranks than cores
  int cores = 0;                // of the machines of its ranks together; 0: one for each rank
  bool in_order = true;         // the ranks of each node follow each other
  bool wire_within = false;     // ranks of one node use the wire, too
  bool in_turn = false;         // rank r is on node r mod nodes
  friend auto operator<=>(const Facts&, const Facts&) = default;
};

// Whether rank r is on the same node as rank r − nodes, so that the ranks are dealt out to the
// nodes in turn. `node`: of each rank; one rank on each node is no turn.
bool are_in_turn(std::span<const int> node, int nodes) noexcept;

// The members that say where ranks are: P, nodes, max_ranks_per_node, in_order and in_turn. `node`:
// of each rank, numbered from 0, with none left out.
Facts facts_of_nodes(std::span<const int> node);

// The block length; if blocks differ, the mean; 0 if not all ranks know the lengths.
Bytes typical_bytes(const Problem& problem) noexcept;

}  // namespace tutti::collectives
