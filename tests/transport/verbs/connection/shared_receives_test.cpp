// The owners of shared receives, and devices that have none.
#include "transport/verbs/connection/shared_receives.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport::verbs;

namespace {

Device any_device() {
  return {{}, [](std::string_view) {}};
}

}  // namespace

TEST_CASE("a queue pair that shares receives is found by its number", "[verbs]") {
  const tests::FakeVerbs fake;
  const Device device = any_device();
  constexpr int kRanks = 5;  // 16 places
  SharedReceives shared(device, kRanks);
  CHECK(shared.queue());
  CHECK(shared.room() == 1024);
  // All of them begin at the same place, the last one: the next ones follow from the first.
  for (int peer = 0; peer < kRanks; ++peer)
    shared.add(15 + 16 * static_cast<std::uint32_t>(peer), peer);
  for (int peer = 0; peer < kRanks; ++peer)
    CHECK(shared.peer_of(15 + 16 * static_cast<std::uint32_t>(peer)) == peer);
  for (const std::uint32_t stranger : {0u, 1u, 14u, 15u + 16 * kRanks, 0xffffffu})
    CHECK(shared.peer_of(stranger) == kNoPeer);
}

TEST_CASE("a number that is given once more is that of the new peer", "[verbs]") {
  const tests::FakeVerbs fake;
  const Device device = any_device();
  SharedReceives shared(device, 2);
  shared.add(4, 0);
  shared.add(8, 1);
  shared.add(4, 1);
  CHECK(shared.peer_of(4) == 1);
  CHECK(shared.peer_of(8) == 1);
}

TEST_CASE("receives that were used up come back in batches", "[verbs]") {
  tests::FakeVerbs fake;
  const Device device = any_device();
  SharedReceives shared(device, 2);
  fake.refuse("ibv_post_recv", ENOMEM);
  int replaced = 0;
  while (shared.replace_one()) ++replaced;
  CHECK(replaced == 15);
}

TEST_CASE("a device without shared receive queues is done without", "[verbs]") {
  tests::FakeVerbs fake;
  ibv_device_attr& limits = fake[0].limits;
  SECTION("it has none") { limits.max_srq = 0; }
  SECTION("they are too short") { limits.max_srq_wr = 1023; }
  SECTION("completion queues are too short for them") { limits.max_cqe = 2047; }
  SECTION("it makes none") { fake.refuse("ibv_create_srq", ENOMEM); }
  SECTION("it takes no receives") { fake.refuse("ibv_post_recv", EINVAL); }
  const Device device = any_device();
  const int before = fake.alive();
  const SharedReceives shared(device, 2);
  CHECK_FALSE(shared.queue());
  CHECK(shared.room() == 0);
  CHECK(fake.alive() == before);
}

TEST_CASE("refused receives leave the device's reason", "[verbs]") {
  tests::FakeVerbs fake;
  const Device device = any_device();
  ibv_srq_init_attr wanted{};
  wanted.attr = {64, 1, 0};
  const std::unique_ptr<ibv_srq, Releaser<ibv_destroy_srq>> queue(
      ibv_create_srq(device.pd(), &wanted));
  REQUIRE(queue);
  fake.refuse("ibv_post_recv", EINVAL);
  errno = 0;
  try {
    const Receives receives(queue.get(), 16);
    FAIL("they were accepted");
  } catch (const Error& error) {
    CHECK(error.system_errno == EINVAL);
  }
}
