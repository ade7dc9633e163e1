// Which algorithm runs: what the user forces, else what a table of rules says, else the built-in
// table. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/selection/choices.hpp"
#include "collectives/selection/table.hpp"

namespace tutti::collectives {

// From `least` to `most`, both included; −1: no limit.
struct Interval {
  Bytes least = 0, most = -1;
  bool holds(Bytes value) const noexcept { return value >= least && (most < 0 || value <= most); }
};

// One line of a table. `bytes` is of what Problem calls so; of blocks that differ, the mean.
struct Rule {
  Collective collective = Collective::barrier;
  Interval ranks, ranks_per_node, bytes;
  Choice choice;
};

struct Rules {
  std::map<Collective, Choice> forced;
  std::vector<Rule> table;  // the first that fits counts
};

// Reads a table, JSON (`tutti list --schema` prints what it looks like). Throws
// Error{bad_configuration | unknown_algorithm}; the message names the rule, or the line that is no
// JSON; of what file the caller knows.
std::vector<Rule> parse_table(std::string_view json);
// The JSON schema of such a table.
std::string_view table_schema() noexcept;

// Whether some choice made by hand is a broadcast by datagrams: then the ranks must join a group
// before the first call.
bool wants_datagrams(const Rules& rules) noexcept;

// What runs `problem`. A choice made by hand that does not apply is an
// Error{algorithm_not_applicable} that says why, unless it was written with `prefer`: then the next
// source is asked.
Choice choose(const Problem& problem, const Facts& facts, const Rules& rules);

}  // namespace tutti::collectives
