// Which steps decided how long a simulation took. Pure.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/simulation/simulator.hpp"

namespace tutti::models {

// The numbers of bars, first one first. Each began when the one before let it: its message had
// arrived, its processor or port was free, or the step that it waited for had ended. Where ranks of
// a node share a port, the one before may be another rank's.
std::vector<std::size_t> critical_path(std::span<const Bar> bars);

}  // namespace tutti::models
