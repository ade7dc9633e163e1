// Messages that were set aside: found in the order of their arrival, and dropped by their names.
#include "protocols/aside.hpp"

#include <catch2/catch.hpp>
#include <cstring>

using namespace tutti;
using transport::Ring;
using transport::Trailer;

TEST_CASE("messages set aside are found in order, and dropped with their communicator", "[aside]") {
  protocols::Aside aside;
  const auto keep = [&](Ring ring, CommunicatorId id, std::uint64_t payload) {
    const Trailer trailer{{id, 0, 0}, transport::Length(sizeof payload), 0, 0};
    return aside.keep(ring, trailer, reinterpret_cast<const std::byte*>(&payload));
  };
  const auto payload = [](const Trailer* trailer) {
    std::uint64_t value;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(trailer) - sizeof value, sizeof value);
    return value;
  };
  for (const std::uint64_t value : {1, 2}) REQUIRE(keep(Ring::eager, 5, value));
  REQUIRE(keep(Ring::eager, 6, 3));
  REQUIRE(keep(Ring::small, 5, 4));
  CHECK(aside.find(Ring::line, {5, 0, 0}) == nullptr);
  CHECK(aside.find(Ring::eager, {5, 1, 0}) == nullptr);
  const Trailer* first = aside.find(Ring::eager, {5, 0, 0});
  REQUIRE(first != nullptr);
  CHECK(payload(first) == 1);
  const Trailer elsewhere{};
  CHECK_FALSE(aside.release(&elsewhere));
  CHECK(payload(aside.find(Ring::eager, {5, 0, 0})) == 1);
  CHECK(aside.release(first));
  CHECK(payload(aside.find(Ring::eager, {5, 0, 0})) == 2);
  CHECK(aside.drop(Ring::eager, [](const MessageName& name) { return name.communicator == 5; }) ==
        1);
  CHECK(aside.find(Ring::eager, {5, 0, 0}) == nullptr);
  CHECK(payload(aside.find(Ring::eager, {6, 0, 0})) == 3);
  CHECK(payload(aside.find(Ring::small, {5, 0, 0})) == 4);
}
