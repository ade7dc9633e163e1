// Which algorithm the user has chosen: the one that is forced, else the one that a table of rules
// gives. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/selection/choices.hpp"
#include "collectives/selection/facts.hpp"

namespace tutti::collectives {

// From `least` to `most`, both included; −1: no limit.
struct Interval {
  Bytes least = 0, most = -1;
  bool holds(Bytes value) const noexcept { return value >= least && (most < 0 || value <= most); }
};

// One rule of a table. `bytes` is compared with typical_bytes().
struct Rule {
  Collective collective = Collective::barrier;
  Interval ranks, ranks_per_node, bytes;
  Choice choice;
};

struct Rules {
  std::map<Collective, Choice> forced;
  std::vector<Rule> table;  // the first one that fits counts
};

// Reads a table in JSON (`tutti list --schema` prints its schema). Throws
// Error{bad_configuration | unknown_algorithm}; the message names the rule, or the line that is not
// JSON. The caller adds the name of the file.
std::vector<Rule> parse_table(std::string_view json);
// The JSON schema of such a table.
std::string_view table_schema() noexcept;

// Does some choice by hand send datagrams? Then the ranks must join a group before the first call.
bool wants_datagrams(const Rules& rules) noexcept;

// The algorithm that was chosen by hand for `problem`; nothing: none was. One that does not apply
// is an Error{algorithm_not_applicable} that says why; one that was written with `prefer` is passed
// over, and the next source is asked.
std::optional<Choice> choose(const Problem& problem, const Facts& facts, const Rules& rules);

}  // namespace tutti::collectives
