// What algorithms begin with. Pure.
#pragma once

#include <algorithm>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/builder.hpp"

namespace tutti::collectives {

inline Builder solve(const Problem& problem) { return Builder{problem.P, problem.rank, user_buffers(problem)}; }

// The output of an allgather, or of a gather at its root.
inline Blocks gathered(const Problem& problem) { return blocks_in(Buffer::output, problem); }

}  // namespace tutti::collectives
