// Every algorithm, one function each; what they are is said where they are written, what they need
// in list.def. An algorithm is a pure function from a problem to the schedule of problem.rank, and
// knows only Builder and the trees.
#pragma once

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

#define ALGORITHM(collective, function, name, traits, needs, paper, summary) \
  Schedule function(const Problem& problem, const Parameters& given);
#include "collectives/algorithms/list.def"
#undef ALGORITHM

}  // namespace tutti::collectives
