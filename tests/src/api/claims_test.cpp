// The names of calls, as the functions of the C API have them.
#include "src/api/claims.hpp"

#include <catch2/catch.hpp>

#include "src/api/stated.hpp"

using namespace tutti;
using collectives::Collective;

TEST_CASE("a call has the name of its function") {
  const auto name = [](Collective collective, bool by_rank, bool own_types = false) {
    return name_of(Arguments{.collective = collective, .by_rank = by_rank, .own_types = own_types});
  };
  CHECK(name(Collective::barrier, false) == "barrier");
  CHECK(name(Collective::scatter, false) == "scatter");
  CHECK(name(Collective::scatter, true) == "scatterv");
  CHECK(name(Collective::gather, true) == "gatherv");
  CHECK(name(Collective::allgather, true) == "allgatherv");
  CHECK(name(Collective::alltoall, false) == "alltoall");
  CHECK(name(Collective::alltoall, true) == "alltoallv");
  CHECK(name(Collective::alltoall, true, true) == "alltoallw");
  CHECK(name(Collective::neighbor_alltoall, true, true) == "neighbor_alltoallw");
  CHECK(name(Collective::neighbor_allgather, true) == "neighbor_allgatherv");
  // The one with equal blocks has the longer name in MPI.
  CHECK(name(Collective::reduce_scatter, true) == "reduce_scatter");
  CHECK(name(Collective::reduce_scatter, false) == "reduce_scatter_block");
  CHECK(name(Collective::exscan, false) == "exscan");
}
