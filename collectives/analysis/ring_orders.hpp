// The promise of the channel on which the proof of several calls stands, explored whole: of the
// messages that share a ring, each whose send and receive are both under way passes, whatever
// becomes of all others, in whatever order sends and receives begin, and however late anything
// comes. Pure.
//
// The calls are not named here. Messages of one rank to another may begin at either end in any
// order, at any time or never, which is more than any schedules of any calls can do. Only the
// number of messages is limited.
#pragma once

#include <cstddef>
#include <vector>

#include "collectives/analysis/exploration.hpp"
#include "collectives/analysis/shared_ring.hpp"

namespace tutti::collectives {

// One message for each entry, of so many pieces, 4 at most. Sends begin in this order, so that
// messages of different lengths need a proof for each order of them.
Exploration prove_ring(const RingRules& rules, const std::vector<int>& pieces,
                       std::size_t most_states = std::size_t{1} << 22);

}  // namespace tutti::collectives
