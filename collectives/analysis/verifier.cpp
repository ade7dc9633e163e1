// The parts of the proof, in an order in which each may rely on those before it. Pure.
#include "collectives/analysis/verifier.hpp"

#include <fmt/format.h>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/form.hpp"
#include "collectives/analysis/liveness.hpp"
#include "collectives/analysis/order.hpp"
#include "collectives/analysis/world.hpp"

namespace tutti::collectives {

Verdict verify(std::span<const Schedule> all_ranks, const Problem& problem) {
  return verify(all_ranks, problems_of_all_ranks(problem));
}

Verdict verify(std::span<const Schedule> all_ranks, std::span<const Problem> problems) {
  if (all_ranks.size() != problems.size())
    return {Violation::out_of_bounds,
            fmt::format("{} schedules for {} ranks", all_ranks.size(), problems.size())};
  const int P = static_cast<int>(problems.size());
  Verdict verdict;
  for (Rank rank = 0; rank < P && verdict.ok(); ++rank)
    verdict = check_form(all_ranks[index(rank)], P, rank);
  if (!verdict.ok()) return verdict;
  World world(all_ranks);
  verdict = world.messages();
  for (Rank rank = 0; rank < P && verdict.ok(); ++rank)
    verdict = check_order(all_ranks[index(rank)]);
  if (verdict.ok()) verdict = run_rendezvous(world, problems);
  if (verdict.ok()) verdict = run_eager(world, false);
  if (verdict.ok()) verdict = run_eager(world, true);
  return verdict;
}

std::string_view name_of(Violation violation) noexcept {
  switch (violation) {
    case Violation::none: return "none";
    case Violation::wrong_result: return "wrong_result";
    case Violation::unmatched_message: return "unmatched_message";
    case Violation::size_mismatch: return "size_mismatch";
    case Violation::use_mismatch: return "use_mismatch";
    case Violation::deadlock: return "deadlock";
    case Violation::unordered_overlap: return "unordered_overlap";
    case Violation::out_of_bounds: return "out_of_bounds";
  }
  return "?";
}

}  // namespace tutti::collectives
