// The table of algorithms: what can be named, chosen, built, proved. Pure: no I/O, no transport, no
// MPI. Adding an algorithm is one file in algorithms/ and one line in algorithms/list.def.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/types.hpp"
#include "collectives/schedule/problem.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

struct Algorithm;

// The algorithm of one level of a hierarchical one; null: its usual one.
struct Nested {
  const Algorithm* algorithm = nullptr;
  int k = 1;
  friend bool operator==(const Nested&, const Nested&) = default;
};

struct Parameters {
  int k = 1;                  // fanout: messages a rank has in flight per round; at least 1
  Bytes segment = 0;          // longest message, in bytes; 0: messages are not cut
  Nested within{}, across{};  // of hierarchical algorithms: a broadcast's name (its tree), and one
                              // of the collective itself
  friend bool operator==(const Parameters&, const Parameters&) = default;
};

// The longest message, in whole elements; 0: messages are not cut.
inline Bytes segment_of(const Problem& problem, const Parameters& parameters) {
  if (parameters.segment <= 0) return 0;
  return std::max(parameters.segment / problem.element, Bytes{1}) * problem.element;
}

struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view paper;    // section of the paper it is from
  std::string_view summary;  // one line: rounds, messages, bytes
  bool has_k;
  bool has_segment;
  bool has_levels;  // within, across
  bool uses_nodes;  // which ranks share a node decides the schedule
  // nullopt: it applies; else the reason why not.
  std::optional<std::string> (*not_applicable)(const Problem&, const Parameters&);
  // The schedule of problem.rank. Requires that the algorithm applies; pure, total, may be called
  // from any thread.
  Schedule (*build)(const Problem&, const Parameters&);
};

std::span<const Algorithm> algorithms() noexcept;
// What runs across the nodes of a hierarchical algorithm (within them it is a broadcast): the
// collective itself; a reduce is the mirror of a broadcast, and so are its levels.
Collective across_of(Collective collective) noexcept;
// A plain algorithm: without levels of its own, and without datagrams.
bool can_be_level(const Algorithm& algorithm) noexcept;
const Algorithm* find(Collective collective,
                      std::string_view name) noexcept;  // nullptr: no such name

}  // namespace tutti::collectives
