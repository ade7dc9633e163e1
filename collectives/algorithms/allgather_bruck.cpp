// Bruck's allgather with k ports. Pure.
#include <algorithm>

#include "base/bits.hpp"
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

// Blocks, by a rank of P with k ports.
int held_before_last_round(int P, int k) {
  int held = 1;
  while (static_cast<long long>(held) * (k + 1) < P) held *= k + 1;
  return held;
}

void copy_to_output(Builder& s, const Blocks& block, Slice landed, int first, int count) {
  for_runs(block, first, count, [&](const Slice& run) {
    landed.length = run.length;
    s.copy(landed, run);
    landed.offset = landed.end();
  });
}

}  // namespace

// IB §5.3.2 [BHU97]. ⌈log_{k+1} P⌉ rounds; in round i rank r sends its first (k+1)^i blocks r, r+1,
// … to r − y(k+1)^i for y = 1…k; the last round sends only what is missing, in as few messages as
// possible. (P−1)m bytes per rank. Any P. The receives of a round do not depend on each other, so
// whichever arrives first is consumed first. (IB's LogGP formula charges (s−1)G for each round, as
// if every message were one block; a message of round i has (k+1)^i of them.)
//
// A message is ONE contiguous slice, but the blocks r, r+1, … are taken modulo P. The thesis
// gathers all of them in rotated order and shifts the whole result at the end. Here every block
// lands in its final place, with two exceptions: the message that arrives across the end of the
// output (there is at most one), and, on ranks whose outgoing blocks run across the end, those
// blocks. They are kept contiguous in scratch, and copied to their place while later rounds are
// under way. So no rank copies more than the thesis' shift does, rank 0 copies its own block only,
// and only what the last round sends or brings is copied on the critical path. Two messages instead
// of scratch would avoid all copies, but one more packet costs more than copying the small blocks
// for which this algorithm is meant.
//
// Scratch ⌊P/2⌋ blocks at most, as in the thesis: the longest message has no more, and no rank has
// both exceptions, because the end of the output is met once.
Schedule allgather_bruck(const Problem& problem, const Parameters& parameters) {
  const int P = problem.P, r = problem.rank, k = parameters.k;
  Builder s = solve(problem);
  const Blocks block = gathered(problem);

  const int before_last = held_before_last_round(P, k);
  const int message = std::max(1, before_last / (k + 1));
  const int outgoing = std::max(message, std::min(before_last, P - before_last));  // the longest
  const bool rotated = block.wraps(r, outgoing);
  // The kept blocks are whole messages if there is room for the rest of the last one.
  const int in_messages = divide_up(outgoing, message) * message;
  const int keeping = in_messages <= P / 2 ? in_messages : outgoing;
  const Slice kept = rotated ? s.scratch(block.bytes(r, keeping)) : Slice{};
  const auto in_kept = [&](int after, int count) {  // the blocks r + after, …
    return Slice{kept.buffer, kept.offset + block.bytes(r, after), block.bytes(r + after, count)};
  };
  const auto held_first = [&](int count) {
    if (count == 1) return s.input();
    return rotated ? in_kept(0, count) : block.range(r, count);
  };
  // Where the last message that is sent on waits if it wraps: in the blocks of the last round,
  // which come later (and so do not wrap), if they have room.
  const auto waiting_room = [&](Bytes bytes) {
    const Slice free = block.range(r + before_last, P - before_last);
    return free.length >= bytes ? Slice{free.buffer, free.offset, bytes} : s.scratch(bytes);
  };

  if (P == 1) s.copy(s.input(), block[r]);
  for (int held = 1; held < P; held = static_cast<int>(std::min<long long>(P, held * (k + 1LL)))) {
    const auto blocks_of = [&](int y) { return std::min(held, P - y * held); };
    const int messages = std::min(k, (P - 1) / held);
    for (int y = 1; y <= messages; ++y) s.send(mod(r - y * held, P), held_first(blocks_of(y)));
    if (held == 1) {  // the first messages come from the input and need not wait for this
      if (rotated) s.copy(s.input(), in_kept(0, 1));
      s.copy(s.input(), block[r]);
    }
    for (int y = 1; y <= messages; ++y) {
      const int first = r + y * held, n = blocks_of(y);
      const int stays = held < before_last ? std::clamp(keeping - y * held, 0, n) : 0;
      const bool wraps = block.wraps(first, n);
      Slice landing = block.range(first, wraps ? 0 : n);
      if (rotated && stays == n)
        landing = in_kept(y * held, n);
      else if (wraps)
        landing = rotated ? waiting_room(block.bytes(first, n)) : s.scratch(block.bytes(first, n));
      s.recv(mod(first, P), landing);
      if (rotated && 0 < stays && stays < n)
        s.copy({landing.buffer, landing.offset, block.bytes(first, stays)},
               in_kept(y * held, stays));
      if (wraps || (rotated && stays == n)) copy_to_output(s, block, landing, first, n);
    }
  }
  return s.finish();
}

}  // namespace tutti::collectives
