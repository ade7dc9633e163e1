// The costs of an algorithm, counted in its schedules: rounds, messages, bytes, scratch. Pure.
#pragma once

#include <string>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

struct Costs {
  // In a round a rank sends and gets at most k messages if there is a fanout k, else any number.
  int rounds = 0;
  int one_port = 0;    // rounds if a rank sends at most one message in each and gets at most one
  Bytes messages = 0;  // of all ranks together
  Bytes sent = 0;      // by the rank that sends most
  Bytes total = 0;     // by all ranks together
  Bytes scratch = 0;   // of the rank that needs most
};

// For all ranks of the problem. Requires that the algorithm applies.
Costs count(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters);

// Costs as formulas in P, k and m (formula.hpp): those among the known ones that agree with what is
// counted for P = 2 to 33 and 64.
struct Formulas {
  std::string rounds, one_port, messages, sent, total, scratch;
};
enum class Over {
  one_k,   // k = 1, all ranks on one node
  many_k,  // k = 2, 3, 4
  nodes,   // k = 1, 4 ranks a node, 2 nodes or more
};
Formulas formulas(const Algorithm& algorithm, Over over);

// The problem that formulas() asks about; the root is rank 0. Where neighbours must be at the same
// offsets, they are the eight around a rank in a square of 9 ranks or more; else a ring. m is so
// long that rounding to bytes and cache lines does not show.
inline constexpr Bytes kLongBlock = Bytes{1} << 40;
Problem problem_of(const Algorithm& algorithm, int P, Over over);

}  // namespace tutti::collectives
