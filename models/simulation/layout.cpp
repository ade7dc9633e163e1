// The node of each rank.
#include "models/simulation/layout.hpp"

#include <random>
#include <utility>

#include "base/index.hpp"

namespace tutti::models {

std::vector<int> nodes_of(Layout layout, int P, int ranks_per_node, std::uint64_t seed) {
  const int nodes = (P + ranks_per_node - 1) / ranks_per_node;
  std::vector<int> node(index(P));
  for (int r = 0; r < P; ++r)
    node[index(r)] = layout == Layout::blocks ? r / ranks_per_node : r % nodes;
  if (layout != Layout::shuffled) return node;
  // Not std::shuffle, whose results differ between C++ libraries.
  std::mt19937_64 random(seed);
  for (std::size_t left = node.size(); left > 1; --left)
    std::swap(node[left - 1], node[random() % left]);
  return node;
}

}  // namespace tutti::models
