// Circulant graphs: every rank has a neighbour on either side, one skip away, for each of ⌈log2 P⌉
// skips, which come from halving P and rounding up. So no P needs more rounds than the next power
// of two. Pure.
#include <limits>

#include "collectives/algorithms/common.hpp"
#include "collectives/schedule/segmented.hpp"

namespace tutti::collectives {
namespace {

// 1 = skip[0] < … < skip[q] = P, each half of the next one, rounded up; q = ⌈log2 P⌉.
std::vector<int> skips(int P) {
  std::vector<int> skip{P};
  while (skip.back() > 1) skip.push_back((skip.back() + 1) / 2);
  std::reverse(skip.begin(), skip.end());
  return skip;
}

// Which block of a broadcast comes to virtual rank v in which round; Träff (see below). In round i
// every rank v sends to v + skip[i mod q]. The q rounds of a phase bring q blocks: the base block
// of v, which the root sends in this phase, and others that other ranks got in the phase before.
class Arrivals {
 public:
  Arrivals(int v, const std::vector<int>& skip, int blocks)
      : skip_(skip),
        rounds_(static_cast<int>(skip.size()) - 1),
        blocks_(blocks),
        idle_((rounds_ - (blocks - 1) % rounds_) % rounds_) {
    for (int e = 0; e <= rounds_; ++e) open_.push_back(e);
    base_ = base_block(v);
    std::erase(open_, base_);
    search(skip.back() + v, 0, rounds_);
    while (last_ < end() && block(last_) < blocks_ - 1) ++last_;
  }

  // The rounds in which anything moves. All phases have q rounds, so the first one begins idle.
  int begin() const noexcept { return idle_; }
  int end() const noexcept { return idle_ + rounds_ + blocks_ - 1; }

  // The block that comes in that round; −1: none. A number beyond the last block stands for the
  // last one, which comes only once.
  int in_round(int round) const noexcept {
    const int coming = block(round);
    if (coming >= blocks_ - 1) return round == last_ ? blocks_ - 1 : -1;
    return std::max(coming, -1);
  }

 private:
  int block(int round) const noexcept {
    return phase_[index(round % rounds_)] + round / rounds_ * rounds_ - idle_;
  }

  // The last skip on the way from the root to v that takes the largest skips first; none for the
  // root itself.
  int base_block(int v) const noexcept {
    for (int e = rounds_ - 1; e >= 0; --e) {
      const int step = skip_[index(e)];
      if (step == v) return e;
      if (step < v) v -= step;
    }
    return rounds_;
  }

  // Follows such ways, the farthest first, to ranks from which a block can come on in round
  // k = phase_.size(). Every skip is the last one of a way once. skip[q] = P leads to the root of
  // this phase, and stands for the base block.
  void search(int v, int here, int largest) {
    for (int e = largest; e >= 0; --e) {
      const auto reaches = [&] {
        const int there = here + skip_[index(e)];
        return std::find(open_.begin(), open_.end(), e) != open_.end() && done() < rounds_ &&
               there <= v - skip_[index(done())] && there < nearest_;
      };
      if (!reaches()) continue;
      const int there = here + skip_[index(e)];
      search(v, there, e - 1);
      if (done() == rounds_) return;
      if (here > v - skip_[index(done()) + 1]) return;  // too near for the next round as well
      if (!reaches()) continue;
      phase_.push_back(e == rounds_ ? base_ : e - rounds_);
      std::erase(open_, e);
      nearest_ = there;
    }
  }
  int done() const noexcept { return static_cast<int>(phase_.size()); }

  const std::vector<int>& skip_;
  const int rounds_, blocks_, idle_;  // rounds_: of one phase
  int base_ = 0, last_ = 0;           // last_: the round in which the last block comes
  int nearest_ = std::numeric_limits<int>::max();
  std::vector<int> open_;   // skips that have led to no block yet
  std::vector<int> phase_;  // the block that comes in each round of a phase, counted from the block
                            // that the root sends first in it
};

}  // namespace

// Circulant graph: J. L. Träff, "Optimal Broadcast Schedules in Logarithmic Time …",
// arXiv:2407.18004. n blocks (segments) in ⌈log2 P⌉ + n − 1 rounds, the fewest possible if a rank
// sends one block and receives one in each round; P−1 messages for each block. Any P, any root.
Schedule bcast_circulant(const Problem& problem, const Parameters& parameters) {
  const int P = problem.P, v = mod(problem.rank - problem.root, P);
  Builder s = solve(problem);
  if (P == 1) return s.finish();
  const Bytes segment = segment_of(problem, parameters);
  const Bytes pieces =
      segment > 0 ? std::max<Bytes>(1, (problem.bytes + segment - 1) / segment) : 1;
  check_steps(pieces, segment);
  const Blocks block = Blocks::even(s.output(), static_cast<int>(pieces), problem.element);
  const std::vector<int> skip = skips(P);
  const std::size_t q = skip.size() - 1;
  const Arrivals mine(v, skip, block.parts());
  std::vector<Arrivals> theirs;
  for (std::size_t k = 0; k < q; ++k) theirs.emplace_back(mod(v + skip[k], P), skip, block.parts());
  const auto real = [&](int virtual_rank) { return mod(virtual_rank + problem.root, P); };
  for (int round = mine.begin(); round < mine.end(); ++round) {
    const std::size_t k = index(round) % q;
    if (const int to = mod(v + skip[k], P), out = theirs[k].in_round(round); to != 0 && out >= 0)
      s.send(real(to), block[out]);
    if (const int in = mine.in_round(round); v != 0 && in >= 0)
      s.recv(real(v - skip[k]), block[in]);
  }
  return s.finish();
}

// Circulant graph: J. L. Träff, "Optimal, Non-pipelined Reduce-scatter and Allreduce Algorithms",
// arXiv:2410.14234. ⌈log2 P⌉ rounds: rank r gets from r + skip the blocks that it lacks up to the
// next skip. No rank sends more than P−1 blocks; blocks that run across the end of the output are
// two messages. Any P.
Schedule allgather_circulant(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);
  s.copy(s.input(), block[r]);
  const std::vector<int> skip = skips(P);
  for (std::size_t k = 0; k + 1 < skip.size(); ++k) {
    const int count = skip[k + 1] - skip[k];
    const Rank to = mod(r - skip[k], P), from = mod(r + skip[k], P);
    for_runs(block, r, count, [&](const Slice& run) { s.send(to, run); });
    for_runs(block, from, count, [&](const Slice& run) { s.recv(from, run); });
  }
  return s.finish();
}

}  // namespace tutti::collectives
