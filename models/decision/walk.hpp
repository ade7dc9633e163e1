// Paths through a binomial tree whose ranks follow each other on their nodes. Pure.
#pragma once

#include <bit>
#include <cstdint>

#include "models/decision/topology.hpp"

namespace tutti::models::families {

// The rounds, as bits, in which a path leaves its node, and those in which it stays on a rank whose
// message to another node it has to wait for, since it leaves the node by the same port afterwards.
struct Walk {
  std::uint64_t leaves = 0, stays = 0;
  bool leaves_in(int round) const noexcept { return (leaves >> round & 1) != 0; }
  bool stays_in(int round) const noexcept { return (stays >> round & 1) != 0; }
  // More crossings take longer; then more messages that the path has to wait for.
  bool is_longer_than(const Walk& other) const noexcept {
    const auto more = std::popcount(leaves) - std::popcount(other.leaves);
    return more > 0 || (more == 0 && std::popcount(stays) > std::popcount(other.stays));
  }
};

// The longest of the paths that get far in each round: not all are followed. Each rank keeps the
// nearest or the farthest half of the ranks that it has to reach.
Walk longest_walk(const Topology& place, bool keeps_nearest) noexcept;

}  // namespace tutti::models::families
