// Broadcasts: one algorithm, down any tree. Segments are cut afterwards (segmented.hpp), for all of them alike. Pure.
#include "collectives/algorithms/algorithms.hpp"
#include "collectives/builder.hpp"
#include "collectives/topology.hpp"

namespace tutti::collectives {
namespace {

Schedule down(const Tree& tree, const Problem& problem) {
  Builder s{problem.P, problem.rank, {.output = problem.bytes}};
  if (tree.parent) s.recv(*tree.parent, s.output());
  for (Rank child : tree.children) s.send(child, s.output());
  return s.finish();
}

}  // namespace

// n-way binomial tree: IB §5.1.3 (its tree), OCC §4.2. ⌈log_{k+1} P⌉ rounds, P−1 messages of m bytes. Any P, any root.
Schedule bcast_binomial(const Problem& problem, const Parameters& parameters) {
  return down(binomial(problem.P, problem.rank, problem.root, parameters.k), problem);
}

// Chain: OCC §4.2. P−1 rounds of m bytes; cut into n_s segments P−2+n_s rounds of m_s bytes. Any P, any root.
Schedule bcast_chain(const Problem& problem, const Parameters&) { return down(chain(problem.P, problem.rank, problem.root), problem); }

// Linear: OCC §4.2, IB §5.1.2. 1 round, P−1 messages of m bytes, all from the root. Any P, any root.
Schedule bcast_linear(const Problem& problem, const Parameters&) { return down(flat(problem.P, problem.rank, problem.root), problem); }

}  // namespace tutti::collectives
