// Ranges of addresses are widened to whole pages, and no further.
#include "base/pages.hpp"

#include <catch2/catch.hpp>

using namespace tutti;

TEST_CASE("lengths are rounded up to whole pages", "[pages]") {
  const std::size_t page = page_bytes();
  CHECK(round_up_to_pages(0) == 0);
  CHECK(round_up_to_pages(1) == page);
  CHECK(round_up_to_pages(page) == page);
  CHECK(round_up_to_pages(page + 1) == 2 * page);
}

TEST_CASE("a range has the pages of its first and of its last byte", "[pages]") {
  const std::uintptr_t page = page_bytes();
  const PageRange within = pages_around(5 * page + 1, 6 * page - 1);
  CHECK(within.begin == 5 * page);
  CHECK(within.end == 6 * page);
  const PageRange across = pages_around(6 * page - 1, 6 * page + 1);
  CHECK(across.begin == 5 * page);
  CHECK(across.end == 7 * page);
  CHECK(overlap(within, across));
  CHECK(overlap(across, within));
  CHECK_FALSE(overlap(within, pages_around(6 * page, 7 * page)));
  CHECK_FALSE(overlap(pages_around(6 * page, 7 * page), within));
}
