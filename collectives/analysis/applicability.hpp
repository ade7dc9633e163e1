// Where an algorithm applies, in words for readers. Pure.
#pragma once

#include <string>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

// The conditions under which it applies, all of which must hold, each a sentence; none: it applies
// always. Found by asking the algorithm about problems that differ from one to which it applies in
// a single property.
std::vector<std::string> conditions_of(const Algorithm& algorithm);

}  // namespace tutti::collectives
