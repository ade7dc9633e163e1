// Allgathers by exchange between neighbours, by dissemination, and by halving and doubling. Pure.
#include <numeric>

#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/halves.hpp"

namespace tutti::collectives {

// Neighbor exchange: IB §5.3.2, TAU. P/2 rounds: a rank exchanges its own block with one neighbour,
// then the two blocks of the round before with the other and the first alternately. Even P only.
Schedule allgather_neighbor_exchange(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  const bool even = r % 2 == 0;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  const Rank partner[2] = {mod(even ? r + 1 : r - 1, P),
                           mod(even ? r - 1 : r + 1, P)};  // of even and of odd rounds
  s.send(partner[0], s.input());
  s.copy(s.input(), block[r]);
  s.recv(partner[0], block[partner[0]]);
  // Pairs (2j, 2j+1) of blocks. Round i brings the pair that lies i steps away on the side of the
  // partner.
  const int pair = r / 2, pairs = P / 2;
  for (int i = 1, mine = pair; i < pairs; ++i) {
    const int direction = (even ? -1 : 1) * (i % 2 == 1 ? 1 : -1);
    const int theirs = mod(pair + direction * ((i + 1) / 2), pairs);
    s.send(partner[i % 2], block.range(2 * mine, 2));
    s.recv(partner[i % 2], block.range(2 * theirs, 2));
    mine = theirs;
  }
  return s.finish();
}

// Dissemination: IB §5.3.2. Bruck's in the other direction and with one port: in round i everything
// held, the blocks r, r−1, …, to r + 2^i; ⌈log2 P⌉ rounds. A range of blocks that runs across the
// end of the output is two messages. Any P.
Schedule allgather_dissemination(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  s.copy(s.input(), block[r]);
  for (int held = 1; held < P; held *= 2) {
    const int count = std::min(held, P - held);
    const Rank to = mod(r + held, P), from = mod(r - held, P);
    for_runs(block, r - count + 1, count, [&](const Slice& run) { s.send(to, run); });
    for_runs(block, from - count + 1, count, [&](const Slice& run) { s.recv(from, run); });
  }
  return s.finish();
}

namespace {

Schedule halve_and_double_pieces(const Problem& problem) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  s.copy(s.input(), block[r]);
  // Pieces `first` … of the blocks of the ranks `origin` ….
  const auto pieces = [&](Rank origin, int origins, int first, int count) {
    std::vector<Slice> all;
    all.reserve(index(origins));
    for (int i = 0; i < origins; ++i)
      all.push_back(Blocks::even(block[origin + i], P).range(first, count));
    return all;
  };
  const auto exchange = [&](Rank partner, const std::vector<Slice>& out,
                            const std::vector<Slice>& in) {
    const auto message = [&](const std::vector<Slice>& of) {
      std::vector<Bytes> lengths;
      lengths.reserve(of.size());
      for (const Slice& slice : of) lengths.push_back(slice.length);
      return Blocks::sized(Buffer::output, 0, lengths)
          .at(s.scratch(std::accumulate(lengths.begin(), lengths.end(), Bytes{0})));
    };
    const Blocks packed = message(out), landed = message(in);
    for (std::size_t i = 0; i < out.size(); ++i) s.copy(out[i], packed[static_cast<int>(i)]);
    s.send(partner, packed.whole());
    s.recv(partner, landed.whole());
    for (std::size_t i = 0; i < in.size(); ++i) s.copy(landed[static_cast<int>(i)], in[i]);
  };
  Halves mine{r, P};
  for (int d = 1; d < P; d *= 2) {
    mine.halve(d);
    const Rank group = r / d * d;  // and the d − 1 after it: whose blocks this rank has
    exchange(r ^ d, pieces(group, d, mine.other, mine.count),
             pieces(group ^ d, d, mine.first, mine.count));
  }
  for (int d = P / 2; d >= 1; d /= 2) {
    exchange(r ^ d, pieces(0, P, mine.first, mine.count), pieces(0, P, mine.other, mine.count));
    mine.join(d);
  }
  return s.finish();
}

}  // namespace

// Recursive halving + recursive doubling: BEO §3.3.2. First halves of what is held to r ^ 1, r ^ 2,
// r ^ 4, …, until every rank has its P-th of all blocks ("increasing data width, decreasing data
// depth"), then the way back, so that the largest messages go to the nearest ranks. 2 log2 P
// rounds, (P−1 + log2 P / 2)m bytes sent per rank, which is more than recursive doubling alone. Any
// P: every odd one of the first ranks beyond a power of two lends its block to its neighbour.
Schedule allgather_halving_doubling(const Problem& problem, const Parameters&) {
  const PowerOfTwo partners{problem.P};
  if (partners.extra == 0) return halve_and_double_pieces(problem);
  const Rank r = problem.rank;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  if (partners.folded(r)) {
    s.send(r - 1, s.input());
    s.recv(r - 1, s.output());
    return s.finish();
  }
  if (partners.folded(r + 1)) s.recv(r + 1, block[r + 1]);
  s.copy(s.input(), block[r]);
  Problem among = problem;
  among.P = partners.count;
  among.rank = partners.partner_of(r);
  among.in_place = true;
  among.node.clear();
  among.counts.clear();
  for (int v = 0; v < partners.count; ++v) {
    const Rank first = partners.rank_of(v);
    among.counts.push_back(block.range(first, partners.rank_of(v + 1) - first).length);
  }
  s.play(halve_and_double_pieces(among), {}, s.output(), partners.ranks());
  if (partners.folded(r + 1)) s.send(r + 1, s.output());
  return s.finish();
}

}  // namespace tutti::collectives
