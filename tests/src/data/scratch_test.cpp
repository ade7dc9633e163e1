// Memory that is kept for packed copies.
#include "src/data/scratch.hpp"

#include <climits>

#include "tests/src/data/types.hpp"

using namespace tutti;
using namespace tutti::tests;

TEST_CASE("memory for packed copies is used again", "[scratch]") {
  Scratch scratch;
  std::byte *first = nullptr, *second = nullptr;
  {
    Spare a(scratch), b(scratch);
    first = a.get(100000);
    second = b.get(5000);
    CHECK(first != second);
  }
  const Bytes kept = scratch.kept();
  CHECK(kept >= 105000);
  for (int i = 0; i < 3; ++i) {
    Spare a(scratch), b(scratch);
    CHECK(a.get(5000) == second);
    CHECK(b.get(99999) == first);
    CHECK(scratch.kept() == 0);
  }
  CHECK(scratch.kept() == kept);
}

TEST_CASE("no more memory is kept than the limit says", "[scratch]") {
  Scratch scratch;
  scratch.keep_at_most(100000);
  Spare(scratch).get(200000);
  CHECK(scratch.kept() == 0);
  {
    Spare a(scratch), b(scratch);
    a.get(60000);
    b.get(70000);
  }
  CHECK(scratch.kept() > 0);
  CHECK(scratch.kept() <= 100000);
  for (int i = 0; i < 20; ++i) {  // more blocks than there are places
    Spare a(scratch), b(scratch), c(scratch), d(scratch), e(scratch), f(scratch), g(scratch),
        h(scratch), k(scratch);
    for (Spare* const spare : {&a, &b, &c, &d, &e, &f, &g, &h, &k}) spare->get(1000 + i);
  }
  CHECK(scratch.kept() <= 100000);
  scratch.keep_at_most(0);
  CHECK(scratch.kept() == 0);
  CHECK(code_of([&] { Spare(scratch).get(LLONG_MAX); }) == Code::out_of_memory);
}
