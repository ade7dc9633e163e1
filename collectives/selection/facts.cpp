// What a choice depends on, found from lists. Pure.
#include "collectives/selection/facts.hpp"

#include <algorithm>
#include <numeric>

#include "base/index.hpp"

namespace tutti::collectives {

bool are_in_turn(std::span<const int> node, int nodes) noexcept {
  if (nodes < 2 || index(nodes) >= node.size()) return false;
  return std::equal(node.begin() + nodes, node.end(), node.begin());
}

Bytes typical_bytes(const Problem& problem) noexcept {
  if (problem.counts.empty()) return problem.counts_known ? problem.bytes : 0;
  if (problem.collective == Collective::alltoall || !problem.counts_known) return 0;
  return std::accumulate(problem.counts.begin(), problem.counts.end(), Bytes{0}) / problem.P;
}

}  // namespace tutti::collectives
