// One call as all ranks make it: the problem of each rank, and its schedule. Pure.
#pragma once

#include <vector>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

// The same call as that rank makes it, but for counts. On a torus it has its own neighbours.
Problem problem_of_rank(const Problem& any, Rank rank);

// `any` for rank 0, 1, …, whatever rank it is of. Counts of an all-to-all differ from rank to rank:
// if it has any, each rank gets its rows of one matrix, which is symmetric in place.
std::vector<Problem> problems_of_all_ranks(const Problem& any);

// Requires that the algorithm applies.
std::vector<Schedule> schedules_of_all_ranks(const Algorithm& algorithm, const Problem& any,
                                             const Parameters& parameters);

}  // namespace tutti::collectives
