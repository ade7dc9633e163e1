// The hash that all ranks compute alike.
#include "base/hash.hpp"

#include <catch2/catch.hpp>

using tutti::Hash;

TEST_CASE("a hash depends on its input alone, and on all of it", "[hash]") {
  // Ranks of one job compare values, so no compiler and no machine may compute others.
  static_assert(Hash().value() == 0xecba3df2c3383c52);
  static_assert(Hash().add(1).add(2).value() == 0x646e3adc5add8fd7);
  static_assert(Hash().add("tutti").value() == 0xe99cd215222e3f54);
  CHECK(Hash().add(1).add(2).value() == Hash().add(1).add(2).value());
  CHECK(Hash().add(1).add(2).value() != Hash().add(2).add(1).value());
  CHECK(Hash().add(0).value() != Hash().value());
  CHECK(Hash().add("ab").add("c").value() != Hash().add("a").add("bc").value());
  CHECK(Hash().add("").value() != Hash().value());
}
