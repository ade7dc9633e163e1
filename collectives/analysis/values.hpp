// What the bytes of a reduction are made of: expressions over the ranks' contributions, each
// different one kept once. A value is a rank's own contribution, or left op right. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/types.hpp"

namespace tutti::collectives {

using Value = std::int32_t;  // the values 0 … P−1 are the ranks' contributions

class Values {
 public:
  explicit Values(int P);

  // left op right. nullopt: a rank's contribution is in both.
  std::optional<Value> combine(Value left, Value right);

  // Ranks first, first + 1, … (so many, no wrap), each once. `ordered`: as operands in this order,
  // however bracketed; `fold`: from left to right, one after another.
  bool covers(Value value, Rank first, int count, bool ordered, bool fold) const;
  // Do both have the same bits whatever the input? As expressions, but for the order of two
  // operands if `commutative`.
  bool same_bits(Value a, Value b, bool commutative) const noexcept {
    return commutative ? nodes_[index(a)].shape == nodes_[index(b)].shape : a == b;
  }
  std::string text(Value value) const;

 private:
  struct Node {
    Rank first = 0;  // of a run of ranks around the end, if `run`
    int count = 1;
    bool run = true,
         ordered = true;  // ordered: the operands are that run in ascending order without wrapping
    bool fold = true;     // and bracketed from the left
    std::uint64_t shape = 0;          // equal shapes: equal but for the order of two operands
    std::vector<std::uint64_t> bits;  // the ranks, unless `run`
  };
  static std::size_t index(Value value) noexcept { return static_cast<std::size_t>(value); }
  std::vector<std::uint64_t> bits_of(const Node& node) const;
  Node joined(const Node& left, const Node& right) const;
  bool overlap(const Node& a, const Node& b) const;

  int P_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Value> known_;  // by left and right
};

}  // namespace tutti::collectives
