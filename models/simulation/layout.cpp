// Gives each rank its node and its socket. Pure.
#include "models/simulation/layout.hpp"

#include <algorithm>
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

std::vector<int> sockets_of(std::span<const int> node, int sockets) {
  if (sockets <= 1 || node.empty()) return {};
  const std::size_t nodes = index(1 + *std::ranges::max_element(node));
  std::vector<long long> ranks(nodes), before(nodes);
  for (const int here : node) ++ranks[index(here)];
  std::vector<int> socket(node.size());
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    const std::size_t here = index(node[rank]);
    socket[rank] = static_cast<int>(before[here]++ * sockets / ranks[here]);
  }
  return socket;
}

}  // namespace tutti::models
