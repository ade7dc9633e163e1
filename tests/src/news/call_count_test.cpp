// Numbers of calls, and how people count them.
#include "src/news/call_count.hpp"

#include <catch2/catch.hpp>

using namespace tutti;

TEST_CASE("people count calls from 1", "[call_count]") {
  CallCount count;
  CHECK(count.begun() == 0);
  CHECK(count.of_next() == 1);
  CHECK(count.take() == 0);
  CHECK(count.take_for_rejected() == 1);
  CHECK(count.next() == 2);
  CHECK(count.begun() == 2);
  CHECK(count.of_next() == 3);
  CHECK(count.of(0) == 1);
}

TEST_CASE("people do not count checks", "[call_count]") {
  CallCount count;
  count.count_checks();
  REQUIRE(count.counts_checks());
  CHECK(count.take() == 0);  // the check
  CHECK(count.begun() == 1);
  CHECK(count.of_next() == 1);
  CHECK(count.take() == 1);  // the call
  CHECK(count.begun() == 1);
  CHECK(count.of_next() == 2);
  SECTION("rejected before its check") { CHECK(count.take_for_rejected() == 2); }
  SECTION("rejected after its check") {
    count.take();
    CHECK(count.take_for_rejected() == 3);
  }
  CHECK(count.next() == 4);
  CHECK(count.begun() == 2);
  for (const CollectiveNumber number : {2u, 3u}) CHECK(count.of(number) == 2);
}

TEST_CASE("numbers wrap at 2^32, and one call keeps two of them", "[call_count]") {
  CallCount count(0xFFFFFFFEu);
  count.count_checks();
  count.take();
  CHECK(count.take_for_rejected() == 0xFFFFFFFFu);
  CHECK(count.next() == 0);
}

TEST_CASE("people hear of the call that is checked", "[call_count]") {
  CallCount count;
  const collectives::Task task{};
  CHECK_FALSE(count.checked());
  count.set_checked(&task);
  CHECK(count.checked() == &task);
  count.set_checked(nullptr);
  CHECK_FALSE(count.checked());
}
