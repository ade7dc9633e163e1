// Every algorithm, one function each; what they are is said where they are written, what they need in registry.cpp.
// An algorithm is a pure function from a problem to the schedule of problem.rank, and knows only Builder and the trees.
#pragma once

#include "collectives/registry.hpp"

namespace tutti::collectives {

Schedule barrier_dissemination(const Problem& problem, const Parameters& parameters);
Schedule barrier_flat_tree(const Problem& problem, const Parameters& parameters);

Schedule bcast_binomial(const Problem& problem, const Parameters& parameters);
Schedule bcast_chain(const Problem& problem, const Parameters& parameters);
Schedule bcast_linear(const Problem& problem, const Parameters& parameters);

Schedule allgather_ring(const Problem& problem, const Parameters& parameters);
Schedule allgather_modified_ring(const Problem& problem, const Parameters& parameters);
Schedule allgather_recursive_doubling(const Problem& problem, const Parameters& parameters);
Schedule allgather_bruck(const Problem& problem, const Parameters& parameters);
Schedule allgather_gather_bcast(const Problem& problem, const Parameters& parameters);
Schedule allgather_gather_bcast_binomial(const Problem& problem, const Parameters& parameters);

}  // namespace tutti::collectives
