// Reads the three kinds of topologies of MPI.
#include "src/api/topology.hpp"

#include <algorithm>
#include <vector>

#include "collectives/algorithms/combining.hpp"

namespace tutti {
namespace {

using collectives::Neighbourhood;

// The dimensions of a grid, if each is closed to a ring and messages can be combined there: they
// are only where a dimension has two ranks, which are both each other's neighbours on either side.
collectives::Torus torus_of(MPI_Comm mpi, int dimensions, Neighbourhood mine) {
  const auto size = static_cast<std::size_t>(dimensions);
  std::vector<int> periodic(size), place(size);
  mine.torus.resize(size);
  int rank = 0;
  PMPI_Comm_rank(mpi, &rank);
  PMPI_Cart_get(mpi, dimensions, mine.torus.data(), periodic.data(), place.data());
  const bool is_torus = std::ranges::find(periodic, 0) == periodic.end();
  return is_torus && saves_messages(mine, rank) ? mine.torus : collectives::Torus{};
}

// Below and above along each dimension; MPI_PROC_NULL beyond a border.
Neighbourhood in_grid(MPI_Comm mpi) {
  Neighbourhood mine;
  mine.crossed = true;
  int dimensions = 0;
  PMPI_Cartdim_get(mpi, &dimensions);
  for (int dimension = 0; dimension < dimensions; ++dimension) {
    int below = MPI_PROC_NULL, above = MPI_PROC_NULL;
    PMPI_Cart_shift(mpi, dimension, 1, &below, &above);
    mine.to.insert(mine.to.end(), {below, above});
  }
  mine.from = mine.to;
  mine.torus = torus_of(mpi, dimensions, mine);
  return mine;
}

// Each neighbour is there for both directions.
Neighbourhood in_graph(MPI_Comm mpi) {
  Neighbourhood mine;
  int rank = 0, degree = 0;
  PMPI_Comm_rank(mpi, &rank);
  PMPI_Graph_neighbors_count(mpi, rank, &degree);
  mine.to.resize(static_cast<std::size_t>(degree));
  PMPI_Graph_neighbors(mpi, rank, degree, mine.to.data());
  mine.from = mine.to;
  return mine;
}

Neighbourhood in_distributed_graph(MPI_Comm mpi) {
  Neighbourhood mine;
  int in = 0, out = 0, weighted = 0;
  PMPI_Dist_graph_neighbors_count(mpi, &in, &out, &weighted);
  mine.from.resize(static_cast<std::size_t>(in));
  mine.to.resize(static_cast<std::size_t>(out));
  std::vector<int> weights(static_cast<std::size_t>(in) + static_cast<std::size_t>(out) + 1);
  PMPI_Dist_graph_neighbors(mpi, in, mine.from.data(), weights.data(), out, mine.to.data(),
                            weights.data() + in);
  return mine;
}

}  // namespace

std::optional<Neighbourhood> neighbours_in(MPI_Comm mpi) {
  std::optional<Neighbourhood> mine;
  int kind = MPI_UNDEFINED;
  PMPI_Topo_test(mpi, &kind);
  if (kind == MPI_CART) mine = in_grid(mpi);
  if (kind == MPI_GRAPH) mine = in_graph(mpi);
  if (kind == MPI_DIST_GRAPH) mine = in_distributed_graph(mpi);
  if (!mine) return mine;
  for (auto* const ranks : {&mine->to, &mine->from})
    std::ranges::replace(*ranks, MPI_PROC_NULL, collectives::kNoNeighbour);
  return mine;
}

}  // namespace tutti
