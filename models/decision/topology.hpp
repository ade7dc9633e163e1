// Where the ranks of a collective, or of one of its levels, are. Pure.
#pragma once

#include <cmath>
#include <memory>

#include "models/decision/stencil.hpp"

namespace tutti::models {

struct Topology {
  int P = 1;
  int nodes = 1;
  int q = 1;             // ranks of the node that has most
  bool in_order = true;  // the ranks of each node follow each other
  bool in_turn = false;  // rank r is on node r mod nodes
  int copies = 1;        // as many such groups do the same at the same time
  // The stencil of a collective of neighbours; null: the ranks are a ring.
  std::shared_ptr<const Stencil> stencil{};

  // Whether each aligned run of so many ranks lies within a node.
  bool within_node(double ranks) const noexcept;
  // Whether any two ranks that are so far apart share a node.
  bool shares_node(double distance) const noexcept;
  // Messages that leave a node if all its ranks send that far.
  double leaving(double distance) const noexcept;
};

// Counts are floating-point numbers here, as they may be means.
inline double ceil_div(double a, double b) { return std::ceil(a / b); }

}  // namespace tutti::models
