// Collectives of neighbours: each rank has data for some ranks, and gets data of some. Pure.
#include "collectives/algorithms/common.hpp"

namespace tutti::collectives {

// At once: a message for each neighbour, in the order of the blocks, so that those for one rank
// arrive in that order. 1 round of as many messages as a rank has neighbours. A rank copies what it
// gives to itself while they are on their way. Any P, any neighbourhoods that match.
Schedule neighbours_at_once(const Problem& problem, const Parameters&) {
  const Rank r = problem.rank;
  Builder s = solve(problem);
  const Neighbourhood neighbours = neighbours_of(problem);
  const Blocks out = blocks_in(Buffer::input, problem), in = blocks_in(Buffer::output, problem);
  const bool one = problem.collective == Collective::neighbor_allgather;  // block for all
  const auto degree = [](const std::vector<Rank>& ranks) { return static_cast<int>(ranks.size()); };
  const auto is_other = [r](Rank peer) { return peer != r && peer != kNoNeighbour; };
  for (int i = 0; i < degree(neighbours.to); ++i)
    if (const Rank peer = neighbours.to[index(i)]; is_other(peer)) s.send(peer, out[one ? 0 : i]);
  for (int i = 0; i < degree(neighbours.from); ++i) {
    const int block = neighbours.matched(i);
    if (const Rank peer = neighbours.from[index(block)]; is_other(peer)) s.recv(peer, in[block]);
  }
  for (const auto& [from, to] : own_blocks(neighbours, r)) s.copy(out[one ? 0 : from], in[to]);
  return s.finish();
}

}  // namespace tutti::collectives
