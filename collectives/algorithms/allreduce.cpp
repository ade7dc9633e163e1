// Allreduces, and the scans. Pure.
#include "collectives/algorithms/common.hpp"
#include "collectives/algorithms/halves.hpp"

namespace tutti::collectives {
namespace {

// Reduce to the root that the parameters name, then broadcast from it.
Schedule reduce_then_bcast(Author reduce, Author bcast, const Problem& problem,
                           const Parameters& parameters) {
  Builder s = solve(problem);
  Problem part = problem;
  part.collective = Collective::reduce;
  part.root = parameters.root % problem.P;
  part.in_place = problem.in_place && problem.rank == part.root;
  s.play(reduce(part, parameters), s.input(), s.output());
  part.collective = Collective::bcast;
  part.in_place = false;
  s.play(bcast(part, parameters), {}, s.output());
  return s.finish();
}

// Every rank reduces one piece, then all gather them. A vector may have fewer elements than there
// are ranks: nothing is sent of pieces without any.
Schedule scatter_then_gather(Author reduce_scatter, Author allgather, const Problem& problem,
                             const Parameters& parameters) {
  Builder s = solve(problem);
  const Blocks piece = Blocks::even(s.output(), problem.P, problem.element);
  Problem part = problem;
  part.cut = problem.bytes;
  part.collective = Collective::reduce_scatter;
  part.in_place = false;
  s.play(reduce_scatter(part, parameters), s.input(), piece[problem.rank], {},
         Builder::Empty::left_out);
  part.collective = Collective::allgather;
  part.in_place = true;
  s.play(allgather(part, parameters), {}, s.output(), {}, Builder::Empty::left_out);
  return s.finish();
}

}  // namespace

// k-ary recursive multiplying; k = 1 is recursive doubling, BEO's bi-directional exchange (§3.3.1).
// Ranks in groups of k + 1 exchange what their groups have; ⌊log_{k+1} P⌋ rounds of k
// messages of m bytes. Any P: neighbours that no whole number of groups takes send what they have
// to the first of them before, and get the result after (2 rounds more). Neighbours, so that what a
// group has is a run of ranks, and the order of ranks is kept.
Schedule allreduce_recursive_multiplying(const Problem& problem, const Parameters& parameters) {
  const int P = problem.P, r = problem.rank;
  const int radix = std::clamp(P, 2, parameters.k + 1);  // nobody has more than P − 1 others
  Builder s = solve(problem);
  long long partners = 1;
  int rounds = 0;
  for (; partners * radix <= P; partners *= radix) ++rounds;
  // Partner v stands for the ranks [first(v), first(v + 1)): itself first.
  const auto first = [&](long long v) { return static_cast<Rank>(v * P / partners); };
  long long v = r * partners / P;
  while (first(v + 1) <= r) ++v;
  if (r != first(v)) {
    s.send(first(v), s.input());
    s.recv(first(v), s.output());
    return s.finish();
  }
  const bool begins_in_output = problem.in_place && first(v + 1) == r + 1;
  InTurn places(s, problem.bytes, begins_in_output ? 0 : rounds);
  Slice held = problem.in_place ? s.output() : s.input();
  for (Rank member = r + 1; member < first(v + 1); ++member) {
    s.recv_reduce(member, held, places.place());
    held = places.place();
  }
  std::vector<Slice> arrived(index(radix));  // by digit
  if (radix > 2)
    for (Slice& slot : arrived) slot = s.scratch(partners > 1 ? problem.bytes : 0);
  for (long long distance = 1; distance < partners; distance *= radix) {
    const long long digit = v / distance % radix;
    const auto partner = [&](long long d) { return first(v + (d - digit) * distance); };
    // Each begins with the partner after it, so that not all send to the same one at once.
    for (long long y = 1; y < radix; ++y) s.send(partner((digit + y) % radix), held);
    // The partners' vectors are combined in the order of ranks: all make the same expression.
    const Slice& next = places.next();
    if (radix == 2) {
      s.recv_reduce(partner(1 - digit), held, next, digit == 1);
    } else {
      const auto part = [&](long long d) { return d == digit ? held : arrived[index(d)]; };
      for (long long d = 0; d < radix; ++d)
        if (d != digit) s.recv(partner(d), part(d));
      s.copy(part(0), next);
      for (long long d = 1; d < radix; ++d) s.reduce(part(d), next);
    }
    held = next;
  }
  s.copy(held, s.output());
  for (Rank member = r + 1; member < first(v + 1); ++member) s.send(member, s.output());
  return s.finish();
}

// Fan-in fan-out (reduce + broadcast): BEO §3.3.3. 2⌈log_{k+1} P⌉ rounds of m bytes, 2(P−1)
// messages.
Schedule allreduce_reduce_bcast(const Problem& p, const Parameters& q) {
  return reduce_then_bcast(reduce_binomial, bcast_binomial, p, q);
}
// Reduce + broadcast over the flat tree: 2 rounds, 2(P−1) messages, all at the root.
Schedule allreduce_reduce_bcast_linear(const Problem& p, const Parameters& q) {
  return reduce_then_bcast(reduce_linear, bcast_linear, p, q);
}
// Reduce + broadcast along a chain: with segments a pipeline there and back.
Schedule allreduce_chain(const Problem& p, const Parameters& q) {
  return reduce_then_bcast(reduce_chain, bcast_chain, p, q);
}

namespace {

Schedule halve_and_double(const Problem& problem) {
  const int P = problem.P, r = problem.rank;
  Builder s = solve(problem);
  const Blocks of_input = Blocks::even(s.input(), P, problem.element);
  const Blocks of_output = Blocks::even(s.output(), P, problem.element);
  Halves mine{r, P};
  if (P == 1) s.copy(s.input(), s.output());
  // Nothing is sent of pieces without elements.
  for (int d = 1; d < P; d *= 2) {
    mine.halve(d);
    const Blocks& held = d == 1 ? of_input : of_output;
    const Slice going = held.range(mine.other, mine.count);
    const Slice kept = of_output.range(mine.first, mine.count);
    if (going.length > 0) s.send(r ^ d, going);
    if (kept.length > 0) s.recv_reduce(r ^ d, held.range(mine.first, mine.count), kept);
  }
  for (int d = P / 2; d >= 1; d /= 2) {
    const Slice going = of_output.range(mine.first, mine.count);
    const Slice coming = of_output.range(mine.other, mine.count);
    if (going.length > 0) s.send(r ^ d, going);
    if (coming.length > 0) s.recv(r ^ d, coming);
    mine.join(d);
  }
  return s.finish();
}

}  // namespace

// Recursive halving + recursive doubling: BEO §3.3.2. Halves are exchanged with r ^ 1, r ^ 2, r ^
// 4, …, and back, so that the largest messages go to the nearest ranks. (In a reduce-scatter the
// order of the blocks forces the other direction.) 2 log2 P rounds, 2(P−1)/P·m bytes sent per rank
// in the power of two; for another P 2⌊log2 P⌋ + 2 rounds: of the first ranks every odd one sends
// what it has to the even one before it, takes no part, and gets the result at the end.
Schedule allreduce_halving_doubling(const Problem& problem, const Parameters&) {
  const PowerOfTwo partners{problem.P};
  if (partners.extra == 0) return halve_and_double(problem);
  const Rank r = problem.rank;
  Builder s = solve(problem);
  if (partners.folded(r)) {
    s.send(r - 1, s.input());
    s.recv(r - 1, s.output());
    return s.finish();
  }
  if (partners.folded(r + 1)) s.recv_reduce(r + 1, s.input(), s.output());
  Problem among = problem;
  among.P = partners.count;
  among.rank = partners.partner_of(r);
  among.node.clear();
  among.in_place = problem.in_place || partners.folded(r + 1);
  s.play(halve_and_double(among), s.input(), s.output(), partners.ranks());
  if (partners.folded(r + 1)) s.send(r + 1, s.output());
  return s.finish();
}
// The patterns here move pieces; allreduce_whole.cpp has BEO's whole vectors. Ring: 2(P−1) rounds,
// 2(P−1)/P·m bytes sent per rank, to one neighbour.
Schedule allreduce_ring(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_ring, allgather_ring, p, q);
}
// Repeated binary tree: BEO §3.3.5.
Schedule allreduce_repeated_binary_tree(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_repeated_binary_tree, allgather_repeated_binary_tree, p,
                             q);
}
// Pipeline: BEO §3.3.6.
Schedule allreduce_pipeline(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_pipeline, allgather_pipeline, p, q);
}
// Full fan-in of pieces, then of results: BEO §3.3.7, whose network had room for P whole messages a
// rank; pieces need a P-th of it.
Schedule allreduce_full_fan_in(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_full_fan_in, allgather_full_fan_in, p, q);
}
// Full fan-out of pieces, then of results: BEO §3.3.7. 2 rounds of P−1 messages of m/P bytes,
// nothing forwarded.
Schedule allreduce_full_fan_out(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_full_fan_out, allgather_modified_ring, p, q);
}
// Circulant graph: see circulant.cpp. 2⌈log2 P⌉ rounds, 2(P−1)/P·m bytes sent per rank, for any P.
Schedule allreduce_circulant(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_circulant, allgather_circulant, p, q);
}
// Bine butterfly, there and back: see bine.cpp. 2 log2 P rounds, 2(P−1)/P·m bytes sent per rank. P
// a power of two.
Schedule allreduce_bine_halving_doubling(const Problem& p, const Parameters& q) {
  return scatter_then_gather(reduce_scatter_bine, allgather_bine, p, q);
}

// Scans: what comes from the ranks before is the left operand. In an exscan the own contribution
// only goes on.

// Linear. P−1 rounds: rank r waits for what the ranks before it make, and passes it on
// with its own.
Schedule scan_linear(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  const bool exclusive = problem.collective == Collective::exscan;
  Builder s = solve(problem);
  if (!exclusive) {
    if (r > 0) s.recv_reduce(r - 1, s.input(), s.output(), true);
    if (r + 1 < P) s.send(r + 1, r > 0 ? s.output() : s.input());
    if (r == 0) s.copy(s.input(), s.output());
    return s.finish();
  }
  if (r == 0) {
    if (P > 1) s.send(1, s.input());
    return s.finish();
  }
  // In place the own contribution lies where the result is to be: it is taken away first.
  const bool last = r + 1 == P;
  const Slice sum = last ? Slice{} : s.scratch(problem.bytes);
  if (!last) s.copy(s.input(), sum);
  s.recv(r - 1, s.output());
  if (!last) {
    s.reduce(s.output(), sum, true);
    s.send(r + 1, sum);
  }
  return s.finish();
}

// Recursive doubling (Hillis and Steele). ⌈log2 P⌉ rounds: in round i to r + 2^i what the 2^i ranks
// up to this one make. Any P.
Schedule scan_recursive_doubling(const Problem& problem, const Parameters&) {
  const int P = problem.P, r = problem.rank;
  const bool exclusive = problem.collective == Collective::exscan;
  Builder s = solve(problem);
  // `held` combines the ranks up to r, in alternating places; an exscan's result omits r itself.
  Slice place[2] = {s.scratch(problem.bytes), s.scratch(problem.bytes)};
  if (!exclusive) place[0] = s.output();
  Slice held = s.input();
  Slice arrivals[2];  // of an exscan: one is received while the other is combined
  int turn = 0;
  bool any = false;
  // Reading the own contribution late would find it overwritten where the output is the same bytes.
  if (problem.in_place) {
    s.copy(s.input(), place[1]);
    held = place[1];
  }
  for (int d = 1; d < P; d *= 2) {
    if (r + d < P) s.send(r + d, held);
    if (r - d < 0) continue;
    const Slice next = held == place[0] ? place[1] : place[0];
    if (!exclusive) {
      s.recv_reduce(r - d, held, next, true);
    } else {
      Slice& arrived = arrivals[turn++ % 2];
      if (arrived.length == 0) arrived = s.scratch(problem.bytes);
      s.recv(r - d, arrived);
      if (r + 2 * d < P) {  // it is sent on
        s.copy(held, next);
        s.reduce(arrived, next, true);
      }
      if (any)
        s.reduce(arrived, s.output(), true);
      else
        s.copy(arrived, s.output());
      any = true;
    }
    held = next;
  }
  if (!exclusive) s.copy(held, s.output());
  return s.finish();
}

}  // namespace tutti::collectives
