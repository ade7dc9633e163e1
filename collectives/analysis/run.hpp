// Third part of the verifier: runs all ranks' schedules over the strictest channels. Pure and
// deterministic.
#pragma once

#include <span>

#include "collectives/analysis/verifier.hpp"
#include "collectives/analysis/matching.hpp"

namespace tutti::collectives {

// A send completes only together with its receive. Also follows the data: checks the result. Every
// execution blocks alike over this channel, because a message that can pass can do so for ever,
// whatever passes first.
Verdict run_rendezvous(std::span<const Schedule> all_ranks, const Matching& matching,
                       std::span<const Problem> problems);

// One slot between two ranks, freed when its message is received; nothing is set aside.
// `newest_first` turns round the order in which ranks, and the sends that wait for a slot, are
// served.
Verdict run_eager(std::span<const Schedule> all_ranks, const Matching& matching, bool newest_first);

}  // namespace tutti::collectives
