// Bine (binomial negabinary) trees and butterflies: De Sensi et al., "Bine Trees: Enhancing
// Collective Operations by Optimizing Communication Locality", SC '25, arXiv:2508.17311. They have
// the rounds and messages of binomial ones, but between nearer ranks: the distance in step i is
// (1 − (−2)^{i+1})/3 = 1, −1, 3, −5, 11, … instead of 2^i. For networks whose far links are shared.
// P a power of two. Pure.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/trees.hpp"

namespace tutti::collectives {
namespace {

// One rank's steps in the butterfly of growing distances. After each step a rank has the blocks of
// a run of ranks around it, which may wrap.
class Butterfly {
 public:
  Butterfly(int P, Rank rank) : P_(P), rank_(rank) {}
  bool done() const noexcept { return held_ == P_; }
  Rank partner() const noexcept { return bine_partner(P_, rank_, step_); }
  int held() const noexcept { return held_; }
  // The first rank of the run whose blocks `rank` has now.
  Rank first(Rank rank) const noexcept { return mod(rank - (rank % 2 == 0 ? below_ : above_), P_); }
  // The runs grow on both sides in turn: those of even ranks upwards first, of odd ones downwards.
  void next() noexcept {
    (step_++ % 2 == 0 ? above_ : below_) += held_;
    held_ *= 2;
  }

 private:
  const int P_;
  const Rank rank_;
  int step_ = 0, held_ = 1, below_ = 0, above_ = 0;
};

}  // namespace

// log2 P rounds, each of twice as many blocks as the one before. P a power of two.
Schedule allgather_bine(const Problem& problem, const Parameters&) {
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  s.copy(s.input(), block[problem.rank]);
  for (Butterfly at(problem.P, problem.rank); !at.done(); at.next()) {
    const Rank partner = at.partner();
    for_runs(block, at.first(problem.rank), at.held(),
             [&](const Slice& run) { s.send(partner, run); });
    for_runs(block, at.first(partner), at.held(), [&](const Slice& run) { s.recv(partner, run); });
  }
  return s.finish();
}

// log2 P exchanges of m bytes, the farthest first, so that partners have exactly the same bits; in
// the other order their runs would overlap. The order of ranks is lost: for commutative operations
// only. P a power of two.
Schedule allreduce_bine_doubling(const Problem& problem, const Parameters&) {
  const int P = problem.P;
  const Rank r = problem.rank;
  Builder s = solve(problem);
  const int rounds = rounds_to_reach(P, 2);
  InTurn places(s, P > 1 ? problem.bytes : 0, problem.in_place ? 0 : rounds);
  Slice held = problem.in_place ? s.output() : s.input();
  for (int step = rounds - 1; step >= 0; --step) {
    const Rank partner = bine_partner(P, r, step);
    const Slice& next = places.next();
    s.send(partner, held);
    s.recv_reduce(partner, held, next, (bine_corner(P, r) >> step) & 1u);
    held = next;
  }
  s.copy(held, s.output());
  return s.finish();
}

}  // namespace tutti::collectives
