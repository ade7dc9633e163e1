// Second part of the verifier: of two steps of a rank that touch the same bytes, does one wait for
// the other? Pure.
#pragma once

#include "collectives/analysis/verdict.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// Looks at the slices and edges of the schedule only, not at what Builder believed. Requires
// check_form().
Verdict check_order(const Schedule& schedule);

}  // namespace tutti::collectives
