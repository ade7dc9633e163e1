// What an algorithm costs, counted in its schedules: rounds, messages, bytes, scratch. Pure.
#pragma once

#include <string>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

struct Costs {
  int rounds = 0;  // with a fanout k a rank sends and gets at most k messages in each; else as many
                   // as there are
  int one_port = 0;    // rounds in which a rank sends at most one message and gets at most one
  Bytes messages = 0;  // of all ranks together
  Bytes sent = 0;      // bytes, of the rank that sends most
  Bytes total = 0;     // bytes, of all ranks together
  Bytes scratch = 0;   // bytes, of the rank that needs most
};

// Of the problem's P ranks. Requires that the algorithm applies.
Costs count(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters);

// The same as formulas in P, k and m (see formula.hpp), found by comparing what is counted for P =
// 2 to 33, and 64, with those that are known.
struct Formulas {
  std::string rounds, one_port, messages, sent, total, scratch;
};
enum class Over {
  one_k,   // k = 1, all ranks on one node
  many_k,  // k = 2, 3, 4
  nodes,   // k = 1, 4 ranks a node, 2 nodes or more
};
Formulas formulas(const Algorithm& algorithm, Over over);

// The problem that formulas() asks about, of rank 0 as root. m is so long that nothing is lost in
// whole bytes and cache lines.
inline constexpr Bytes kLongBlock = Bytes{1} << 40;
Problem problem_of(const Algorithm& algorithm, int P, Over over);

}  // namespace tutti::collectives
