// Expressions. Most sets of ranks are runs and cost nothing; the others are sets of bits. Pure.
#include "collectives/analysis/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/bits.hpp"
#include "collectives/schedule/blocks.hpp"

namespace tutti::collectives {
namespace {

// Mixes well enough that no two different expressions of one proof have the same 64 bits.
std::uint64_t mix(std::uint64_t x) noexcept {
  x ^= x >> 30, x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27, x *= 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

Values::Values(int P) : P_(P), nodes_(index(P)) {
  for (Rank rank = 0; rank < P; ++rank) {
    nodes_[index(rank)].first = rank;
    nodes_[index(rank)].shape = mix(static_cast<std::uint64_t>(rank) + 1);
  }
}

std::vector<std::uint64_t> Values::bits_of(const Node& node) const {
  if (!node.run) return node.bits;
  std::vector<std::uint64_t> bits(divide_up(index(P_), 64));
  for (int i = 0; i < node.count; ++i) {
    const std::size_t rank = index(mod(node.first + i, P_));
    bits[rank / 64] |= std::uint64_t{1} << (rank % 64);
  }
  return bits;
}

bool Values::overlap(const Node& a, const Node& b) const {
  if (a.run && b.run)
    return mod(b.first - a.first, P_) < a.count || mod(a.first - b.first, P_) < b.count;
  const auto x = bits_of(a), y = bits_of(b);
  for (std::size_t w = 0; w < x.size(); ++w)
    if ((x[w] & y[w]) != 0) return true;
  return false;
}

Values::Node Values::joined(const Node& left, const Node& right) const {
  Node node;
  node.count = left.count + right.count;
  node.ordered = left.ordered && right.ordered && left.first + left.count == right.first;
  node.fold = node.ordered && left.fold && right.count == 1;
  const std::uint64_t low = std::min(left.shape, right.shape),
                      high = std::max(left.shape, right.shape);
  node.shape = mix(low + 0x9e3779b97f4a7c15ULL * (std::rotl(high, 17) ^ 0x5851f42d4c957f2dULL));
  if (left.run && right.run && mod(left.first + left.count, P_) == right.first) {
    node.first = left.first;
  } else if (left.run && right.run && mod(right.first + right.count, P_) == left.first) {
    node.first = right.first;
  } else {
    node.run = false;
    node.bits = bits_of(left);
    const auto more = bits_of(right);
    for (std::size_t w = 0; w < more.size(); ++w) node.bits[w] |= more[w];
    // Pieces may have come together: if they have one beginning, they are a run again.
    int beginnings = 0;
    const auto has = [&](int rank) {
      const std::size_t r = index(mod(rank, P_));
      return (node.bits[r / 64] >> (r % 64) & 1U) != 0;
    };
    for (Rank rank = 0; rank < P_ && beginnings < 2; ++rank)
      if (has(rank) && !has(rank - 1)) node.first = rank, ++beginnings;
    if (beginnings == 0) node.first = 0;  // all ranks
    if (beginnings < 2) node.run = true, node.bits.clear();
  }
  return node;
}

std::optional<Value> Values::combine(Value left, Value right) {
  const std::uint64_t key =
      static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  if (overlap(nodes_[index(left)], nodes_[index(right)])) return std::nullopt;
  const auto value = static_cast<Value>(nodes_.size());
  nodes_.push_back(joined(nodes_[index(left)], nodes_[index(right)]));
  known_.emplace(key, value);
  return value;
}

bool Values::covers(Value value, Rank first, int count, bool ordered, bool fold) const {
  const Node& node = nodes_[index(value)];
  if (node.count != count || !node.run || (ordered && !node.ordered) || (fold && !node.fold))
    return false;
  return node.first == first || count == P_;
}

std::string Values::text(Value value) const {
  const Node& node = nodes_[index(value)];
  if (node.count == 1) return fmt::format("rank {}", value);
  if (node.run)
    return fmt::format("{} ranks from {} on{}", node.count, node.first,
                       node.ordered ? "" : ", not in this order");
  return fmt::format("{} ranks that do not follow each other", node.count);
}

}  // namespace tutti::collectives
