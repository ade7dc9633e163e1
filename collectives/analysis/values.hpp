// The bytes of a reduction, as expressions over the contributions of the ranks. A value is a rank's
// own contribution, or left op right; equal expressions are kept once. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/index.hpp"
#include "base/types.hpp"

namespace tutti::collectives {

using Value = std::int32_t;  // the values 0 … P−1 are the ranks' contributions

class Values {
 public:
  explicit Values(int P);

  // left op right; nothing if some rank's contribution is in both.
  std::optional<Value> combine(Value left, Value right);

  // Is it made of the contributions of the `count` ranks from `first` on (no wrap), each once?
  // `ordered`: and as operands in this order, however bracketed; `fold`: and bracketed from the
  // left.
  bool covers(Value value, Rank first, int count, bool ordered, bool fold) const;
  // Do both have the same bits, whatever the input? They have if they are the same expression, up
  // to the order of two operands if `commutative`.
  bool same_bits(Value a, Value b, bool commutative) const noexcept {
    return commutative ? nodes_[index(a)].shape == nodes_[index(b)].shape : a == b;
  }
  std::string text(Value value) const;

 private:
  struct Node {
    Rank first = 0;  // if `run`, its ranks are the `count` from here on, around the end
    int count = 1;
    bool run = true;
    bool ordered = true;      // its operands are that run, in ascending order, without wrapping
    bool fold = true;         // and bracketed from the left
    std::uint64_t shape = 0;  // equal shapes: equal up to the order of two operands
    std::vector<std::uint64_t> bits;  // its ranks, unless `run`
  };
  std::vector<std::uint64_t> bits_of(const Node& node) const;
  Node joined(const Node& left, const Node& right) const;
  bool overlap(const Node& a, const Node& b) const;

  int P_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Value> known_;  // left op right, by both operands
};

}  // namespace tutti::collectives
