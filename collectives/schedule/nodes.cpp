// Lists the ranks of each node. Pure.
#include "collectives/schedule/nodes.hpp"

#include <algorithm>

namespace tutti::collectives {

const std::vector<std::vector<Rank>>& Nodes::ranks() const {
  static const auto& none = *new std::vector<std::vector<Rank>>;
  if (!held_) return none;
  std::call_once(held_->once, [held = held_.get()] {
    for (Rank rank = 0; rank < static_cast<Rank>(held->node_of.size()); ++rank) {
      const std::size_t node = index(held->node_of[index(rank)]);
      if (node >= held->ranks.size()) held->ranks.resize(node + 1);
      held->ranks[node].push_back(rank);
    }
    const std::size_t each = held->ranks.front().size();
    held->alike = held->ranks.size() > 1 &&
                  std::all_of(held->ranks.begin(), held->ranks.end(),
                              [&](const auto& node) { return node.size() == each; });
  });
  return held_->ranks;
}

bool Nodes::are_alike() const {
  ranks();
  return held_ && held_->alike;
}

void Nodes::push_back(int node) {
  std::vector<int> nodes = of_rank();
  nodes.push_back(node);
  *this = Nodes(std::move(nodes));
}

}  // namespace tutti::collectives
