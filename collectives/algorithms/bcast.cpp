// Broadcasts down a tree, and those that cut the message. Segments are cut afterwards
// (segmented.hpp), for all of them alike. Pure. The mirror of each is a reduce (reduce.cpp).
#include <cstdlib>

#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

// A mirror that keeps the order of ranks combines the nearest subtree first, so here the farthest
// is served first.
Schedule bcast_down(Tree tree, const Problem& problem) {
  const auto away = [&](Rank rank) {
    return std::abs(mod(rank - problem.root, problem.P) -
                    mod(problem.rank - problem.root, problem.P));
  };
  if (!problem.commutative)
    std::sort(tree.children.begin(), tree.children.end(),
              [&](Rank a, Rank b) { return away(a) > away(b); });
  Builder s = solve(problem);
  if (tree.parent) s.recv(*tree.parent, s.output());
  for (Rank child : tree.children) s.send(child, s.output());
  return s.finish();
}

}  // namespace

// n-way binomial tree: IB §5.1.3 (its tree), OCC §4.2. ⌈log_{k+1} P⌉ rounds, P−1 messages of m
// bytes. Any P, any root.
Schedule bcast_binomial(const Problem& problem, const Parameters& parameters) {
  return bcast_down(binomial(problem.P, problem.rank, problem.root, parameters.k), problem);
}

// Multicast: IB §6.7 (Siebert). The root sends datagrams to all; the tree carries what each rank
// lacks, and that again. 1 round if nothing is lost. Any P, any root.
Schedule bcast_multicast(const Problem& problem, const Parameters&) {
  Schedule schedule = bcast_binomial(problem, {});
  schedule.datagrams = true;
  return schedule;
}

// Chain: OCC §4.2. P−1 rounds of m bytes; cut into n_s segments P−2+n_s rounds of m_s bytes. Any P,
// any root.
Schedule bcast_chain(const Problem& problem, const Parameters&) {
  return bcast_down(chain(problem.P, problem.rank, problem.root), problem);
}

// k chains: the topology is OCC's (§4.1), which reduces over it. ⌈(P−1)/k⌉ rounds, the root sends k
// messages. Any P, any root.
Schedule bcast_k_chain(const Problem& problem, const Parameters& parameters) {
  return bcast_down(k_chain(problem.P, problem.rank, problem.root, parameters.k), problem);
}

// Binary tree: OCC §4.2. ⌊log2 P⌋ rounds of two messages. Any P, any root.
Schedule bcast_binary(const Problem& problem, const Parameters&) {
  return bcast_down(binary(problem.P, problem.rank, problem.root), problem);
}

// Tree of degree k: TAU §4.6, Open MPI's broadcast over shared memory, there with segments of 8
// KiB, which parent and child copy in a pipeline. ⌈log_k((k−1)P + 1)⌉ − 1 rounds of k messages. Any
// P, any root.
Schedule bcast_k_ary(const Problem& problem, const Parameters& parameters) {
  return bcast_down(k_ary(problem.P, problem.rank, problem.root, parameters.k), problem);
}

// Bine tree: see bine.cpp. log2 P rounds, P−1 messages of m bytes, the farthest first. P a power of
// two, any root.
Schedule bcast_bine(const Problem& problem, const Parameters&) {
  return bcast_down(bine(problem.P, problem.rank, problem.root), problem);
}

// Linear: OCC §4.2, IB §5.1.2. 1 round, P−1 messages of m bytes, all from the root. Any P, any
// root.
Schedule bcast_linear(const Problem& problem, const Parameters&) {
  return bcast_down(flat(problem.P, problem.rank, problem.root), problem);
}

// TAU's binomial tree (§4.1): the root sends to R + P/2, and both go on with half of the ranks. For
// a power of two IB's recursive splitting (§5.1.3); what TAU calls the tree for any P has 2^i
// messages in stage i, and in the last one P − 2^i. The rank that holds a partition keeps its first
// ranks, so that a mirror keeps the order of ranks by itself, and few messages leave a node whose
// ranks are neighbours. ⌈log2 P⌉ rounds of one message, ⌊log2 P⌋ if a rank sends several at once.
// Any P, any root.
Schedule bcast_tau_binomial(const Problem& problem, const Parameters&) {
  return bcast_down(splitting(problem.P, problem.rank, problem.root), problem);
}

// Splitted binary: OCC §4.2. One half of the message goes down one half of the ranks, the other
// down the other, each a binary tree; then every rank swaps halves with its partner on the other
// side. Root's message leaves it once, not twice. The two sides are the odd and the even virtual
// ranks, so that they differ by one rank at most: for an even P the last odd one (a leaf) has no
// partner and gets the second half from the root. At most 3/2·m bytes sent per rank, ⌈log2 P⌉
// rounds of two messages of m/2. Any P.
Schedule bcast_splitted_binary(const Problem& problem, const Parameters&) {
  const int P = problem.P, v = mod(problem.rank - problem.root, P);
  const auto real = [&](int virtual_rank) { return mod(virtual_rank + problem.root, P); };
  Builder s = solve(problem);
  const Blocks half = Blocks::even(s.output(), 2, problem.element);
  if (v == 0) {
    for (int side = 0; side < std::min(2, P - 1); ++side) s.send(real(side + 1), half[side]);
    if (P % 2 == 0) s.send(real(P - 1), half[1]);
    return s.finish();
  }
  const int side = (v - 1) % 2, place = (v - 1) / 2;  // ranks 1, 3, 5, … are side 0
  const auto rank_at = [&](int which_side, int at) { return 2 * at + which_side + 1; };
  const int parent = place == 0 ? 0 : rank_at(side, (place - 1) / 2);
  s.recv(real(parent), half[side]);
  for (int child = 2 * place + 1; child <= 2 * place + 2; ++child)
    if (rank_at(side, child) < P) s.send(real(rank_at(side, child)), half[side]);
  const int partner = rank_at(1 - side, place);
  if (partner < P) {
    s.send(real(partner), half[side]);
    s.recv(real(partner), half[1 - side]);
  } else {
    s.recv(real(0), half[1]);
  }
  return s.finish();
}

namespace {

// Scatter down the binomial tree, straight into place, then an allgather of the pieces (van de
// Geijn; HPM [5]), among `ranks`, the root being the first and this rank the one at `mine`.
void scatter_allgather(Builder& s, Author allgather, const std::vector<Rank>& ranks, int mine,
                       Bytes element) {
  const int n = static_cast<int>(ranks.size());
  const auto real = [&](int member) { return ranks[index(member)]; };
  const Blocks piece = Blocks::even(s.output(), n, element);
  const Tree tree = splitting(n, mine, 0);
  const auto of = [&](const Range& range) { return piece.range(range.first, range.count); };
  // A message may have fewer elements than there are ranks: nothing is sent of the empty pieces.
  if (tree.parent && of(tree.own).length > 0) s.recv(real(*tree.parent), of(tree.own));
  for (std::size_t i = 0; i < tree.children.size(); ++i)
    if (of(tree.subtrees[i]).length > 0) s.send(real(tree.children[i]), of(tree.subtrees[i]));
  const Problem rest{
      {.collective = Collective::allgather, .in_place = true, .counts = piece.lengths()}, n, mine};
  s.play(allgather(rest, {}), {}, s.output(), ranks, Builder::Empty::left_out);
}

}  // namespace

// Scatter + ring allgather: HPM [5]. ⌈log2 P⌉ + P − 1 rounds of one message, about 2m bytes sent
// per rank: long messages. Any P, any root.
Schedule bcast_scatter_ring(const Problem& problem, const Parameters&) {
  const int P = problem.P;
  Builder s = solve(problem);
  std::vector<Rank> ranks;
  ranks.reserve(index(P));
  for (int v = 0; v < P; ++v) ranks.push_back(mod(v + problem.root, P));
  scatter_allgather(s, allgather_ring, ranks, mod(problem.rank - problem.root, P), problem.element);
  return s.finish();
}

// Scatter + recursive doubling: 2 log2 P rounds, about 2m bytes sent per rank, for a power of two.
// For another P 2⌊log2 P⌋ + 1 rounds: those beyond a power of two take no part, and get the whole
// message from their neighbour at the end, 3m bytes. Any P, any root.
Schedule bcast_scatter_doubling(const Problem& problem, const Parameters&) {
  const int P = problem.P, v = mod(problem.rank - problem.root, P);
  const auto real = [&](Rank virtual_rank) { return mod(virtual_rank + problem.root, P); };
  const PowerOfTwo partners{P};
  Builder s = solve(problem);
  if (partners.folded(v)) {
    s.recv(real(v - 1), s.output());
    return s.finish();
  }
  std::vector<Rank> ranks = partners.ranks();
  for (Rank& rank : ranks) rank = real(rank);
  scatter_allgather(s, allgather_recursive_doubling, ranks, partners.partner_of(v),
                    problem.element);
  if (partners.folded(v + 1)) s.send(real(v + 1), s.output());
  return s.finish();
}

}  // namespace tutti::collectives
