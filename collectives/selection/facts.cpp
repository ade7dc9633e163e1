// What is typical of a problem. Pure.
#include "collectives/selection/facts.hpp"

#include <numeric>

namespace tutti::collectives {

Bytes typical_bytes(const Problem& problem) noexcept {
  if (problem.counts.empty()) return problem.counts_known ? problem.bytes : 0;
  if (problem.collective == Collective::alltoall || !problem.counts_known) return 0;
  return std::accumulate(problem.counts.begin(), problem.counts.end(), Bytes{0}) / problem.P;
}

}  // namespace tutti::collectives
