// Computes which distances stay within a node, and how many messages leave one. Pure.
#include "models/decision/topology.hpp"

#include <algorithm>
#include <cmath>

namespace tutti::models {

bool Topology::within_node(double ranks) const noexcept {
  if (nodes == 1) return true;
  return in_order && ranks <= q && std::fmod(q, ranks) == 0;
}

bool Topology::shares_node(double distance) const noexcept {
  return nodes == 1 || (in_turn && std::fmod(distance, nodes) == 0);
}

double Topology::leaving(double distance) const noexcept {
  if (shares_node(distance)) return 0;
  const double nearest = std::min(distance, P - distance);
  return in_order ? std::clamp<double>(nearest, 1, q) : q;
}

}  // namespace tutti::models
