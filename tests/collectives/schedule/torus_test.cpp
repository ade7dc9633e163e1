// Adding offsets on tori.
#include "collectives/schedule/torus.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("offsets are added around the ends of each dimension", "[torus]") {
  const Torus torus{2, 3, 4};
  CHECK(plus(torus, 0, 23) == 23);
  CHECK(plus(torus, 23, 23) == 0 * 12 + 1 * 4 + 2);
  CHECK(plus(torus, 7, 1) == 4);  // stays in its row
  CHECK(minus(torus, 4, 7) == 1);
  CHECK(plus({}, 0, 0) == 0);
  CHECK(plus({1, 3, 1}, 2, 2) == 1);
  for (Rank a = 0; a < 24; ++a)
    for (Rank b = 0; b < 24; ++b) CHECK(plus(torus, a, minus(torus, b, a)) == b);
}

TEST_CASE("an offset is the sum of its parts along the dimensions", "[torus]") {
  const Torus torus{2, 3, 4};
  CHECK(along(torus, 23, 0) == 12);
  CHECK(along(torus, 23, 1) == 8);
  CHECK(along(torus, 23, 2) == 3);
  for (Rank offset = 0; offset < 24; ++offset)
    CHECK(along(torus, offset, 0) + along(torus, offset, 1) + along(torus, offset, 2) == offset);
}
