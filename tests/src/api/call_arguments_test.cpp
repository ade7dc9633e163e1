// The arguments of a call: when two calls are equal, and what can be asked of one.
#include "src/api/call_arguments.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using collectives::Collective;

namespace {

const int g_one = 1, g_two = 2;
const MPI_Count g_lengths[] = {1, 2};

Arguments some_scatter() {
  return {.collective = Collective::scatter,
          .send = {.buffer = &g_one, .count = 4, .type = MPI_INT},
          .receive = {.buffer = &g_two, .count = 2, .type = MPI_DOUBLE},
          .root = 1,
          .operation = MPI_SUM};
}

}  // namespace

TEST_CASE("calls are equal if every argument is") {
  CHECK(are_equal(some_scatter(), some_scatter()));
  const std::pair<const char*, void (*)(Arguments&)> changes[] = {
      {"collective", [](Arguments& a) { a.collective = Collective::gather; }},
      {"root", [](Arguments& a) { a.root = 0; }},
      {"operation", [](Arguments& a) { a.operation = MPI_MAX; }},
      {"send buffer", [](Arguments& a) { a.send.buffer = &g_two; }},
      {"send count", [](Arguments& a) { a.send.count = 5; }},
      {"send count beyond 32 bits", [](Arguments& a) { a.send.count += MPI_Count{1} << 32; }},
      {"send type", [](Arguments& a) { a.send.type = MPI_FLOAT; }},
      {"receive buffer", [](Arguments& a) { a.receive.buffer = &g_one; }},
      {"receive count", [](Arguments& a) { a.receive.count = 3; }},
      {"receive type", [](Arguments& a) { a.receive.type = MPI_INT; }},
  };
  for (const auto& [what, change] : changes) {
    INFO(what);
    Arguments changed = some_scatter();
    change(changed);
    CHECK_FALSE(are_equal(some_scatter(), changed));
    CHECK_FALSE(are_equal(changed, some_scatter()));
  }
}

TEST_CASE("a call is in place by either of its buffers") {
  Arguments call = some_scatter();
  CHECK_FALSE(call.in_place());
  call.receive.buffer = MPI_IN_PLACE;
  CHECK(call.in_place());
  call = some_scatter();
  call.send.buffer = MPI_IN_PLACE;
  CHECK(call.in_place());
}

TEST_CASE("counts by rank are common to all ranks in an allgather and a reduce-scatter only") {
  for (const Collective collective :
       {Collective::barrier, Collective::bcast, Collective::scatter, Collective::gather,
        Collective::allgather, Collective::alltoall, Collective::reduce_scatter,
        Collective::neighbor_allgather, Collective::neighbor_alltoall}) {
    INFO(collectives::name_of(collective));
    const Arguments call{.collective = collective,
                         .by_rank = true,
                         .send = {.counts = g_lengths + 1},
                         .receive = {.counts = g_lengths}};
    const bool common =
        collective == Collective::allgather || collective == Collective::reduce_scatter;
    CHECK(call.common_counts() == (common ? g_lengths : nullptr));
  }
}
