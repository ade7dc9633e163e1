// First part of the verifier: is each schedule well formed by itself? Pure.
#pragma once

#include <string>

#include "collectives/analysis/verdict.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// Slices within the buffers, peers among the ranks, edges between steps that exist, predecessors
// counted right, no write to the input.
Verdict check_form(const Schedule& schedule, int P, Rank rank);

// The peer of a message is one of the P ranks: "rank 3 sends to rank 7 of 5 (step 2)".
Verdict check_peer(const Schedule& schedule, int P, StepId id);

// "rank 3 step 7 (recv message 0 from rank 2)"
std::string describe(const Schedule& schedule, StepId id);

}  // namespace tutti::collectives
