// Barriers: no byte moves, so their order is said with round(). Pure.
#include <algorithm>

#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {

// n-way dissemination: IB §6.7 (Hoefler); k = 1 is OCC's "Bruck" barrier (§4.2). ⌈log_{k+1} P⌉
// rounds, in round i a signal to r + y(k+1)^i for y = 1…k. Any P. A rank that has waited for round
// i has heard from the (k+1)^{i+1} ranks up to itself; so the last round needs only the y with
// y(k+1)^i < P (the papers send all k, some of them twice round the ring, for nothing).
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

namespace {

Schedule over(const Tree& tree, const Problem& problem) {
  Builder s = solve(problem);
  up_and_down(s, tree.parent, tree.children, [] {});
  return s.finish();
}

}  // namespace

// Flat tree, fan-in and fan-out: OCC §4.2. 2 rounds, 2(P−1) signals, which is the fewest possible.
// Any P.
Schedule barrier_flat_tree(const Problem& problem, const Parameters&) {
  return over(flat(problem.P, problem.rank, 0), problem);
}

// Over OCC's other topologies (§4.1) and IB's n-way tree (§5.1.3); as barriers they are ours.
// 2(P−1) signals, twice the depth in rounds.
Schedule barrier_binomial(const Problem& problem, const Parameters& parameters) {
  return over(binomial(problem.P, problem.rank, 0, parameters.k), problem);
}
Schedule barrier_binary(const Problem& problem, const Parameters&) {
  return over(binary(problem.P, problem.rank, 0), problem);
}
Schedule barrier_chain(const Problem& problem, const Parameters&) {
  return over(chain(problem.P, problem.rank, 0), problem);
}
Schedule barrier_k_chain(const Problem& problem, const Parameters& parameters) {
  return over(k_chain(problem.P, problem.rank, 0, parameters.k), problem);
}

// Double ring: OCC §4.2. A signal runs round the ring twice: 2P rounds. Any P.
Schedule barrier_double_ring(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  if (P == 1) return s.finish();
  const Rank next = mod(r + 1, P), before = mod(r - 1, P);
  for (int lap = 0; lap < 2; ++lap) {
    if (r != 0) s.await(before);
    s.round();
    s.signal(next);
    s.round();
    if (r == 0) s.await(before);
    s.round();
  }
  return s.finish();
}

// Recursive doubling: OCC §4.2. log2 P rounds of an exchange with r ^ 2^i; for another P those
// beyond the largest power of two report before and are told after: ⌊log2 P⌋ + 2 rounds.
Schedule barrier_recursive_doubling(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const int partners = largest_power_of_two(P);
  if (r >= partners) {
    s.signal(r - partners);
    s.await(r - partners);
    return s.finish();
  }
  const bool helps = r + partners < P;
  if (helps) s.await(r + partners);
  s.round();
  for (int d = 1; d < partners; d *= 2) {
    s.signal(r ^ d);
    s.await(r ^ d);
    s.round();
  }
  if (helps) s.signal(r + partners);
  return s.finish();
}

}  // namespace tutti::collectives
