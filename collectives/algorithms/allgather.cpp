// Allgathers in which every rank does the same: rings and recursive doubling. Pure.
// In all of them a rank's first message is read from the input, so that it need not wait for the
// copy to the output.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {

// Ring: IB §5.3.2, BEO. P−1 rounds, (P−1)m bytes sent per rank, to one neighbour only. Any P.
Schedule allgather_ring(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  const int next = mod(r + 1, P), prev = mod(r - 1, P);
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  const int filled = problem.cut ? block.filled() : P;
  for (int i = 0; i < P - 1; ++i) {
    // Pieces of few elements: the rounds in which only empty ones move need no steps.
    if (const int sent = mod(r - i, P); sent > filled) {
      i += sent - filled - 1;
      continue;
    }
    s.send(next, i == 0 ? s.input() : block[r - i]);
    s.recv(prev, block[r - i - 1]);
  }
  s.copy(s.input(), block[r]);
  return s.finish();
}

// Modified ring ("linear", BEO's "full fan-out"): IB §5.3.2, BEO §3.3.7. One round of P−1 messages,
// (P−1)m bytes sent per rank, nothing forwarded and so nothing waited for. Sends stand before
// receives, so that the last one is on its way while a rank receives. Any P.
Schedule allgather_modified_ring(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  for (int i = 1; i < P; ++i) s.send(mod(r + i, P), s.input());
  for (int i = 1; i < P; ++i) s.recv(mod(r - i, P), block[r - i]);
  s.copy(s.input(), block[r]);
  return s.finish();
}

// Recursive doubling, extended to any P: IB §5.3.2, BEO, TAU. log2 P rounds for a power of two,
// else ⌊log2 P⌋ + 2 (IB speaks of 2⌈log2 P⌉); (P−1)m bytes per rank in the power of two. Every odd
// one of the first 2·extra ranks lends its block to the even one before it and gets everything back
// at the end. A group of partners holds one range of blocks, and so sends one message.
Schedule allgather_recursive_doubling(const Problem& problem, const Parameters&) {
  const int r = problem.rank;
  const PowerOfTwo partners{problem.P};
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  if (partners.folded(r)) {
    s.send(r - 1, s.input());
    s.recv(r - 1, s.output());
    return s.finish();
  }
  const int v = partners.partner_of(r);
  const bool helps = partners.folded(r + 1);
  if (helps) s.recv(r + 1, block[r + 1]);
  const auto held = [&](int group, int size) {
    const Rank first = partners.rank_of(group);
    return block.range(first, partners.rank_of(group + size) - first);
  };
  if (helps) s.copy(s.input(), block[r]);
  for (int d = 1; d < partners.count; d *= 2) {
    const int mine = v / d * d, peer = partners.rank_of(v ^ d);
    s.send(peer, d == 1 && !helps ? s.input() : held(mine, d));
    if (d == 1 && !helps) s.copy(s.input(), block[r]);
    s.recv(peer, held(mine ^ d, d));
  }
  if (partners.count == 1) s.copy(s.input(), block[r]);
  if (helps) s.send(r + 1, s.output());
  return s.finish();
}

}  // namespace tutti::collectives
