// Whether bytes of typed elements have one place in memory, found out by looking at each run.
#pragma once

#include "base/packing.hpp"

namespace tutti {

// More runs are not looked at: 4000 take 30 us, more than the call should pay for the check.
inline constexpr int kMostRunsLookedAt = 4096;

// true: two bytes have one place. false: each has its own, or there are too many runs to tell.
// Throws std::bad_alloc.
bool places_overlap(const TypedBytes& typed);

}  // namespace tutti
