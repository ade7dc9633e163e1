// The entry of a port's table of partitions.
#include "transport/verbs/device/device.hpp"

#include <catch2/catch.hpp>

using tutti::transport::verbs::pkey_index_of;

TEST_CASE("a partition is joined as a full member if possible", "[verbs]") {
  const std::vector<std::uint16_t> table{0x7fff, 0x0001, 0, 0x8001, 0x0002};
  CHECK(pkey_index_of(table, 0x8001) == 3);
  CHECK(pkey_index_of(table, 0x0001) == 3);
  CHECK(pkey_index_of(table, 0x8002) == 4);
  CHECK(pkey_index_of(table, 0xffff) == 0);
  CHECK_FALSE(pkey_index_of(table, 0x8003));
  // Any partition: two limited members could not talk to each other.
  CHECK(pkey_index_of(table, 0) == 3);
  CHECK_FALSE(pkey_index_of(std::span(table).first(3), 0));
}
