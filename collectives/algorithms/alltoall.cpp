// All-to-all: every rank has a block for every rank. Pure.
// In all of them that send each block straight to its rank, the first messages leave before a rank
// looks for any, and it copies its own block while they are on their way.
#include "base/bits.hpp"
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

struct Exchange {
  Builder s;
  Blocks out, in;  // blocks to each rank, blocks from each rank
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
  }
  return {std::move(s), out, in};
}

Schedule finish(Exchange& e, const Problem& problem) {
  if (!problem.in_place) e.s.copy(e.out[problem.rank], e.in[problem.rank]);
  return e.s.finish();
}

}  // namespace

// Linear: OCC §4.2. One rank after another sends to all others: "the (i + 1)th node is able to
// proceed and start sending as soon as it receives the complete message from the ith node" (table 4
// counts these steps). Any P.
Schedule alltoall_linear(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Exchange exchanged = exchange(problem);
  auto& [s, out, in] = exchanged;
  StepId turn = kNoStep;
  for (int i = 1; i < P; ++i) {
    s.recv(mod(r - i, P), in[r - i]);
    if (i == 1 && r != 0) turn = s.last();
  }
  for (int i = 1; i < P; ++i) {
    s.after(turn);
    s.send(mod(r + i, P), out[r + i]);
  }
  return finish(exchanged, problem);
}

// At once: HPM §4 ("simply sends to all peer processes"). 1 round of P−1 messages; a rank begins
// with its right neighbour, so that not all begin with the same one. Any P.
Schedule alltoall_at_once(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Exchange exchanged = exchange(problem);
  auto& [s, out, in] = exchanged;
  for (int i = 1; i < P; ++i) s.send(mod(r + i, P), out[r + i]);
  for (int i = 1; i < P; ++i) s.recv(mod(r - i, P), in[r - i]);
  return finish(exchanged, problem);
}

// Pairwise exchange: OCC §4.2. P−1 rounds, in round i to r + i and from r − i: at most one message
// each way at a time. Any P.
Schedule alltoall_pairwise(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  Exchange exchanged = exchange(problem);
  auto& [s, out, in] = exchanged;
  for (int i = 1; i < P; ++i) {
    s.round();
    s.send(mod(r + i, P), out[r + i]);
    s.recv(mod(r - i, P), in[r - i]);
  }
  return finish(exchanged, problem);
}

// Bruck: [BHU97], its index algorithm with radix k + 1. ⌈log_{k+1} P⌉ rounds of k messages: in
// round i to r + y(k+1)^i, y = 1…k, all blocks whose distance has the digit y at place i; a block
// travels digit by digit of its distance. A radix of 2 has the fewest messages; a larger one sends
// fewer bytes, about kP/(k+1) blocks in each round. Scratch 2P blocks for k = 1, less than 3P for
// another. Blocks of one length only. Any P.
Schedule alltoall_bruck(const Problem& problem, const Parameters& parameters) {
  const int P = problem.P, r = problem.rank;
  const int radix = std::min(parameters.k, P) + 1;
  Builder s = solve(problem);
  const Blocks in = blocks_in(Buffer::output, problem);
  const Blocks out = problem.in_place ? in : blocks_in(Buffer::input, problem);
  // By distance d: the block that still has to go the digits of d above those done. At first the
  // own block for rank r + d.
  const Blocks held = in.at(s.scratch(in.whole().length));
  for (int d = 1; d < P; ++d) s.copy(out[r + d], held[d]);
  s.copy(out[r], in[r]);
  // The first round has the most blocks. The messages of all rounds lie at the same places.
  const Slice leaving = s.scratch((P - divide_up(P, radix)) * problem.bytes),
              arriving = s.scratch(leaving.length);
  for (long long place = 1; place < P; place *= radix) {
    std::vector<int> going;  // by digit
    std::vector<std::size_t> first{0};
    for (int digit = 1; digit < radix; ++digit) {
      for (int d = 1; d < P; ++d)
        if (d / place % radix == digit) going.push_back(d);
      first.push_back(going.size());
    }
    const auto part = [&](const Slice& all, std::size_t from, std::size_t to) {
      return Slice{all.buffer, all.offset + static_cast<Bytes>(from) * problem.bytes,
                   static_cast<Bytes>(to - from) * problem.bytes};
    };
    for (std::size_t i = 0; i < going.size(); ++i) s.copy(held[going[i]], part(leaving, i, i + 1));
    const auto messages = [&](const auto& what) {
      for (std::size_t y = 1; y < first.size() && first[y - 1] < first[y]; ++y)
        what(static_cast<int>(static_cast<long long>(y) * place), first[y - 1], first[y]);
    };
    messages([&](int distance, std::size_t from, std::size_t to) {
      s.send(mod(r + distance, P), part(leaving, from, to));
    });
    messages([&](int distance, std::size_t from, std::size_t to) {
      s.recv(mod(r - distance, P), part(arriving, from, to));
    });
    // A block whose distance has no higher digit has arrived; it began d ranks before.
    for (std::size_t i = 0; i < going.size(); ++i) {
      const int d = going[i];
      s.copy(part(arriving, i, i + 1), d < radix * place ? in[r - d] : held[d]);
    }
  }
  return s.finish();
}

}  // namespace tutti::collectives
