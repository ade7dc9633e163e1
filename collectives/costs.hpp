// What an algorithm costs, counted in its schedules: rounds, messages, bytes, scratch. Pure.
#pragma once

#include <string>

#include "collectives/registry.hpp"

namespace tutti::collectives {

struct Costs {
  int rounds = 0;      // of messages: with a fanout k, a rank sends at most k in each; else as many as it can
  Bytes messages = 0;  // of all ranks together
  Bytes sent = 0;      // bytes, of the rank that sends most
  Bytes total = 0;     // bytes, of all ranks together
  Bytes scratch = 0;   // bytes, of the rank that needs most
};

// Of the problem's P ranks. Requires that the algorithm applies.
Costs count(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters);

// The same as formulas in P, k and m (bytes of a block where there are blocks, else of the message), found by comparing what is counted
// for many P with a list of known functions; where none fits, the numbers for some P.
struct Formulas {
  std::string rounds, messages, sent, scratch;
};
Formulas formulas(const Algorithm& algorithm, const Parameters& parameters);

}  // namespace tutti::collectives
