// Where the ranks are that a tree has reached, if ranks are dealt out to the nodes in turn. Pure.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "models/decision/topology.hpp"

namespace tutti::models::families {

// The ranks of the busiest node that have been reached, where ranks are dealt out in turn and keep
// the farthest. If parts are equal, equally many ranks of each node do the same, so that ranks may
// gather on a few nodes; else they spread.
class ReachedInTurn {
 public:
  explicit ReachedInTurn(const Topology& place) : place_(place) {
    constexpr int kMostCounted = 256;
    if (!place.in_turn || place.nodes == 1 || place.nodes > kMostCounted) return;
    born_ = {{static_cast<double>(place.P), std::vector<double>(index(place.nodes))}};
    born_[0].on_node[0] = 1;
    on_node_ = born_[0].on_node;
  }
  // Each rank hands so many parts of what it has to the ranks that begin them, and keeps the last.
  void hand_over(int children, double part) {
    if (born_.empty()) return;
    const double each = part / (children + 1);
    if (each != std::floor(each)) return born_.clear();
    std::vector<double> next(on_node_.size());
    for (const auto& [whole, ranks] : born_)
      for (int child = 0; child < children; ++child)
        add_shifted(ranks, whole - part + 1 + child * each, next);
    add_shifted(next, 0, on_node_);
    born_.push_back({each, std::move(next)});
  }
  // Each node has its share of what is sent, and most of that leaves it.
  bool spreads() const noexcept { return place_.in_turn && born_.empty(); }
  double on_busiest(double reached) const {
    if (born_.empty()) return ceil_div(reached, place_.nodes);
    return *std::ranges::max_element(on_node_);
  }

 private:
  static void add_shifted(const std::vector<double>& ranks, double by, std::vector<double>& to) {
    std::size_t at = static_cast<std::size_t>(by) % to.size();
    for (const double some : ranks) {
      to[at] += some;
      if (++at == to.size()) at = 0;
    }
  }

  struct Born {
    double whole;                 // ranks that each of them got
    std::vector<double> on_node;  // how many
  };
  const Topology& place_;
  std::vector<Born> born_;  // in each round
  std::vector<double> on_node_;
};

}  // namespace tutti::models::families
