// Which blocking calls are remembered, to be started again without a look at their arguments.
#include "src/api/collective.hpp"

#include <array>

#include "src/api/stated.hpp"
#include "tests/src/api/one_rank.hpp"
#include "tests/src/data/types.hpp"

using namespace tutti;
using tests::OneRank;

namespace {

std::array<int, 8> g_from{1, 2, 3, 4, 5, 6, 7, 8}, g_to;

bool remembers(const OneRank& one, const Arguments& arguments) {
  return one.object().repeats->find(arguments, one.communicator()) != nullptr;
}

}  // namespace

TEST_CASE("a call on plain buffers is remembered, and does the same once more") {
  const OneRank one;
  const Arguments call = stated::allgather(g_from.data(), 8, MPI_INT, g_to.data(), 8, MPI_INT);
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(remembers(one, call) == (turn > 0));
    g_to.fill(0);
    g_from[0] = turn;
    REQUIRE(blocking(one.get(), call) == TUTTI_SUCCESS);
    CHECK(g_to == g_from);
  }
}

TEST_CASE("a call whose arguments may mean something else later is not remembered") {
  const OneRank one;
  const tests::Type gaps(tests::every_other_int());
  const Arguments derived = stated::allgather(g_from.data(), 1, gaps, g_to.data(), 2, MPI_INT);
  REQUIRE(blocking(one.get(), derived) == TUTTI_SUCCESS);
  CHECK_FALSE(remembers(one, derived));

  const MPI_Count counts[] = {8};
  const Arguments by_rank =
      stated::allgatherv(g_from.data(), 8, MPI_INT, g_to.data(), counts, nullptr, MPI_INT);
  REQUIRE(blocking(one.get(), by_rank) == TUTTI_SUCCESS);
  CHECK_FALSE(remembers(one, by_rank));

  MPI_Op operation = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &operation);
  const Arguments own = stated::allreduce(g_from.data(), g_to.data(), 8, MPI_INT, operation);
  REQUIRE(blocking(one.get(), own) == TUTTI_SUCCESS);
  CHECK_FALSE(remembers(one, own));
  MPI_Op_free(&operation);
}

TEST_CASE("a call with a derived datatype is remembered once the form of that is kept") {
  const OneRank one;
  const tests::Type gaps(tests::every_other_int());
  std::array<int, 8> to{};
  const Arguments out = stated::allgather(g_from.data(), 4, MPI_INT, to.data(), 2, gaps);
  int remembered = 0;
  for (int turn = 0; turn < 8; ++turn) {
    to.fill(-1);
    for (int& number : g_from) number += 10;
    remembered += remembers(one, out);
    REQUIRE(blocking(one.get(), out) == TUTTI_SUCCESS);
    CHECK(to == std::array{g_from[0], -1, g_from[1], g_from[2], -1, g_from[3], -1, -1});
  }
  CHECK(remembered > 3);
}

TEST_CASE("a remembered call is looked at anew once a type is freed, which may have been its own") {
  const OneRank one;
  std::array<int, 8> to{};
  int remembered = 0;
  for (int stride = 1; stride < 6; ++stride) {
    MPI_Datatype type = MPI_DATATYPE_NULL;  // mostly the handle of the last one
    MPI_Type_vector(2, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
    const Arguments in = stated::allgather(g_from.data(), 1, type, to.data(), 2, MPI_INT);
    CHECK_FALSE(remembers(one, in));
    for (int turn = 0; turn < 20; ++turn) {
      to.fill(-1);
      ++g_from[static_cast<std::size_t>(stride)];
      remembered += remembers(one, in);
      REQUIRE(blocking(one.get(), in) == TUTTI_SUCCESS);
      CHECK(to[0] == g_from[0]);
      CHECK(to[1] == g_from[static_cast<std::size_t>(stride)]);
      CHECK(to[2] == -1);
    }
    MPI_Type_free(&type);
  }
  CHECK(remembered > 20);
}

TEST_CASE("a call that is wrong returns its code, says which call it was, and is not remembered") {
  const OneRank one;
  const Arguments call = stated::bcast(g_to.data(), 8, MPI_INT, 3);
  CHECK(blocking(one.get(), call) == TUTTI_ERR_ROOT);
  CHECK_THAT(tutti_last_error_message(), Catch::Contains("bcast"));
  CHECK_FALSE(remembers(one, call));
}
