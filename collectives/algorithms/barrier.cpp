// Barriers: no byte moves, so their order is said with round(). Pure.
#include <algorithm>

#include "collectives/algorithms/algorithms.hpp"
#include "collectives/builder.hpp"
#include "collectives/topology.hpp"

namespace tutti::collectives {

// n-way dissemination: IB §5.2 and §6.7 (Hoefler); k = 1 is OCC's "Bruck" barrier. ⌈log_{k+1} P⌉ rounds, in round i a
// signal to r + y(k+1)^i for y = 1…k. Any P. Who has waited for round i has heard from the (k+1)^{i+1} ranks up to
// itself; so in the last round only the y with y(k+1)^i < P are needed (the papers send all k, some of them twice round
// the ring, for nothing).
Schedule barrier_dissemination(const Problem& problem, const Parameters& parameters) {
  const int P = problem.P, r = problem.rank, k = parameters.k;
  Builder s{P, r};
  for (long long d = 1; d < P; d *= k + 1LL) {
    const int distance = static_cast<int>(d);
    const int signals = std::min(k, (P - 1) / distance);
    for (int y = 1; y <= signals; ++y) s.signal(mod(r + y * distance, P));
    for (int y = 1; y <= signals; ++y) s.await(mod(r - y * distance, P));
    s.round();
  }
  return s.finish();
}

// Flat tree, fan-in and fan-out: OCC §4.2. 2 rounds, 2(P−1) signals, which is the fewest possible. Any P.
// A leaf may wait for the root before its own signal has left: the root answers only after it.
Schedule barrier_flat_tree(const Problem& problem, const Parameters&) {
  const Tree tree = flat(problem.P, problem.rank, 0);
  Builder s{problem.P, problem.rank};
  if (tree.parent) s.signal(*tree.parent);
  for (Rank child : tree.children) s.await(child);
  if (!tree.parent) s.round();
  if (tree.parent) s.await(*tree.parent);
  for (Rank child : tree.children) s.signal(child);
  return s.finish();
}

}  // namespace tutti::collectives
