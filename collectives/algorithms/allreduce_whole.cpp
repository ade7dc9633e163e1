// BEO's allreduces of whole vectors, in one pass (§3.3: n elements in every message). Pure.
//
// Every rank gets every rank's vector, by the pattern of an allgather, and combines them itself, in
// the order of the ranks: any operation, and the same bits everywhere. The paper combines what
// arrives at once; then each rank would do so in an order of its own. Scratch P·m: for short
// vectors. The allreduces of pieces (allreduce.cpp) send a P-th of the bytes in each message, and
// twice as many messages.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {
namespace {

Schedule gather_then_combine(Author allgather, const Problem& problem,
                             const Parameters& parameters) {
  Builder s = solve(problem);
  const std::vector<Bytes> lengths(index(problem.P), problem.bytes);
  const Blocks vector =
      Blocks::sized(Buffer::scratch, 0, lengths).at(s.scratch(problem.P * problem.bytes));
  Problem part = problem;
  part.collective = Collective::allgather;
  part.in_place = false;
  s.play(allgather(part, parameters), s.input(), vector.whole());
  s.copy(vector[0], s.output());
  for (Rank rank = 1; rank < problem.P; ++rank) s.reduce(vector[rank], s.output());
  return s.finish();
}

}  // namespace

// Ring: BEO §3.3.4. P−1 rounds, (P−1)m bytes sent per rank.
Schedule allreduce_ring_whole(const Problem& p, const Parameters& q) {
  return gather_then_combine(allgather_ring, p, q);
}
// Repeated binary tree: BEO §3.3.5. As P broadcasts; the paper repeats the reduce, which has no
// overlap (equation 11), and would combine in another order at each rank.
Schedule allreduce_repeated_binary_tree_whole(const Problem& p, const Parameters& q) {
  return gather_then_combine(allgather_repeated_binary_tree, p, q);
}
// Pipeline: BEO §3.3.6.
Schedule allreduce_pipeline_whole(const Problem& p, const Parameters& q) {
  return gather_then_combine(allgather_pipeline, p, q);
}
// Full fan-in: BEO §3.3.7.
Schedule allreduce_full_fan_in_whole(const Problem& p, const Parameters& q) {
  return gather_then_combine(allgather_full_fan_in, p, q);
}
// Full fan-out: BEO §3.3.7. 1 round of P−1 messages.
Schedule allreduce_full_fan_out_whole(const Problem& p, const Parameters& q) {
  return gather_then_combine(allgather_modified_ring, p, q);
}

}  // namespace tutti::collectives
