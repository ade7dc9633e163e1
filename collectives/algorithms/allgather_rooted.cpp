// Allgathers that gather on rank 0 and broadcast from it. Pure.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

// Up the tree goes what a subtree has gathered, down the tree everything. As the root is rank 0,
// virtual ranks are ranks, and the blocks of a subtree are contiguous in the output. A leaf copies
// nothing, because everything includes its own block.
Schedule up_and_down(const Tree& tree, const Problem& problem) {
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  const bool leaf = tree.children.empty();
  if (!leaf || !tree.parent) s.copy(s.input(), block[problem.rank]);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    s.recv(tree.children[i], block.range(tree.subtrees[i].first, tree.subtrees[i].count));
  }
  if (tree.parent) {
    s.send(*tree.parent, leaf ? s.input() : block.range(tree.own.first, tree.own.count));
    s.recv(*tree.parent, s.output());
  }
  for (Rank child : tree.children) s.send(child, s.output());
  return s.finish();
}

}  // namespace

// Gather + broadcast over the flat tree ("fan-in fan-out"): IB §5.3.2, BEO. 2 rounds, 2(P−1)
// messages, the fewest possible; (P−1)m + (P−1)Pm bytes over the wire. Any P.
Schedule allgather_gather_bcast(const Problem& problem, const Parameters&) {
  return up_and_down(flat(problem.P, problem.rank, 0), problem);
}

// The same over the n-way binomial tree: 2⌈log_{k+1} P⌉ rounds, 2(P−1) messages, not all of which
// pass through the root.
Schedule allgather_gather_bcast_binomial(const Problem& problem, const Parameters& parameters) {
  return up_and_down(binomial(problem.P, problem.rank, 0, parameters.k), problem);
}

}  // namespace tutti::collectives
