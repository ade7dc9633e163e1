#include "models/platform/statistics.hpp"

#include <catch2/catch.hpp>

namespace tutti::models {

using Catch::Detail::Approx;

TEST_CASE("intervals that have a value in common, or are wide, do not tell which median is less",
          "[statistics]") {
  const Median narrow{.value = 1, .low = 0.9, .high = 1.1},
      above{.value = 2, .low = 1.2, .high = 3}, wide{.value = 25, .low = 0.13, .high = 33};
  CHECK_FALSE(undecided(narrow, above));
  CHECK_FALSE(undecided(above, narrow));
  CHECK(undecided(narrow, wide));
  CHECK(undecided(wide, narrow));
  CHECK(undecided(narrow, narrow));
  CHECK(undecided(narrow, {.value = 2, .low = 1.1, .high = 3}));  // one value is enough
  const Median torn{.value = 4, .low = 2, .high = 6.1};
  CHECK(undecided(narrow, torn));
  CHECK(undecided(torn, narrow));
  CHECK_FALSE(undecided(narrow, {.value = 4, .low = 2, .high = 6}));
}

TEST_CASE("what was measured again has the interval of its medians", "[statistics]") {
  const auto of = [](double value) {
    return Median{.value = value, .low = value - 0.1, .high = value + 0.1, .count = 11};
  };
  const Median once = repeated({of(3)});
  CHECK(once.low == Approx(2.9));
  CHECK(once.high == Approx(3.1));
  const Median few = repeated({of(5), of(1), of(3), of(9), of(4)});
  CHECK(few.value == 4);
  CHECK(few.low == 1);
  CHECK(few.high == 9);
  CHECK(repeated({of(2), of(1)}).value == 1);
  // With more of them what stands apart is left out: 15 medians, the 4th and the 12th.
  std::vector<Median> many;
  for (int i = 1; i <= 15; ++i) many.push_back(of(i < 15 ? i : 1000));
  const Median all = repeated(many);
  CHECK(all.value == 8);
  CHECK(all.low == 4);
  CHECK(all.high == 12);
}

TEST_CASE("what overlaps is no win and no loss", "[statistics]") {
  Tally tally;
  CHECK_FALSE(tally.ratio());
  // Two times whose ratio a bench printed as 25.55 on a busy machine.
  tally.add({.value = 0.2, .low = 0.13, .high = 16.2}, {.value = 5.11, .low = 0.49, .high = 33.1});
  CHECK_FALSE(tally.ratio());
  CHECK(tally.unknown() == 1);
  tally.add({.value = 1, .low = 0.9, .high = 1.1}, {.value = 8, .low = 7, .high = 9});
  tally.add({.value = 2, .low = 1.9, .high = 2.1}, {.value = 1, .low = 1, .high = 1});
  CHECK(tally.less() == 1);
  CHECK(tally.greater() == 1);
  CHECK(tally.unknown() == 1);
  REQUIRE(tally.ratio());
  CHECK(*tally.ratio() == Approx(2));
  tally.add({}, {.value = 1, .low = 1, .high = 1});  // no time has a ratio to none
  CHECK(tally.unknown() == 2);
}

}  // namespace tutti::models
