// Proves that the schedules of all ranks together do what the collective promises, without running
// them: every byte is followed from where it came from. Pure: no I/O, no transport, no clock.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

enum class Violation : std::uint8_t {
  none,
  wrong_result,       // a byte of a result has the wrong origin; a barrier is left before all ranks
                      // entered it
  unmatched_message,  // a send without its receive, or the other way round
  size_mismatch,      // the two ends of a message differ in length
  deadlock,           // a step waits for ever
  unordered_overlap,  // two steps of a rank touch the same bytes, one writes, and neither waits for
                      // the other
  out_of_bounds,      // a slice, peer or edge outside of what the schedule has, or a write to the
                      // caller's input
};

struct Verdict {
  Violation violation = Violation::none;
  std::string message;  // ranks, steps and the first bad byte; empty if all is well
  bool ok() const noexcept { return violation == Violation::none; }
};

// Checks schedules[0 … P−1], of ranks 0 … P−1, each against its own problem. What is proved:
//   * every slice, peer and edge is in bounds, and nothing writes to the input;
//   * messages: sends and receives pair off by (from, to, ordinal), with equal lengths;
//   * order: of any two steps of a rank that touch a byte in common, one of them writing, one waits
//   for the other.
//     Found from the slices and from reachability in the step graph alone, not from what Builder
//     believed. This is what makes the result independent of timing, so that following ONE
//     execution proves all;
//   * result: every byte of every output has the right origin. Reductions: every contribution is in
//   it exactly once; where the
//     operation is not commutative, as operands in the order of the ranks; and an allreduce makes
//     it by the same expression on every rank, up to the order of two operands, so that all have
//     the same bits. Barrier: no rank can leave before all have entered;
//   * liveness over the strictest channels: rendezvous, where a send completes only together with
//   its receive (every
//     execution blocks alike there, so one proves all), and eager with ONE slot between two ranks,
//     no setting aside and so consumption in order (there the order of service matters; oldest
//     first and newest first are both run).
Verdict verify(std::span<const Schedule> all_ranks, std::span<const Problem> problems);
// The same problem for all, whatever its rank.
Verdict verify(std::span<const Schedule> all_ranks, const Problem& problem);

std::string_view name_of(Violation violation) noexcept;

}  // namespace tutti::collectives
