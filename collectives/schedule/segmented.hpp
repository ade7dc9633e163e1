// Cuts the messages of a schedule into segments: one transformation for every algorithm, so that no
// algorithm speaks of segments. Pure.
#pragma once

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// The same schedule with every step of more than `segment` bytes cut into pieces of `segment` bytes
// (the last may be shorter); 0 or less: the schedule itself. A piece waits only for the pieces
// whose bytes it shares, so a chain becomes a pipeline. Both ends of a message must be cut with the
// same `segment`. Throws Error{algorithm_not_applicable} where that makes more than kMostSteps
// steps.
Schedule segmented(Schedule whole, Bytes segment);

// What a schedule may be cut into; a step takes some 200 bytes.
inline constexpr Bytes kMostSteps = Bytes{1} << 20;
void check_steps(Bytes steps, Bytes segment);

}  // namespace tutti::collectives
