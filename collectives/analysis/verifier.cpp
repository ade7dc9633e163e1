// The parts of the proof, in the order in which each may rest on the ones before it. Pure.
#include "collectives/analysis/verifier.hpp"

#include <fmt/format.h>

#include <vector>

#include "collectives/analysis/matching.hpp"
#include "collectives/analysis/order.hpp"
#include "collectives/analysis/run.hpp"

namespace tutti::collectives {

Verdict verify(std::span<const Schedule> all_ranks, const Problem& problem) {
  std::vector<Problem> problems(static_cast<std::size_t>(problem.P), problem);
  for (Rank rank = 0; rank < problem.P; ++rank)
    problems[static_cast<std::size_t>(rank)].rank = rank;
  return verify(all_ranks, problems);
}

Verdict verify(std::span<const Schedule> all_ranks, std::span<const Problem> problems) {
  if (all_ranks.size() != problems.size()) {
    return {Violation::out_of_bounds,
            fmt::format("{} schedules for {} ranks", all_ranks.size(), problems.size())};
  }
  Verdict verdict;
  const int P = static_cast<int>(problems.size());
  for (Rank rank = 0; rank < P && verdict.ok(); ++rank)
    verdict = check_form(all_ranks[static_cast<std::size_t>(rank)], P, rank);
  Matching matching;
  if (verdict.ok()) verdict = match(all_ranks, matching);
  for (std::size_t rank = 0; rank < all_ranks.size() && verdict.ok(); ++rank)
    verdict = check_order(all_ranks[rank]);
  if (verdict.ok()) verdict = run_rendezvous(all_ranks, matching, problems);
  if (verdict.ok()) verdict = run_eager(all_ranks, matching, false);
  if (verdict.ok()) verdict = run_eager(all_ranks, matching, true);
  return verdict;
}

std::string_view name_of(Violation violation) noexcept {
  switch (violation) {
    case Violation::none: return "none";
    case Violation::wrong_result: return "wrong_result";
    case Violation::unmatched_message: return "unmatched_message";
    case Violation::size_mismatch: return "size_mismatch";
    case Violation::deadlock: return "deadlock";
    case Violation::unordered_overlap: return "unordered_overlap";
    case Violation::out_of_bounds: return "out_of_bounds";
  }
  return "?";
}

}  // namespace tutti::collectives
