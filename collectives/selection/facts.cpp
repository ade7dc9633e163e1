// The facts on which a choice depends, found from lists. Pure.
#include "collectives/selection/facts.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/index.hpp"

namespace tutti::collectives {

bool are_in_turn(std::span<const int> node, int nodes) noexcept {
  if (nodes < 2 || index(nodes) >= node.size()) return false;
  return std::equal(node.begin() + nodes, node.end(), node.begin());
}

Facts facts_of_nodes(std::span<const int> node) {
  Facts facts{.P = static_cast<int>(node.size())};
  std::vector<int> ranks;  // of each node
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    if (index(node[rank]) >= ranks.size()) ranks.resize(index(node[rank]) + 1);
    int& on_it = ranks[index(node[rank])];
    if (on_it++ > 0 && node[rank] != node[rank - 1]) facts.in_order = false;
  }
  facts.nodes = static_cast<int>(ranks.size());
  facts.max_ranks_per_node = ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end());
  facts.in_turn = are_in_turn(node, facts.nodes);
  return facts;
}

Bytes typical_bytes(const Problem& problem) noexcept {
  if (problem.neighbours) {
    // All lengths are one only if all ranks know that their neighbours are at the same offsets.
    const bool is_known = !problem.neighbours->torus.empty() && problem.counts.empty();
    return is_known ? problem.bytes : 0;
  }
  if (problem.counts.empty()) return problem.counts_known ? problem.bytes : 0;
  if (problem.collective == Collective::alltoall || !problem.counts_known) return 0;
  return std::accumulate(problem.counts.begin(), problem.counts.end(), Bytes{0}) / problem.P;
}

}  // namespace tutti::collectives
