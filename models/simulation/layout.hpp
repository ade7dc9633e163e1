// Where ranks are: the node of each. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tutti::models {

enum class Layout : std::uint8_t {
  blocks,    // the ranks of a node follow each other
  in_turn,   // rank r is on node r mod nodes
  shuffled,  // anywhere, as many on each node as in turn
};

inline constexpr std::uint64_t kUsualSeed = 1;

// The node of each of P ranks, on ceil(P / ranks_per_node) nodes. The seed is that of `shuffled`,
// and gives the same nodes on every machine.
std::vector<int> nodes_of(Layout layout, int P, int ranks_per_node,
                          std::uint64_t seed = kUsualSeed);

// The socket of each rank, from 0 on each node, of so many a node: the ranks of a node lie on one
// after the other, as many on each as can be. Empty: one socket, which is no level.
std::vector<int> sockets_of(std::span<const int> node, int sockets);

}  // namespace tutti::models
