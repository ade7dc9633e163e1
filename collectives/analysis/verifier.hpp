// Proves that the schedules of all ranks together do what the collective promises, without running
// them, by following where every byte comes from. Pure: no I/O, no transport, no clock.
#pragma once

#include <span>

#include "collectives/analysis/verdict.hpp"
#include "collectives/schedule/problem.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// Checks the schedules of ranks 0 … P−1, each against its own problem. It proves:
//   form      every slice, peer and edge is in bounds, and nothing writes to the input.
//   messages  Sends and receives pair off by (sender, receiver, ordinal), with equal lengths.
//   order     If two steps of a rank touch a common byte, and one of them writes it, one waits for
//             the other. This is found from the slices and from reachability in the graph of
//             steps alone, not from what Builder believed. It makes the result independent of
//             timing, so that following ONE execution proves all.
//   result    Every byte of every output has the right origin. Reductions: every contribution is in
//             it exactly once; if the operation is not commutative, as operands in the order of the
//             ranks; and an allreduce makes it by the same expression on every rank, up to the
//             order of two operands, so that all ranks have the same bits. Barrier: no rank can
//             leave before all have entered.
//   liveness  Nothing deadlocks over the strictest channels:
//             rendezvous, where a send completes only together with its receive (every execution
//             blocks alike there, so one proves all);
//             and eager with ONE slot between two ranks and nothing set aside, so that messages are
//             consumed in order. There the order of service matters; oldest first and newest first
//             are both run.
Verdict verify(std::span<const Schedule> all_ranks, std::span<const Problem> problems);
// Checks them against problems_of_all_ranks(problem).
Verdict verify(std::span<const Schedule> all_ranks, const Problem& problem);

}  // namespace tutti::collectives
