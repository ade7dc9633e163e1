// How many steps a simulation has to play, before it plays any. Pure.
#pragma once

#include <functional>

#include "collectives/schedule/schedule.hpp"

namespace tutti::models {

// About how many steps the schedules of all ranks have together, which is what a simulation costs:
// those of the root, which has most in a flat tree, and the mean of a few others for each of the
// others. Calls schedule_of() for these alone.
double steps_of_all(int P, Rank root,
                    const std::function<collectives::Schedule(Rank)>& schedule_of);

}  // namespace tutti::models
