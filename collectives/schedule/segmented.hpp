// Cuts the messages of a schedule into segments. One transformation does it for all algorithms, so
// that none of them speaks of segments. Pure.
#pragma once

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// The same schedule, with every step of more than `segment` bytes cut into pieces of `segment`
// bytes, the last of which may be shorter; if `segment` is not positive, the schedule itself. A
// piece waits only for the pieces with which it shares bytes, so a chain becomes a pipeline. Both
// ends of a message must be cut with the same `segment`. Throws Error{algorithm_not_applicable} if
// that would make more than kMostSteps steps.
//
// With Scratch::folded, which all ranks must ask for alike, scratch that holds a whole message
// becomes a ring of kSegmentsHeld segments (OCC §6.2: segmentation "limits the size of internal
// buffers required by the algorithm"), and the segments of a message leave one after another.
enum class Scratch : std::uint8_t { whole, folded };
Schedule segmented(Schedule whole, Bytes segment, Scratch scratch = Scratch::whole);

// Enough for one that arrives, one that is combined, one that is sent on, and one that is late.
inline constexpr std::uint32_t kSegmentsHeld = 4;

// The most steps that a schedule may be cut into; with all that belongs to it, a step takes some
// 200 bytes.
inline constexpr Bytes kMostSteps = Bytes{1} << 20;
// Throws the error above if there are more.
void check_steps(Bytes steps, Bytes segment);

}  // namespace tutti::collectives
