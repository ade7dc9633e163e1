// The built-in table: which algorithm runs if nobody has measured or chosen. It sees only facts
// that are equal on all ranks, so that all ranks choose alike. Pure.
#pragma once

#include "collectives/selection/choices.hpp"
#include "collectives/selection/facts.hpp"

namespace tutti::collectives {

// Depends only on what is equal on all ranks: not on problem.rank, nor on the counts of an
// all-to-all. What it returns applies to every root, in place or not.
Choice select(const Problem& problem, const Facts& facts);

}  // namespace tutti::collectives
