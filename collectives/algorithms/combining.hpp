// Message combining: where all ranks of a torus have their neighbours at the same offsets, blocks
// go along one dimension after the other, and those that make the same hop go in one message. Here
// is which block goes with which; neighbours.cpp makes schedules of it. Pure.
#pragma once

#include <compare>
#include <vector>

#include "collectives/schedule/neighbourhood.hpp"

namespace tutti::collectives {

// A block on its way: its number in the input of the rank that gave it, and how far it has come.
struct Travelling {
  int block = 0;
  Rank way = 0;  // an offset
  // NOLINTNEXTLINE(modernize-use-nullptr)
  friend auto operator<=>(const Travelling&, const Travelling&) = default;
};

// A message that each rank sends to the rank at this offset. The blocks are as before the hop.
struct Hop {
  Rank offset = 0;
  std::vector<Travelling> blocks{};
};
using Phase = std::vector<Hop>;

// Each block of the output of `rank`: which one it is, and how far it comes. `one`: each rank has
// one block for all its neighbours. Requires a torus.
std::vector<Travelling> arrivals(const Neighbourhood& neighbours, Rank rank, bool one);
// A phase for each dimension along which blocks go, the last dimension first. The blocks of a
// message are in the order of the output.
std::vector<Phase> phases_of(const Torus& torus, const std::vector<Travelling>& arrivals);

// Whether a rank sends fewer messages than if it sent one to each neighbour. Requires a torus.
bool saves_messages(const Neighbourhood& neighbours, Rank rank);

// The tori of as many ranks on which combining would save messages if all had their neighbours at
// the offsets at which rank 0 has them: those of at most three dimensions, the fewest messages
// first.
std::vector<Torus> likely_tori(const Neighbourhood& of_rank_0, int P);

}  // namespace tutti::collectives
