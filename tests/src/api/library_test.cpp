// The boundary: what guard() makes of what is thrown inside, and handles that are no communicators.
#include "src/api/library.hpp"

#include <stdexcept>

#include "tests/src/api/one_rank.hpp"

using namespace tutti;
using tests::check_error;
using tests::OneRank;

TEST_CASE("guard() runs its body, and returns a code for whatever that throws") {
  bool ran = false;
  CHECK(guard([&](Library& state) { ran = &state == library(); }) == TUTTI_SUCCESS);
  CHECK(ran);
  CHECK(guard([](Library&) { throw Error(Code::bad_count, "a count is wrong"); }) ==
        TUTTI_ERR_COUNT);
  CHECK(guard([](Library&) { throw std::bad_alloc(); }) == TUTTI_ERR_NO_MEMORY);
  CHECK(guard([](Library&) { throw std::logic_error("a mistake"); }) == TUTTI_ERR_INTERNAL);
  CHECK(guard([](Library&) { throw 5; }) == TUTTI_ERR_INTERNAL);
  // The lock was given back each time.
  CHECK(guard([](Library&) {}) == TUTTI_SUCCESS);
}

TEST_CASE("the library keeps as much scratch memory as the setting says") {
  constexpr Bytes kLimit = 1 << 20, kEach = kLimit / 2;  // one_rank.cpp sets it
  constexpr ScratchUse kUse{0, "of scratch"};
  ScratchPool& pool = library()->scratch;
  std::vector<ScratchMemory> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool.take(kEach, kUse));
  for (ScratchMemory& block : blocks) pool.give_back(std::move(block));
  CHECK(pool.kept() <= kLimit);
  CHECK(pool.kept() > kEach);  // more than the last block, which would stay in any case
}

TEST_CASE("guard() refuses functions that Tutti has called") {
  bool ran = false;
  const Callback callback;
  CHECK(guard([&](Library&) { ran = true; }) == TUTTI_ERR_UNSUPPORTED);
  CHECK_FALSE(ran);
}

TEST_CASE("a handle that is null, was freed, or is something else is no communicator") {
  OneRank one;
  tutti_comm_object* const object = one.get();
  CHECK(&communicator_of(object) == &one.communicator());
  one.free();
  check_error(Code::bad_communicator, "", [&] { communicator_of(object); });
  check_error(Code::bad_communicator, "", [] { communicator_of(TUTTI_COMM_NULL); });
  tutti_comm_object other;
  other.magic = 1;
  check_error(Code::bad_communicator, "", [&] { communicator_of(&other); });
}
