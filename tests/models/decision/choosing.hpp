// Decisions by the platforms that are shipped, and the problems that they are asked about.
#pragma once

#include <string>
#include <string_view>

#include "models/decision/decisions.hpp"
#include "models/decision/shipped.hpp"

namespace tutti::tests {

inline models::Decisions decisions_by(std::string_view wire, const collectives::Facts& facts) {
  return models::Decisions{*models::find_shipped(wire), facts};
}

inline collectives::Problem problem_of_bytes(collectives::Collective collective, Bytes bytes,
                                             int P) {
  return {{.collective = collective, .bytes = bytes}, P};
}

inline std::string chosen(models::Decisions& decisions, collectives::Collective collective,
                          Bytes bytes) {
  return to_string(decisions.select(problem_of_bytes(collective, bytes, decisions.facts().P)));
}

}  // namespace tutti::tests
