// The catalogue: every entry can be found, and says what it is.
#include "collectives/algorithms/catalogue.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::collectives;

TEST_CASE("names are unique and every algorithm says what it is") {
  for (const Algorithm& algorithm : algorithms()) {
    CHECK(find(algorithm.collective, algorithm.name) == &algorithm);
    CHECK_FALSE(algorithm.paper.empty());
    CHECK_FALSE(algorithm.summary.empty());
    CHECK(collective_named(name_of(algorithm.collective)) == algorithm.collective);
  }
  CHECK(find(Collective::bcast, "bruck") == nullptr);
  CHECK_FALSE(collective_named("nonsense"));
}
