// How pictures show which ranks share a node. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/types.hpp"

namespace tutti::tools {

// "", if each rank has a node of its own; " on one node"; ", 4 a node"; ", up to 4 a node".
std::string placement_of(std::span<const int> node);

// Marks of rows, one a rank, from top to bottom.
class NodeMarks {
 public:
  // The node of each rank; empty: not known.
  explicit NodeMarks(std::span<const int> node);

  // There are several nodes, and some of them have several ranks.
  bool shown() const noexcept { return shown_; }
  // Are they on different nodes, and are nodes shown?
  bool apart(Rank a, Rank b) const noexcept;
  // Ranks that follow each other on one node are a group; groups count from 0.
  int group(Rank rank) const noexcept;

  double width() const noexcept { return shown_ ? width_ : 0; }
  // A bracket for each group right of `left`, with the node's name; and a line from `begin` to
  // `end` above each group but the first.
  std::string draw(double left, double top, double row, double begin, double end) const;
  // Names beside the nodes' colours, in lines of about `width`. Moves `y` to the last one.
  std::string legend(double left, double width, double& y) const;
  std::string colour(Rank rank) const;

 private:
  std::string colour_of(std::size_t place) const;
  std::span<const int> node_;
  std::vector<int> names_;   // of nodes, in the order of their first ranks
  std::vector<Rank> first_;  // of each group
  double width_ = 0;
  bool shown_ = false;
};

}  // namespace tutti::tools
