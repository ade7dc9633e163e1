// Allgathers that gather on a rank and broadcast from it. Pure.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

// Up the tree goes what a subtree has gathered, down the tree everything. The blocks of a subtree
// are neighbours in the output, unless they run across its end: then they are two messages (with
// rank 0 as the root none does). A leaf copies nothing, because everything includes its own block.
Schedule up_and_down(const Tree& tree, Rank root, const Problem& problem) {
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  const bool leaf = tree.children.empty();
  if (!leaf || !tree.parent) s.copy(s.input(), block[problem.rank]);
  for (std::size_t i = 0; i < tree.children.size(); ++i) {
    const auto [first, count] = tree.subtrees[i];
    for_runs(block, first + root, count, [&](const Slice& run) { s.recv(tree.children[i], run); });
  }
  if (tree.parent) {
    if (leaf)
      s.send(*tree.parent, s.input());
    else
      for_runs(block, tree.own.first + root, tree.own.count,
               [&](const Slice& run) { s.send(*tree.parent, run); });
    s.recv(*tree.parent, s.output());
  }
  for (Rank child : tree.children) s.send(child, s.output());
  return s.finish();
}

}  // namespace

// Gather + broadcast over the flat tree ("fan-in fan-out"): IB §5.3.2 ("on a chosen root process":
// the parameter root), BEO §3.3.3. 2 rounds, 2(P−1) messages, the fewest possible;
// (P−1)m + (P−1)Pm bytes over the wire. Any P.
Schedule allgather_gather_bcast(const Problem& problem, const Parameters& parameters) {
  const Rank root = parameters.root % problem.P;
  return up_and_down(flat(problem.P, problem.rank, root), root, problem);
}

// Gather + broadcast over the n-way binomial tree: 2⌈log_{k+1} P⌉ rounds, 2(P−1) messages for root
// 0, not all of which pass through the root; for another root ⌈log_{k+1} P⌉ more at most.
Schedule allgather_gather_bcast_binomial(const Problem& problem, const Parameters& parameters) {
  const Rank root = parameters.root % problem.P;
  return up_and_down(binomial(problem.P, problem.rank, root, parameters.k), root, problem);
}

}  // namespace tutti::collectives
