// The parts of distributed arrays, compared with a look at each element.
#include "src/data/distributed_array.hpp"

#include <mpi.h>

#include <catch2/catch.hpp>
#include <vector>

using namespace tutti;

namespace {

// As Constructor has the numbers of an array of one dimension.
std::vector<Bytes> line(Bytes processes, Bytes rank, Bytes kind, Bytes block, Bytes size) {
  return {processes, rank, 1, kind, block, processes, MPI_ORDER_C, size};
}

std::vector<Bytes> elements_of(const DistributedDimension& d) {
  std::vector<Bytes> all;
  for (Bytes b = 0; b < d.blocks; ++b)
    for (Bytes i = 0; i < d.block; ++i) all.push_back(d.first + b * d.step + i);
  for (Bytes i = 0; i < d.rest; ++i) all.push_back(d.first + d.blocks * d.step + i);
  return all;
}

}  // namespace

TEST_CASE("each element of a distributed array belongs to one process", "[distributed_array]") {
  const Bytes none_given = MPI_DISTRIBUTE_DFLT_DARG;
  for (const Bytes kind : {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC})
    for (Bytes size = 1; size < 20; ++size)
      for (Bytes processes = 1; processes < 7; ++processes)
        for (Bytes given = 0; given < 25; ++given) {
          const Bytes fair = (size + processes - 1) / processes;
          if (kind == MPI_DISTRIBUTE_BLOCK && given != 0 && given < fair) continue;  // MPI's error
          const Bytes block = given != 0 ? given : kind == MPI_DISTRIBUTE_BLOCK ? fair : 1;
          for (Bytes rank = 0; rank < processes; ++rank) {
            const auto n = line(processes, rank, kind, given == 0 ? none_given : given, size);
            const DistributedArray array(n);
            REQUIRE(array.valid());
            std::vector<Bytes> expected;
            for (Bytes i = 0; i < size; ++i)
              if (i / block % processes == rank) expected.push_back(i);
            REQUIRE(elements_of(array.dimension(0)) == expected);
            REQUIRE(array.dimension(0).elements() == static_cast<Bytes>(expected.size()));
          }
        }
}

TEST_CASE("the grid of a distributed array is in C's order, whatever its own is",
          "[distributed_array]") {
  for (const Bytes order : {MPI_ORDER_C, MPI_ORDER_FORTRAN}) {
    // 6 processes as 2 times 3, of 2 times 3 elements; rank 5 has the last of both.
    const std::vector<Bytes> n{6,     5, 2, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK, 1, 1, 2, 3,
                               order, 2, 3};
    const DistributedArray array(n);
    REQUIRE(array.valid());
    REQUIRE(array.dimensions() == 2);
    const DistributedDimension fastest = array.dimension(0);
    CHECK(fastest.size == (order == MPI_ORDER_C ? 3 : 2));
    CHECK(fastest.first == fastest.size - 1);
    CHECK(fastest.elements() == 1);
  }
}

TEST_CASE("numbers that make no sense are not an array", "[distributed_array]") {
  const auto valid = [](const std::vector<Bytes>& n) { return DistributedArray(n).valid(); };
  CHECK(valid(line(2, 1, MPI_DISTRIBUTE_BLOCK, 3, 5)));
  CHECK_FALSE(valid({}));
  CHECK_FALSE(valid({2, 1, 1}));
  CHECK_FALSE(valid({2, 1, 2, MPI_DISTRIBUTE_BLOCK, 3, 2, MPI_ORDER_C, 5}));
  CHECK_FALSE(valid(line(0, 0, MPI_DISTRIBUTE_BLOCK, 3, 5)));
  CHECK_FALSE(valid(line(2, 2, MPI_DISTRIBUTE_BLOCK, 3, 5)));
  CHECK_FALSE(valid(line(2, 1, MPI_DISTRIBUTE_BLOCK, 0, 5)));
  CHECK_FALSE(valid(line(2, 1, MPI_DISTRIBUTE_BLOCK, 3, 0)));
}
