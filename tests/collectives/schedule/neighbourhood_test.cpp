// Which blocks of neighbours match, and how long their buffers are.
#include "collectives/schedule/neighbourhood.hpp"

#include <catch2/catch.hpp>

#include "collectives/schedule/problem.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

using Pairs = std::vector<std::pair<int, int>>;

}  // namespace

TEST_CASE("in a ring of two both neighbours are the other rank, and directions stay apart") {
  const Neighbourhood mine = ring_of(2, 0), other = ring_of(2, 1);
  CHECK(mine.to == std::vector<Rank>{1, 1});
  // The other rank's block upwards comes from below, and the other way round.
  CHECK(source_of(mine, 0, 0, other) == 1);
  CHECK(source_of(mine, 0, 1, other) == 0);
}

TEST_CASE("in a ring of three each block comes from another rank") {
  CHECK(source_of(ring_of(3, 1), 1, 0, ring_of(3, 0)) == 1);
  CHECK(source_of(ring_of(3, 1), 1, 1, ring_of(3, 2)) == 0);
  CHECK(own_blocks(ring_of(3, 1), 1).empty());
}

TEST_CASE("what a rank alone in its ring sends down comes from above") {
  CHECK(own_blocks(ring_of(1, 0), 0) == Pairs{{0, 1}, {1, 0}});
  CHECK(source_of(ring_of(1, 0), 0, 1, ring_of(1, 0)) == 0);
}

TEST_CASE("several edges between two ranks match in their order") {
  const Neighbourhood mine{{1, 0, 1}, {1, 0, 0, 1}}, other{{0, 1, 0}, {0, 0, 1}};
  CHECK(source_of(mine, 0, 0, other) == 0);
  CHECK(source_of(mine, 0, 3, other) == 2);
  CHECK(source_of(other, 1, 1, mine) == 2);
  // The second one of the rank's own has no end.
  CHECK(own_blocks(mine, 0) == Pairs{{1, 1}});
  CHECK(source_of(mine, 0, 2, mine) == -1);
}

TEST_CASE("buffers have a block for each neighbour") {
  Problem problem{{.collective = Collective::neighbor_alltoall, .bytes = 8}, 9};
  problem.neighbours = Neighbourhood{{1, 2, kNoNeighbour}, {3, 3}};
  CHECK(user_buffers(problem).input == 24);
  CHECK(user_buffers(problem).output == 16);
  problem.collective = Collective::neighbor_allgather;
  CHECK(user_buffers(problem).input == 8);
  problem.counts = {5};
  problem.receive_counts = {1, 7};
  CHECK(user_buffers(problem).input == 5);
  CHECK(user_buffers(problem).output == 8);
  CHECK(blocks_in(Buffer::output, problem)[1] == Slice{Buffer::output, 1, 7});
  problem.neighbours = Neighbourhood{};
  problem.counts = problem.receive_counts = {};
  CHECK(user_buffers(problem).output == 0);
}

TEST_CASE("without a neighbourhood the ranks are a ring") {
  const Problem problem{{.collective = Collective::neighbor_alltoall}, 5, 4};
  CHECK(neighbours_of(problem) == ring_of(5, 4));
  CHECK(ring_of(5, 4).from == std::vector<Rank>{3, 0});
}
