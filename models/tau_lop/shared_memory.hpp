// Collectives that share buffers instead of sending messages: Open MPI's COLL SM, as the thesis
// models it. Tutti has no such schedules; these are for comparison. TAU §4.6 and §4.7.3. Pure.
#pragma once

#include "models/tau_lop/cost.hpp"

namespace tutti::models::tau_lop {

// A broadcast of so many segments down the tree of this degree, through buffers of two segments: a
// process copies each segment out of its parent's buffer into its own, and then into the user's
// (figures 4.21 and 4.22). Processes of the last level have no buffer of their own to fill.
Cost sm_bcast(int P, int degree, Bytes segment, Bytes segments);

// (4.55): all but the root copy a segment at once, the root copies one of them, and combines.
Cost sm_reduce(int P, Bytes segment, Bytes segments);

}  // namespace tutti::models::tau_lop
