// Neighbourhoods of all ranks for proofs and tests: grids, and graphs that a seed draws. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

using Neighbourhoods = std::vector<Neighbourhood>;  // by rank

struct Dimension {
  int size = 1;
  bool periodic = false;
};
// As MPI_Cart_create makes it: the ranks along the last dimension follow each other.
Neighbourhoods grid_of(const std::vector<Dimension>& dimensions);

// Edges between ranks that `seed` draws, about two for each rank: some are there several times,
// some lead from a rank to itself, and some ranks have none.
Neighbourhoods random_graph(int P, std::uint32_t seed);

// The neighbours of rank 0 of a torus: each rank whose coordinates differ by one at most, in the
// order of offsets from -1 to 1 along each dimension, but for the rank itself. In short dimensions
// a rank is there several times, and so may the rank itself be.
Neighbourhood stencil_on(const Torus& torus);
// Random neighbours of rank 0 of a torus: up to 12 offsets that `seed` draws, some several times.
// The blocks come in another order than they leave.
Neighbourhood random_stencil(const Torus& torus, std::uint32_t seed);
// The neighbourhood of rank 0 of a torus, moved to each rank.
Neighbourhoods at_all_ranks(const Neighbourhood& of_rank_0);

// The most even product of so many factors, the smallest first.
Torus even_torus(int P, int dimensions);

// Gives rank 0 the neighbours around it in the most even torus of two dimensions, if the algorithm
// needs all ranks to have theirs at the same offsets. problem.rank must be 0.
void give_needed_neighbours(const Algorithm& algorithm, Problem& problem);

// The same call as all ranks make it in these neighbourhoods. `uneven`: each block has a length of
// its own, up to 600 bytes, else all have any.bytes.
std::vector<Problem> problems_in(const Neighbourhoods& neighbourhoods, const Problem& any,
                                 bool uneven);

}  // namespace tutti::collectives
