// Second part of the verifier: do the steps of one rank that touch the same bytes wait for each
// other? Pure.
#pragma once

#include "collectives/analysis/verifier.hpp"

namespace tutti::collectives {

// Uses only the slices and the edges of the schedule, nothing of Builder. Requires check_form().
Verdict check_order(const Schedule& schedule);

}  // namespace tutti::collectives
