// Every algorithm, one function each; what they are is said where they are written, what they need in registry.cpp.
// An algorithm is a pure function from a problem to the schedule of problem.rank, and knows only Builder and the trees.
#pragma once

#include "collectives/registry.hpp"

namespace tutti::collectives {

Schedule barrier_dissemination(const Problem& problem, const Parameters& parameters);
Schedule barrier_flat_tree(const Problem& problem, const Parameters& parameters);
Schedule barrier_binomial(const Problem& problem, const Parameters& parameters);
Schedule barrier_binary(const Problem& problem, const Parameters& parameters);
Schedule barrier_chain(const Problem& problem, const Parameters& parameters);
Schedule barrier_k_chain(const Problem& problem, const Parameters& parameters);
Schedule barrier_double_ring(const Problem& problem, const Parameters& parameters);
Schedule barrier_recursive_doubling(const Problem& problem, const Parameters& parameters);
Schedule barrier_hierarchical(const Problem& problem, const Parameters& parameters);

Schedule bcast_binomial(const Problem& problem, const Parameters& parameters);
Schedule bcast_multicast(const Problem& problem, const Parameters& parameters);
Schedule bcast_chain(const Problem& problem, const Parameters& parameters);
Schedule bcast_k_chain(const Problem& problem, const Parameters& parameters);
Schedule bcast_binary(const Problem& problem, const Parameters& parameters);
Schedule bcast_linear(const Problem& problem, const Parameters& parameters);
Schedule bcast_splitting(const Problem& problem, const Parameters& parameters);
Schedule bcast_splitted_binary(const Problem& problem, const Parameters& parameters);
Schedule bcast_scatter_ring(const Problem& problem, const Parameters& parameters);
Schedule bcast_scatter_doubling(const Problem& problem, const Parameters& parameters);
Schedule bcast_hierarchical(const Problem& problem, const Parameters& parameters);

Schedule scatter_linear(const Problem& problem, const Parameters& parameters);
Schedule scatter_splitting(const Problem& problem, const Parameters& parameters);
Schedule scatter_binomial(const Problem& problem, const Parameters& parameters);
Schedule scatter_loggp(const Problem& problem, const Parameters& parameters);

Schedule gather_linear(const Problem& problem, const Parameters& parameters);
Schedule gather_splitting(const Problem& problem, const Parameters& parameters);
Schedule gather_binomial(const Problem& problem, const Parameters& parameters);
Schedule gather_loggp(const Problem& problem, const Parameters& parameters);

Schedule allgather_ring(const Problem& problem, const Parameters& parameters);
Schedule allgather_modified_ring(const Problem& problem, const Parameters& parameters);
Schedule allgather_recursive_doubling(const Problem& problem, const Parameters& parameters);
Schedule allgather_bruck(const Problem& problem, const Parameters& parameters);
Schedule allgather_gather_bcast(const Problem& problem, const Parameters& parameters);
Schedule allgather_gather_bcast_binomial(const Problem& problem, const Parameters& parameters);
Schedule allgather_neighbor_exchange(const Problem& problem, const Parameters& parameters);
Schedule allgather_dissemination(const Problem& problem, const Parameters& parameters);
Schedule allgather_full_fan_in(const Problem& problem, const Parameters& parameters);
Schedule allgather_repeated_binary_tree(const Problem& problem, const Parameters& parameters);
Schedule allgather_pipeline(const Problem& problem, const Parameters& parameters);
Schedule allgather_hierarchical(const Problem& problem, const Parameters& parameters);

Schedule alltoall_linear(const Problem& problem, const Parameters& parameters);
Schedule alltoall_pairwise(const Problem& problem, const Parameters& parameters);
Schedule alltoall_bruck(const Problem& problem, const Parameters& parameters);

Schedule reduce_linear(const Problem& problem, const Parameters& parameters);
Schedule reduce_chain(const Problem& problem, const Parameters& parameters);
Schedule reduce_k_chain(const Problem& problem, const Parameters& parameters);
Schedule reduce_binomial(const Problem& problem, const Parameters& parameters);
Schedule reduce_splitting(const Problem& problem, const Parameters& parameters);
Schedule reduce_binary(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_gather(const Problem& problem, const Parameters& parameters);
Schedule reduce_hierarchical(const Problem& problem, const Parameters& parameters);

Schedule allreduce_recursive_multiplying(const Problem& problem, const Parameters& parameters);
Schedule allreduce_reduce_bcast(const Problem& problem, const Parameters& parameters);
Schedule allreduce_reduce_bcast_linear(const Problem& problem, const Parameters& parameters);
Schedule allreduce_chain(const Problem& problem, const Parameters& parameters);
Schedule allreduce_halving_doubling(const Problem& problem, const Parameters& parameters);
Schedule allreduce_ring(const Problem& problem, const Parameters& parameters);
Schedule allreduce_repeated_binary_tree(const Problem& problem, const Parameters& parameters);
Schedule allreduce_pipeline(const Problem& problem, const Parameters& parameters);
Schedule allreduce_full_fan_in(const Problem& problem, const Parameters& parameters);
Schedule allreduce_full_fan_out(const Problem& problem, const Parameters& parameters);
Schedule allreduce_hierarchical(const Problem& problem, const Parameters& parameters);

Schedule reduce_scatter_linear(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_halving(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_ring(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_pairwise(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_full_fan_in(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_repeated_binary_tree(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_pipeline(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_dissemination(const Problem& problem, const Parameters& parameters);
Schedule reduce_scatter_reduce_scatter(const Problem& problem, const Parameters& parameters);

Schedule scan_linear(const Problem& problem, const Parameters& parameters);
Schedule scan_recursive_doubling(const Problem& problem, const Parameters& parameters);

}  // namespace tutti::collectives
