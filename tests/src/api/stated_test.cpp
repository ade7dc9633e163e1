// Each function of the C API states its arguments at the right places: all values here differ, and
// stand in the order of the function's parameters.
#include "src/api/stated.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using collectives::Collective;

namespace {

const int g_sent = 0;
int g_received = 0;
constexpr MPI_Count kSent = 3, kReceived = 5;
constexpr int kRoot = 7;
const MPI_Count g_send_counts[] = {1}, g_send_places[] = {2};
const MPI_Count g_receive_counts[] = {3}, g_receive_places[] = {4};
const MPI_Datatype g_send_types[] = {MPI_CHAR}, g_receive_types[] = {MPI_SHORT};

bool is_empty(const Side& side) {
  return !side.buffer && side.count == 0 && side.type == MPI_Datatype{} && !side.counts &&
         !side.displacements && !side.types;
}
// The sides of a collective that moves data, all of one length.
void check_plain(const Arguments& a) {
  CHECK_FALSE(a.by_rank);
  CHECK_FALSE(a.own_types);
  for (const Side* const side : {&a.send, &a.receive})
    CHECK((!side->counts && !side->displacements && !side->types));
  CHECK(a.send.buffer == &g_sent);
  CHECK(a.send.count == kSent);
  CHECK(a.send.type == MPI_INT);
  CHECK(a.receive.buffer == &g_received);
  CHECK(a.receive.count == kReceived);
  CHECK(a.receive.type == MPI_DOUBLE);
}
void check_side_by_rank(const Side& side, const void* buffer, const MPI_Count* counts,
                        const MPI_Count* places) {
  CHECK(side.buffer == buffer);
  CHECK(side.count == 0);
  CHECK(side.counts == counts);
  CHECK(side.displacements == places);
}
void check_both_by_rank(const Arguments& a) {
  CHECK(a.by_rank);
  check_side_by_rank(a.send, &g_sent, g_send_counts, g_send_places);
  check_side_by_rank(a.receive, &g_received, g_receive_counts, g_receive_places);
}
void check_reduction(const Arguments& a, Collective collective) {
  CHECK(a.collective == collective);
  CHECK(a.send.buffer == &g_sent);
  CHECK(a.send.type == MPI_INT);
  CHECK(a.receive.buffer == &g_received);
  CHECK(a.receive.count == 0);
  CHECK(a.operation == MPI_PROD);
  CHECK_FALSE(a.own_types);
}

}  // namespace

TEST_CASE("a barrier has no sides, and a broadcast one that receives") {
  const Arguments barrier = stated::barrier();
  CHECK(barrier.collective == Collective::barrier);
  CHECK(is_empty(barrier.send));
  CHECK(is_empty(barrier.receive));

  const Arguments bcast = stated::bcast(&g_received, kReceived, MPI_DOUBLE, kRoot);
  CHECK(bcast.collective == Collective::bcast);
  CHECK(is_empty(bcast.send));
  CHECK(bcast.receive.buffer == &g_received);
  CHECK(bcast.receive.count == kReceived);
  CHECK(bcast.receive.type == MPI_DOUBLE);
  CHECK(bcast.root == kRoot);
}

TEST_CASE("collectives of equal blocks have a length on either side") {
  const std::pair<Collective, Arguments> calls[] = {
      {Collective::scatter,
       stated::scatter(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE, kRoot)},
      {Collective::gather,
       stated::gather(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE, kRoot)},
      {Collective::allgather,
       stated::allgather(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE)},
      {Collective::alltoall,
       stated::alltoall(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE)},
      {Collective::neighbor_allgather,
       stated::neighbor_allgather(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE)},
      {Collective::neighbor_alltoall,
       stated::neighbor_alltoall(&g_sent, kSent, MPI_INT, &g_received, kReceived, MPI_DOUBLE)}};
  for (const auto& [collective, a] : calls) {
    INFO(collectives::name_of(collective));
    CHECK(a.collective == collective);
    check_plain(a);
    CHECK(a.root == (collectives::is_rooted(collective) ? kRoot : 0));
  }
}

TEST_CASE("the forms with counts by rank have them on one side, or on both") {
  const Arguments scatter = stated::scatterv(&g_sent, g_send_counts, g_send_places, MPI_INT,
                                             &g_received, kReceived, MPI_DOUBLE, kRoot);
  CHECK(scatter.collective == Collective::scatter);
  CHECK(scatter.by_rank);
  check_side_by_rank(scatter.send, &g_sent, g_send_counts, g_send_places);
  CHECK(scatter.send.type == MPI_INT);
  CHECK(scatter.receive.count == kReceived);
  CHECK(scatter.receive.type == MPI_DOUBLE);
  CHECK(scatter.root == kRoot);

  for (const auto& [collective, a] :
       {std::pair{Collective::gather,
                  stated::gatherv(&g_sent, kSent, MPI_INT, &g_received, g_receive_counts,
                                  g_receive_places, MPI_DOUBLE, kRoot)},
        std::pair{Collective::allgather,
                  stated::allgatherv(&g_sent, kSent, MPI_INT, &g_received, g_receive_counts,
                                     g_receive_places, MPI_DOUBLE)},
        std::pair{Collective::neighbor_allgather,
                  stated::neighbor_allgatherv(&g_sent, kSent, MPI_INT, &g_received,
                                              g_receive_counts, g_receive_places, MPI_DOUBLE)}}) {
    INFO(collectives::name_of(collective));
    CHECK(a.collective == collective);
    CHECK(a.by_rank);
    check_side_by_rank(a.receive, &g_received, g_receive_counts, g_receive_places);
    CHECK(a.receive.type == MPI_DOUBLE);
    CHECK(a.send.count == kSent);
    CHECK(a.send.type == MPI_INT);
    CHECK(a.root == (collective == Collective::gather ? kRoot : 0));
  }

  for (const auto& [collective, a] :
       {std::pair{Collective::alltoall,
                  stated::alltoallv(&g_sent, g_send_counts, g_send_places, MPI_INT, &g_received,
                                    g_receive_counts, g_receive_places, MPI_DOUBLE)},
        std::pair{
            Collective::neighbor_alltoall,
            stated::neighbor_alltoallv(&g_sent, g_send_counts, g_send_places, MPI_INT, &g_received,
                                       g_receive_counts, g_receive_places, MPI_DOUBLE)}}) {
    INFO(collectives::name_of(collective));
    CHECK(a.collective == collective);
    CHECK_FALSE(a.own_types);
    check_both_by_rank(a);
    CHECK(a.send.type == MPI_INT);
    CHECK(a.receive.type == MPI_DOUBLE);
  }
}

TEST_CASE("the forms with types by rank have no common type") {
  for (const auto& [collective, a] :
       {std::pair{
            Collective::alltoall,
            stated::alltoallw(&g_sent, g_send_counts, g_send_places, g_send_types, &g_received,
                              g_receive_counts, g_receive_places, g_receive_types)},
        std::pair{Collective::neighbor_alltoall,
                  stated::neighbor_alltoallw(&g_sent, g_send_counts, g_send_places, g_send_types,
                                             &g_received, g_receive_counts, g_receive_places,
                                             g_receive_types)}}) {
    INFO(collectives::name_of(collective));
    CHECK(a.collective == collective);
    CHECK(a.own_types);
    check_both_by_rank(a);
    CHECK(a.send.types == g_send_types);
    CHECK(a.receive.types == g_receive_types);
    CHECK(a.send.type == MPI_Datatype{});
    CHECK(a.receive.type == MPI_Datatype{});
  }
}

TEST_CASE("reductions have their count and type on the side that sends") {
  const Arguments reduce = stated::reduce(&g_sent, &g_received, kSent, MPI_INT, MPI_PROD, kRoot);
  check_reduction(reduce, Collective::reduce);
  CHECK(reduce.root == kRoot);
  for (const auto& [collective, a] :
       {std::pair{Collective::reduce, reduce},
        std::pair{Collective::allreduce,
                  stated::allreduce(&g_sent, &g_received, kSent, MPI_INT, MPI_PROD)},
        std::pair{Collective::reduce_scatter,
                  stated::reduce_scatter_block(&g_sent, &g_received, kSent, MPI_INT, MPI_PROD)},
        std::pair{Collective::scan, stated::scan(&g_sent, &g_received, kSent, MPI_INT, MPI_PROD)},
        std::pair{Collective::exscan,
                  stated::exscan(&g_sent, &g_received, kSent, MPI_INT, MPI_PROD)}}) {
    INFO(collectives::name_of(collective));
    check_reduction(a, collective);
    CHECK(a.send.count == kSent);
    CHECK_FALSE(a.by_rank);
  }
  const Arguments by_rank =
      stated::reduce_scatter(&g_sent, &g_received, g_receive_counts, MPI_INT, MPI_PROD);
  check_reduction(by_rank, Collective::reduce_scatter);
  CHECK(by_rank.by_rank);
  CHECK(by_rank.receive.counts == g_receive_counts);
  CHECK(by_rank.common_counts() == g_receive_counts);
}
