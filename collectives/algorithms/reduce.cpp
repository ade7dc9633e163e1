// Reduces, as mirrors of broadcasts, and reduce-scatters, as mirrors of allgathers. Pure.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

// A tree of virtual ranks combines root, root + 1, …: in the order of ranks only for root 0.
// Otherwise rank 0 combines and sends the result on.
Schedule in_rank_order(Author spread, const Problem& problem, const Parameters& parameters) {
  if (problem.commutative || problem.root == 0) return mirror(spread, problem, parameters);
  Problem at_0 = problem;
  at_0.root = 0;
  at_0.in_place = false;
  Builder s = solve(problem);
  const Slice result = problem.rank == 0 ? s.scratch(problem.bytes) : Slice{};
  s.play(mirror(spread, at_0, parameters), s.input(), result);
  if (problem.rank == 0) s.send(problem.root, result);
  if (problem.rank == problem.root) s.recv(0, s.output());
  return s.finish();
}

// Folds the contributions of all ranks, ((x0 op x1) op x2) …, at the owner: it takes the messages
// in the order of ranks, its own contribution in its turn.
void fold(Builder& s, const Problem& problem, Rank owner, const Slice& contribution,
          const Slice& result) {
  if (problem.rank != owner) return s.send(owner, contribution);
  // In place the first message would overwrite the own contribution.
  Slice own = contribution;
  if (problem.in_place && owner != 0) {
    own = s.scratch(contribution.length);
    s.copy(contribution, own);
  }
  if (owner == 0)
    if (problem.P == 1) return s.copy(own, result);
  for (Rank rank = 0; rank < problem.P; ++rank) {
    if (rank == owner) {
      if (rank != 0) s.reduce(own, result);
    } else if (rank == 0) {
      s.recv(0, result);
    } else {
      s.recv_reduce(rank, owner == 0 && rank == 1 ? own : result, result);
    }
  }
}

}  // namespace

// Flat: OCC §4.2. One round, P−1 messages of m bytes, all to the root. It combines those of the
// ranks after it first, as these are on its node more often than others, and come first from a node
// whose ranks share a port. Any P, any root.
Schedule reduce_linear(const Problem& problem, const Parameters&) {
  const auto [P, root] = std::pair{problem.P, problem.root};
  Builder s = solve(problem);
  if (!problem.commutative || problem.left_fold || P == 1) {
    fold(s, problem, root, s.input(), s.output());
    return s.finish();
  }
  if (problem.rank != root) s.send(root, s.input());
  for (int v = 1; v < P && problem.rank == root; ++v)
    s.recv_reduce(mod(root + v, P), v == 1 ? s.input() : s.output(), s.output());
  return s.finish();
}

// Chain, k-chain, binomial: OCC §4.2; n-way binomial: IB §5.1.3. The tree of the broadcast,
// upwards.
Schedule reduce_chain(const Problem& p, const Parameters& parameters) {
  return in_rank_order(bcast_chain, p, parameters);
}
Schedule reduce_k_chain(const Problem& p, const Parameters& parameters) {
  return in_rank_order(bcast_k_chain, p, parameters);
}
Schedule reduce_binomial(const Problem& p, const Parameters& parameters) {
  return in_rank_order(bcast_binomial, p, parameters);
}
Schedule reduce_tau_binomial(const Problem& p, const Parameters& parameters) {
  return in_rank_order(bcast_tau_binomial, p, parameters);
}

// Bine tree: see bine.cpp. Keeps the order of ranks: what a rank has is a range around it.
Schedule reduce_bine(const Problem& p, const Parameters& parameters) {
  return in_rank_order(bcast_bine, p, parameters);
}

// Binary tree: OCC §4.2; degree k: TAU §4.6. Their subtrees are no ranges of ranks: commutative
// operations only.
Schedule reduce_binary(const Problem& p, const Parameters& parameters) {
  return mirror(bcast_binary, p, parameters);
}
Schedule reduce_k_ary(const Problem& p, const Parameters& parameters) {
  return mirror(bcast_k_ary, p, parameters);
}

// Circulant graph (circulant.cpp): no ranges of ranks either.
Schedule reduce_circulant(const Problem& p, const Parameters& parameters) {
  return mirror(bcast_circulant, p, parameters);
}

// Reduce-scatter + gather (Rabenseifner): the mirror of scatter + recursive doubling. Long
// messages; commutative only.
Schedule reduce_scatter_gather(const Problem& p, const Parameters& parameters) {
  return mirror(bcast_scatter_doubling, p, parameters);
}

// Recursive halving, ring, full fan-out: BEO §3.3. Dissemination, circulant, bine: see their
// allgathers. Commutative only.
Schedule reduce_scatter_halving(const Problem& p, const Parameters& q) {
  return mirror(allgather_recursive_doubling, p, q);
}
Schedule reduce_scatter_ring(const Problem& p, const Parameters& q) {
  return mirror(allgather_ring, p, q);
}
Schedule reduce_scatter_full_fan_out(const Problem& p, const Parameters& q) {
  return mirror(allgather_modified_ring, p, q);
}
Schedule reduce_scatter_dissemination(const Problem& p, const Parameters& q) {
  return mirror(allgather_dissemination, p, q);
}
Schedule reduce_scatter_circulant(const Problem& p, const Parameters& q) {
  return mirror(allgather_circulant, p, q);
}
Schedule reduce_scatter_bine(const Problem& p, const Parameters& q) {
  return mirror(allgather_bine, p, q);
}

// BEO's full fan-out (§3.3.7), combined in the order of ranks: 1 round of P−1 messages.
Schedule reduce_scatter_linear(const Problem& problem, const Parameters&) {
  return to_the_owners(problem, [&](Builder& s, const Blocks& block, const Slice& result) {
    for (int i = 0; i < problem.P; ++i) {
      const Rank owner = mod(problem.rank + i, problem.P);
      fold(s, problem, owner, block[owner], result);
    }
  });
}

// Pairwise exchange: OCC §4.2's alltoall, what arrives being combined. P−1 rounds, in round i to
// r + i and from r − i. Commutative only.
Schedule reduce_scatter_pairwise(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  return to_the_owners(problem, [&](Builder& s, const Blocks& block, const Slice& result) {
    Slice held = block[r];
    for (int i = 1; i < P; ++i) {
      s.round();
      s.send(mod(r + i, P), block[r + i]);
      s.recv_reduce(mod(r - i, P), std::exchange(held, result), result);
    }
    s.copy(held, result);
  });
}

// Pairwise reduce-scatter + gather: TAU (4.52), for messages beyond 512 KiB. P−1 rounds of m/P
// bytes, then ⌈log2 P⌉ up the binomial tree. Commutative only.
Schedule reduce_pairwise_gather(const Problem& problem, const Parameters& parameters) {
  Builder s = solve(problem);
  Problem part = problem;
  part.collective = Collective::reduce_scatter;
  part.in_place = false;
  part.counts =
      Blocks::even({Buffer::input, 0, problem.bytes}, problem.P, problem.element).lengths();
  const Slice piece = s.scratch(part.counts[index(problem.rank)]);
  s.play(reduce_scatter_pairwise(part, parameters), s.input(), piece, {}, Builder::Empty::left_out);
  part.collective = Collective::gather;
  s.play(gather_splitting(part, parameters), piece, s.output(), {}, Builder::Empty::left_out);
  return s.finish();
}

// Reduce to rank 0, then scatter: 2⌈log2 P⌉ rounds of one message, and the one that keeps the order
// of ranks.
Schedule reduce_scatter_reduce_scatter(const Problem& problem, const Parameters& parameters) {
  Builder s = solve(problem);
  const Blocks block = blocks_in(Buffer::input, problem);
  Problem up = problem;
  up.collective = Collective::reduce;
  up.root = 0;
  up.bytes = block.whole().length;
  up.in_place = false;
  up.counts.clear();
  const Slice whole = problem.rank == 0 ? s.scratch(up.bytes) : Slice{};
  s.play(reduce_tau_binomial(up, parameters), s.input(), whole);
  Problem down = problem;
  down.collective = Collective::scatter;
  down.root = 0;
  down.in_place = false;
  s.play(scatter_splitting(down, parameters), whole,
         {Buffer::output, 0, block_bytes(problem, problem.rank)});
  return s.finish();
}

}  // namespace tutti::collectives
