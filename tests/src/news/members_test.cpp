// Members of a communicator, and this rank among them.
#include "src/news/members.hpp"

#include <catch2/catch.hpp>

using tutti::Members;

TEST_CASE("members are those of the list, in its order", "[members]") {
  const Members members(7, 2, {13, 12, 11, 10});
  CHECK(members.id() == 7);
  CHECK(members.size() == 4);
  CHECK(members.rank() == 2);
  CHECK(members.world_rank() == 11);
  CHECK(members.world_ranks() == std::vector{13, 12, 11, 10});
  for (const int world_rank : {10, 11, 12, 13}) CHECK(members.has(world_rank));
  for (const int world_rank : {-1, 0, 9, 14}) CHECK_FALSE(members.has(world_rank));
}

TEST_CASE("a communicator gets its number and its name later", "[members]") {
  Members members(0, 0, {5});
  CHECK(members.name().empty());
  members.set_id(3);
  members.set_name("solver");
  CHECK(members.id() == 3);
  CHECK(members.name() == "solver");
}
