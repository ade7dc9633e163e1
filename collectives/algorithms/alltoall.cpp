// All-to-all: every rank has a block for every rank. Pure.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

struct Exchange {
  Builder s;
  Blocks out, in;  // what this rank sends to each, receives from each
};

// In place the blocks to send lie where the received ones are to be: they are moved away first.
Exchange exchange(const Problem& problem) {
  Builder s = solve(problem);
  const Blocks in = blocks_in(Buffer::output, problem);
  Blocks out = blocks_in(Buffer::input, problem);
  if (problem.in_place) {
    out = out.at(s.scratch(out.whole().length));
    for (int i = 0; i < problem.P; ++i)
      if (i != problem.rank) s.copy(in[i], out[i]);
  } else {
    s.copy(out[problem.rank], in[problem.rank]);
  }
  return {std::move(s), out, in};
}

}  // namespace

// Linear: OCC §4.2. One rank after another sends to all others: "the (i + 1)th node is able to
// proceed and start sending as soon as it receives the complete message from the ith node" (table 4
// counts these steps). Any P.
Schedule alltoall_linear(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  auto [s, out, in] = exchange(problem);
  StepId turn = kNoStep;
  for (int i = 1; i < P; ++i) {
    s.recv(mod(r - i, P), in[r - i]);
    if (i == 1 && r != 0) turn = s.last();
  }
  for (int i = 1; i < P; ++i) {
    s.after(turn);
    s.send(mod(r + i, P), out[r + i]);
  }
  return s.finish();
}

// At once: HPM §4 ("simply sends to all peer processes"). 1 round of P−1 messages; a rank begins
// with its right neighbour, so that not all begin with the same one. Any P.
Schedule alltoall_at_once(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  auto [s, out, in] = exchange(problem);
  for (int i = 1; i < P; ++i) s.recv(mod(r - i, P), in[r - i]);
  for (int i = 1; i < P; ++i) s.send(mod(r + i, P), out[r + i]);
  return s.finish();
}

// Pairwise exchange: OCC §4.2. P−1 rounds, in round i to r + i and from r − i: at most one message
// each way at a time. Any P.
Schedule alltoall_pairwise(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  auto [s, out, in] = exchange(problem);
  for (int i = 1; i < P; ++i) {
    s.round();
    s.send(mod(r + i, P), out[r + i]);
    s.recv(mod(r - i, P), in[r - i]);
  }
  return s.finish();
}

// Bruck: [BHU97]. ⌈log2 P⌉ rounds of one message: in round i to r + 2^i all blocks whose distance
// has bit i; a block of distance d travels bit by bit. About (P/2)·log2 P blocks sent per rank: few
// bytes. Scratch 2P blocks. Blocks of one length only. Any P.
Schedule alltoall_bruck(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks in = blocks_in(Buffer::output, problem);
  const Blocks out = problem.in_place ? in : blocks_in(Buffer::input, problem);
  // By distance d: the block that still has to go the bits of d above those done. At first the own
  // block for rank r + d.
  const Blocks held = in.at(s.scratch(in.whole().length));
  for (int d = 1; d < P; ++d) s.copy(out[r + d], held[d]);
  s.copy(out[r], in[r]);
  // At most half of the distances have a bit: the messages of all rounds, one after another.
  const Slice leaving = s.scratch(P / 2 * problem.bytes), arriving = s.scratch(leaving.length);
  for (int bit = 1; bit < P; bit *= 2) {
    std::vector<int> going;
    for (int d = bit; d < P; ++d)
      if ((d & bit) != 0) going.push_back(d);
    const Bytes length = static_cast<Bytes>(going.size()) * problem.bytes;
    const Slice packed{leaving.buffer, leaving.offset, length},
        landed{arriving.buffer, arriving.offset, length};
    const auto place = [&](const Slice& all, std::size_t i) {
      return Slice{all.buffer, all.offset + static_cast<Bytes>(i) * problem.bytes, problem.bytes};
    };
    for (std::size_t i = 0; i < going.size(); ++i) s.copy(held[going[i]], place(packed, i));
    s.send(mod(r + bit, P), packed);
    s.recv(mod(r - bit, P), landed);
    // A block whose distance has no higher bit has arrived; it began d ranks before.
    for (std::size_t i = 0; i < going.size(); ++i) {
      const int d = going[i];
      s.copy(place(landed, i), d < 2 * bit ? in[r - d] : held[d]);
    }
  }
  return s.finish();
}

}  // namespace tutti::collectives
