// Scatters down a tree; their mirrors are the gathers. Pure.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

// A rank that hands blocks on holds those of its subtree in scratch, in virtual order; the root has
// them in its input, in the order of ranks, where a subtree may run across the end: then it is two
// messages, on both sides. So there are P−1 messages for root 0, and P at most for another.
Schedule scatter_down(const Tree& tree, const Problem& problem) {
  const int P = problem.P, root = problem.root;
  Builder s = solve(problem);
  const bool leaf = tree.children.empty();
  if (!tree.parent) {
    const Blocks block = blocks_in(Buffer::input, problem);
    for (std::size_t i = 0; i < tree.children.size(); ++i)
      for_runs(P, tree.subtrees[i].first + root, tree.subtrees[i].count,
               [&](int first, int count) { s.send(tree.children[i], block.range(first, count)); });
    if (!problem.in_place) s.copy(block[problem.rank], s.output());
    return s.finish();
  }
  if (leaf) {
    s.recv(*tree.parent, s.output());
    return s.finish();
  }
  Blocks held = Blocks::equal(Buffer::scratch, tree.own.count, problem.bytes);
  if (!problem.counts.empty()) {
    std::vector<Bytes> lengths;
    lengths.reserve(index(tree.own.count));
    for (int v = tree.own.first; v < tree.own.first + tree.own.count; ++v)
      lengths.push_back(block_bytes(problem, mod(v + root, P)));
    held = Blocks::sized(Buffer::scratch, 0, lengths);
  }
  held = held.at(s.scratch(held.whole().length));
  if (*tree.parent == root)
    for_runs(P, tree.own.first + root, tree.own.count, [&](int first, int count) {
      s.recv(root, held.range(mod(first - root, P) - tree.own.first, count));
    });
  else
    s.recv(*tree.parent, held.whole());
  for (std::size_t i = 0; i < tree.children.size(); ++i)
    s.send(tree.children[i],
           held.range(tree.subtrees[i].first - tree.own.first, tree.subtrees[i].count));
  s.copy(held[0], s.output());
  return s.finish();
}

}  // namespace

// Linear: IB §5.1.2. 1 round, the root sends P−1 messages; no send waits for another, so whoever is
// ready first is served first.
Schedule scatter_linear(const Problem& problem, const Parameters&) {
  return scatter_down(flat(problem.P, problem.rank, problem.root), problem);
}

// Recursive splitting: IB §5.1.3. ⌈log2 P⌉ rounds of one message, ⌊log2 P⌋ if a rank sends several
// at once; the largest message first.
Schedule scatter_splitting(const Problem& problem, const Parameters&) {
  return scatter_down(splitting(problem.P, problem.rank, problem.root), problem);
}

// n-way binomial: IB §5.1.3. ⌈log_{k+1} P⌉ rounds of k messages. Scratch at most ⌈P/(k+1)⌉ blocks.
Schedule scatter_binomial(const Problem& problem, const Parameters& parameters) {
  return scatter_down(binomial(problem.P, problem.rank, problem.root, parameters.k), problem);
}

// LogGP-optimal: IB §5.1.3. The tree is shaped by the lengths of the blocks, and by L', g and G.
// Long blocks: near to halving, because the same bytes leave the root in every tree, and it has the
// fewest gaps. Short ones: flatter, because a rank on the way adds a whole latency, and one more
// message of the root a gap.
Schedule scatter_loggp(const Problem& problem, const Parameters& parameters) {
  const std::span<const Bytes> blocks =
      problem.counts.empty() ? std::span{&problem.bytes, 1} : std::span{problem.counts};
  const LogGP times = parameters.times.or_else(kUsualTimes);
  return scatter_down(loggp(problem.P, problem.rank, problem.root, blocks, times), problem);
}

// The same trees, upwards.
Schedule gather_linear(const Problem& problem, const Parameters& parameters) {
  return mirror(scatter_linear, problem, parameters);
}
Schedule gather_splitting(const Problem& problem, const Parameters& parameters) {
  return mirror(scatter_splitting, problem, parameters);
}
Schedule gather_binomial(const Problem& problem, const Parameters& parameters) {
  return mirror(scatter_binomial, problem, parameters);
}
Schedule gather_loggp(const Problem& problem, const Parameters& parameters) {
  return mirror(scatter_loggp, problem, parameters);
}

}  // namespace tutti::collectives
