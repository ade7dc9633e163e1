// Third part of the verifier: runs all ranks over the strictest channels there are. Pure and
// deterministic.
#pragma once

#include <span>

#include "collectives/analysis/verdict.hpp"
#include "collectives/analysis/world.hpp"
#include "collectives/schedule/problem.hpp"

namespace tutti::collectives {

// A send completes only together with its receive. Follows the data on the way, and checks the
// result: where conflicting steps are ordered, it is the same in every execution. Every execution
// blocks alike over this channel, because a message that can pass can do so for ever, whatever
// passes first.
Verdict run_rendezvous(World& world, std::span<const Problem> problems);

// One slot between two ranks, freed when its message is received; nothing is set aside.
// `newest_first` turns round the order in which ranks are served, and the sends that wait for a
// slot.
Verdict run_eager(World& world, bool newest_first);

}  // namespace tutti::collectives
