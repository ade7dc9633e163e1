// Statements of `tutti explain` that are counted or simulated rather than estimated: the formulas
// of `tutti list` with their class, bounds that follow from them, and the simulator's time.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "collectives/selection/choices.hpp"
#include "models/platform/platform.hpp"

namespace tutti::tools {

// The member "counted" of an explanation. Its own members are there as far as they are known:
// "class", and the formulas "rounds", "rounds_one_port" and "sent", if these are the algorithm's
// with such parameters; "simulated", with "constant" and "per_byte" near this size, if there are
// not too many steps to play; and if it is `bounded`, "least", a lower bound of the simulator's
// time from the busiest rank's messages, and "in_rounds", the time if ranks sent and got one
// message at a time, in rounds (us). That is an upper bound of a tree's time, but not where
// messages wait for others that came first. `sockets`: of each node, to the simulator. Requires
// that the choice applies.
nlohmann::json counted_statement(const collectives::Choice& choice,
                                 const collectives::Problem& problem,
                                 const models::Platform& platform, int sockets, bool bounded);

// As text. `estimated`: the model's statement stands above it, with the class.
void print_counted_statement(const nlohmann::json& counted, bool estimated);

}  // namespace tutti::tools
