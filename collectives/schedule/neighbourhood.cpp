// Finds which blocks of two neighbours match. Pure.
#include "collectives/schedule/neighbourhood.hpp"

#include "base/index.hpp"
#include "collectives/schedule/blocks.hpp"

namespace tutti::collectives {

Neighbourhood ring_of(int P, Rank rank) {
  const std::vector<Rank> both{mod(rank - 1, P), mod(rank + 1, P)};
  return {both, both, true};
}

Neighbourhood moved(const Neighbourhood& neighbours, Rank rank, Rank other) {
  Neighbourhood seen = neighbours;
  const Rank way = minus(seen.torus, other, rank);
  for (auto* const ranks : {&seen.to, &seen.from})
    for (Rank& neighbour : *ranks) neighbour = plus(seen.torus, neighbour, way);
  return seen;
}

std::vector<std::pair<int, int>> own_blocks(const Neighbourhood& neighbours, Rank rank) {
  std::vector<std::pair<int, int>> own;
  for (std::size_t i = 0; i < neighbours.to.size(); ++i)
    if (neighbours.to[i] == rank) own.push_back({static_cast<int>(i), -1});
  auto next = own.begin();
  for (std::size_t i = 0; i < neighbours.from.size() && next != own.end(); ++i) {
    const int block = neighbours.matched(static_cast<int>(i));
    if (neighbours.from[index(block)] == rank) (next++)->second = block;
  }
  own.erase(next, own.end());
  return own;
}

int source_of(const Neighbourhood& mine, Rank rank, int block, const Neighbourhood& theirs) {
  const Rank from = mine.from[index(block)];
  int before = 0;  // of the same rank
  for (int i = 0; mine.matched(i) != block; ++i)
    before += mine.from[index(mine.matched(i))] == from ? 1 : 0;
  for (std::size_t i = 0; i < theirs.to.size(); ++i)
    if (theirs.to[i] == rank && before-- == 0) return static_cast<int>(i);
  return -1;
}

}  // namespace tutti::collectives
