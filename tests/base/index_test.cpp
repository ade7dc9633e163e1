// Numbers and enumerators are indices as they are.
#include "base/index.hpp"

#include <catch2/catch.hpp>
#include <concepts>
#include <cstdint>

using tutti::index;

TEST_CASE("ranks, lengths and enumerators are indices", "[index]") {
  enum class Ring : std::uint8_t { line, small };
  CHECK(index(std::int32_t{7}) == 7);
  CHECK(index(std::int64_t{1} << 40) == std::size_t{1} << 40);
  CHECK(index(~0u) == 0xffffffff);
  CHECK(index(Ring::small) == 1);
  static_assert(std::same_as<decltype(index(0)), std::size_t>);
}
