// Why an algorithm is chosen, as JSON: every candidate with its time and what that is made of, what
// excluded others, and what can be said of the choice in general. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/decision/decisions.hpp"

namespace tutti::models {

// See tutti_explain(3). `choice`: what runs the call, by hand or by these decisions.
nlohmann::json explanation(Decisions& decisions, const collectives::Problem& problem,
                           const collectives::Choice& choice);

}  // namespace tutti::models
