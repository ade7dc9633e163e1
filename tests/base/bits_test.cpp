// Powers of two, and rounding up.
#include "base/bits.hpp"

#include <catch2/catch.hpp>

using namespace tutti;

TEST_CASE("powers of two", "[bits]") {
  for (const std::int64_t yes : {1, 2, 4, 64, 1 << 30}) CHECK(is_power_of_two(yes));
  for (const std::int64_t no : {-4, -1, 0, 3, 6, (1 << 30) + 1}) CHECK_FALSE(is_power_of_two(no));
  CHECK(is_power_of_two(std::int64_t{1} << 62));
}

TEST_CASE("rounding up", "[bits]") {
  CHECK(round_up(0, 64) == 0);
  CHECK(round_up(1, 64) == 64);
  CHECK(round_up(64, 64) == 64);
  CHECK(round_up(65, 64) == 128);
  CHECK(round_up(7, 3) == 9);
}
