// The catalogue of algorithms: what can be named, chosen, built and proved. Pure: no I/O, no
// transport, no MPI. An algorithm is one file in algorithms/ and one entry in algorithms/list.def.
#pragma once

#include <span>
#include <string_view>

#include "base/types.hpp"
#include "collectives/algorithms/conditions.hpp"
#include "collectives/algorithms/parameters.hpp"
#include "collectives/schedule/problem.hpp"
#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// Which parameters an algorithm takes, and what else of it others must know.
struct Traits {
  bool k = false;
  bool segment = false;  // its messages are cut after it has written them whole
  bool levels = false;   // takes `within` and `across`
  bool nodes = false;    // which ranks share a node decides the schedule
  bool tree = false;     // a broadcast in which every rank but the root gets one message
  bool root = false;
  bool times = false;
  friend constexpr Traits operator|(Traits a, Traits b) noexcept {
    return {a.k || b.k,       a.segment || b.segment, a.levels || b.levels, a.nodes || b.nodes,
            a.tree || b.tree, a.root || b.root,       a.times || b.times};
  }
};

struct Algorithm {
  Collective collective;
  std::string_view name;
  std::string_view paper;    // section of the paper that it comes from
  std::string_view summary;  // one line: rounds, messages, bytes
  Traits traits;
  Conditions needs;  // of a call; see why_not()
  // The schedule of problem.rank. Requires that why_not() has nothing to say; pure, total, may be
  // called from any thread.
  Schedule (*build)(const Problem&, const Parameters&);
};

std::span<const Algorithm> algorithms() noexcept;
// nullptr: no such name.
const Algorithm* find(Collective collective, std::string_view name) noexcept;

// The collective that a hierarchical algorithm runs across the nodes (within them it broadcasts):
// `collective` itself; for a reduce a broadcast, because a reduce and its levels are mirrors of it.
Collective across_of(Collective collective) noexcept;
// A plain algorithm: without levels of its own, and without datagrams.
bool can_be_level(const Algorithm& algorithm) noexcept;

}  // namespace tutti::collectives
