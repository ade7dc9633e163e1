// Cuts the messages of a schedule into segments: one transformation for every algorithm, so that no algorithm speaks
// of segments. Pure.
#pragma once

#include "collectives/schedule.hpp"

namespace tutti::collectives {

// The same schedule with every step of more than `segment` bytes cut into pieces of `segment` bytes (the last may be
// shorter); 0 or less: the schedule itself. A piece waits only for the pieces whose bytes it shares, so a chain becomes
// a pipeline. Both ends of a message must be cut with the same `segment`.
Schedule segmented(Schedule whole, Bytes segment);

}  // namespace tutti::collectives
