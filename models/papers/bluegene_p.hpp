// HPM's statements on BlueGene/P, in order of precision: how the time grows, its dominant terms,
// its bounds over mappings of ranks to nodes, and what it is. HPM §2 to §4, equations 1 and 2; the
// constants are printed there. Its collectives use hardware that has no schedules, so nothing here
// is simulated. Pure. Times in microseconds.
#pragma once

#include <span>
#include <string_view>

#include "base/types.hpp"

namespace tutti::models {

struct Statement {
  std::string_view what, where;
  std::string_view grows;               // "Θ(S + log P)"
  std::string_view terms;               // the formula
  std::string_view why = {};            // where the print cannot be followed
  double (*least)(int P, Bytes bytes);  // the best mapping, no congestion
  double (*most)(int P, Bytes bytes);   // the worst one
};

// Barrier, matching (P requests that wait), messages between two of P processes, broadcast,
// allreduce and alltoall (bytes: what each rank has for all others together, S; small messages are
// of 8 bytes for each), and alltoall-each, whose bytes are those to each.
std::span<const Statement> bluegene_p() noexcept;

// For a k-ary 3-cube of P = k³ nodes under ideal adaptive routing: by how much the worst pattern of
// pairs slows messages down (3/2 ∛P)...
double torus_congestion(int P) noexcept;
// ... and the messages on each link when each node sends to each: exact for odd k, and as printed,
// which is above it.
double torus_alltoall_load(int P) noexcept;
double torus_alltoall_load_printed(int P) noexcept;

}  // namespace tutti::models
