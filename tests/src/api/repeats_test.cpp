// Calls that come again: which are found, and when they are not found any more.
#include "src/api/repeats.hpp"

#include <array>

#include "src/api/stated.hpp"
#include "tests/src/api/one_rank.hpp"

using namespace tutti;
using collectives::Collective;
using tests::OneRank;

namespace {

std::array<std::byte, 64> g_data;

Plan& plan_for(Communicator& communicator, Bytes bytes) {
  return communicator.plan({.collective = Collective::bcast, .bytes = bytes});
}
// A broadcast of the communicator, noted.
Arguments note_a_broadcast(Repeats& repeats, Communicator& communicator) {
  const Arguments arguments = stated::bcast(g_data.data(), 4, MPI_INT, 0);
  Call call{};
  call.output = g_data.data();
  repeats.note(arguments, call, plan_for(communicator, 16), communicator);
  return arguments;
}

}  // namespace

TEST_CASE("the same call once more is found, with its plan and its buffers") {
  const OneRank one;
  Repeats repeats;
  const Arguments before = stated::bcast(g_data.data(), 4, MPI_INT, 0);
  CHECK_FALSE(repeats.find(before, one.communicator()));
  const Arguments call = note_a_broadcast(repeats, one.communicator());
  const auto* const found = repeats.find(call, one.communicator());
  REQUIRE(found);
  CHECK(found->plan == &plan_for(one.communicator(), 16));
  CHECK(found->call.output == g_data.data());
}

TEST_CASE("a call with another argument is not found, nor one of another collective") {
  const OneRank one;
  Repeats repeats;
  note_a_broadcast(repeats, one.communicator());
  const Communicator& communicator = one.communicator();
  CHECK_FALSE(repeats.find(stated::bcast(g_data.data(), 5, MPI_INT, 0), communicator));
  CHECK_FALSE(repeats.find(stated::bcast(g_data.data() + 1, 4, MPI_INT, 0), communicator));
  CHECK_FALSE(repeats.find(stated::bcast(g_data.data(), 4, MPI_FLOAT, 0), communicator));
  CHECK_FALSE(repeats.find(stated::barrier(), communicator));
}

TEST_CASE("each collective has a last call of its own, and only its last one") {
  const OneRank one;
  Repeats repeats;
  Communicator& communicator = one.communicator();
  const Arguments call = note_a_broadcast(repeats, communicator);
  repeats.note(stated::barrier(), {}, communicator.plan({}), communicator);
  CHECK(repeats.find(call, communicator));
  CHECK(repeats.find(stated::barrier(), communicator));
  const Arguments longer = stated::bcast(g_data.data(), 8, MPI_INT, 0);
  repeats.note(longer, {}, plan_for(communicator, 32), communicator);
  CHECK(repeats.find(longer, communicator));
  CHECK_FALSE(repeats.find(call, communicator));
}

TEST_CASE("no call is found once a plan was dropped: it may have been that one") {
  const OneRank one;
  Repeats repeats;
  const Arguments call = note_a_broadcast(repeats, one.communicator());
  const std::uint64_t dropped = one.communicator().dropped_plans();
  for (Bytes bytes = 17; one.communicator().dropped_plans() == dropped; ++bytes) {
    REQUIRE(repeats.find(call, one.communicator()));
    REQUIRE(bytes <= 17 + static_cast<Bytes>(SharedPlans::kMost));
    plan_for(one.communicator(), bytes);
  }
  CHECK_FALSE(repeats.find(call, one.communicator()));
}

TEST_CASE("no call is found once there may be memory of a GPU") {
  const OneRank one;
  Repeats repeats;
  const Arguments call = note_a_broadcast(repeats, one.communicator());
  gpu_pointer_query = [](void*, int, unsigned long long) { return 1; };
  CHECK_FALSE(repeats.find(call, one.communicator()));
  gpu_pointer_query = nullptr;
  CHECK(repeats.find(call, one.communicator()));
}
