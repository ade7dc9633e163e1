// Several calls of one collective, each begun when the one before is done on the same rank: what a
// benchmark runs. Pure.
#pragma once

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// Ranks need not wait for each other in between, so the time of many calls, divided by their
// number, is less than the time of one where the collective does not make all wait for all.
Schedule repeated(const Schedule& one, int calls);

}  // namespace tutti::collectives
