// Neighbours as MPI's three kinds of topologies have them; one rank is its own neighbour.
#include "src/api/topology.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace tutti;
using collectives::kNoNeighbour;
using Ranks = std::vector<Rank>;

namespace {

// The neighbourhood in a communicator, which is freed.
collectives::Neighbourhood in(MPI_Comm mpi) {
  const auto found = neighbours_in(mpi);
  REQUIRE(found);
  MPI_Comm_free(&mpi);
  return *found;
}
collectives::Neighbourhood in_grid_of(int dimensions, const int* periodic) {
  const int ones[] = {1, 1, 1};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_SELF, dimensions, ones, periodic, 0, &grid);
  return in(grid);
}

}  // namespace

TEST_CASE("a communicator without a topology has no neighbours") {
  CHECK_FALSE(neighbours_in(MPI_COMM_SELF));
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_SELF, &copy);
  CHECK_FALSE(neighbours_in(copy));
  MPI_Comm_free(&copy);
}

TEST_CASE("a grid has two neighbours along each dimension, and none beyond its border") {
  const int closed[] = {1, 1, 1}, open[] = {0, 0, 0}, mixed[] = {1, 0, 1};
  const auto ring = in_grid_of(1, closed);
  CHECK(ring.to == Ranks{0, 0});
  CHECK(ring.from == ring.to);
  CHECK(ring.crossed);
  CHECK(in_grid_of(1, open).to == Ranks{kNoNeighbour, kNoNeighbour});
  CHECK(in_grid_of(3, mixed).to == Ranks{0, 0, kNoNeighbour, kNoNeighbour, 0, 0});
  CHECK(in_grid_of(3, mixed).torus.empty());  // a dimension is open
}

TEST_CASE("a graph has each neighbour in both directions") {
  const int degrees[] = {2}, edges[] = {0, 0};
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_SELF, 1, degrees, edges, 0, &graph);
  const auto found = in(graph);
  CHECK(found.to == Ranks{0, 0});
  CHECK(found.from == Ranks{0, 0});
  CHECK_FALSE(found.crossed);
  CHECK(found.torus.empty());
}

TEST_CASE("a distributed graph has sources and destinations of its own, in MPI's order") {
  const int own[] = {0, 0, 0};
  const int none[] = {0};
  const auto graph_of = [&](int in_degree, int out_degree) {
    MPI_Comm graph = MPI_COMM_NULL;
    MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, in_degree, in_degree != 0 ? own : none,
                                   MPI_UNWEIGHTED, out_degree, out_degree != 0 ? own : none,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    return in(graph);
  };
  CHECK(graph_of(3, 1).from == Ranks{0, 0, 0});
  CHECK(graph_of(3, 1).to == Ranks{0});
  CHECK(graph_of(0, 2).from.empty());
  CHECK(graph_of(0, 2).to == Ranks{0, 0});
}
