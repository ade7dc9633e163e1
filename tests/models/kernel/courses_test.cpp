// Which transmissions go on at once in a kernel, by τ-Lop's algebra.
#include "models/kernel/courses.hpp"

#include <catch2/catch.hpp>

#include <string>

#include "base/error.hpp"
#include "models/kernel/text.hpp"

namespace tutti::models::kernel {
namespace {

Normal courses_in(const std::string& text) {
  const Kernel kernel = parse_kernel(text);
  return courses_of(kernel, kernel.node, [](const collectives::Problem&) -> collectives::Choice {
    throw Error(Code::internal, "all algorithms are named");
  });
}

}  // namespace

TEST_CASE("kernel courses: a rank's messages in turn, those of several at once") {
  // A.2: T(10) ∥ T(25) = 2∥T(10) + T(15).
  CHECK(courses_in("ranks 4\nnode 0-3\nrank 0: send 10 to=1\nrank 1: recv 10 from=0\n"
                   "rank 2: send 5 to=3; send 20 to=3\nrank 3: recv 5 from=2; recv 20 from=2\n") ==
        Normal{{{0, 2}, 10}, {{0, 1}, 15}});
  // A stage ends for all.
  CHECK(courses_in("ranks 4\nnode 0-3\nrank 0: send 10 to=1\nrank 1: recv 10 from=0\nstage\n"
                   "rank 2: send 5 to=3; send 20 to=3\nrank 3: recv 5 from=2; recv 20 from=2\n") ==
        Normal{{{0, 1}, 35}});
}

TEST_CASE("kernel courses: channels do not interfere") {
  CHECK(courses_in("ranks 4\nnode 0,1\nnode 2,3\nrank 0: send 10 to=1; send 4 to=2\n"
                   "rank 1: recv 10 from=0; send 6 to=3\nrank 2: recv 4 from=0\n"
                   "rank 3: recv 6 from=1\n") == Normal{{{0, 1}, 10}, {{1, 2}, 4}, {{1, 1}, 2}});
}

TEST_CASE("kernel courses: columns of SUMMA's Config1 (A.16)") {
  CHECK(courses_in(R"(ranks 6
node 0-3
node 4,5
repeat 256 {
  stage
  rank 4,5: bcast 149 among=4,5 algorithm=binomial
  rank 0-3: bcast 107 among=0-3 root=2 algorithm=binomial
})") == Normal{{{0, 3}, 10752}, {{0, 2}, 44032}});
}

TEST_CASE("kernel courses: expressions") {
  CHECK(text_of({{{1, 3}, 8960}, {{0, 1}, 3654}, {{0, 2}, 26800}}, 1) ==
        "3\u2225T\u00b9(8960) + 2\u2225T\u2070(26800) + T\u2070(3654)");
  CHECK(text_of({{{0, 1}, 48}}, 32) == "T\u2070(1.5)");
  CHECK(text_of({}, 1) == "0");
}

TEST_CASE("kernel courses: a message that leaves its stage is refused") {
  CHECK_THROWS_AS(
      courses_in("ranks 2\nnode 0,1\nrank 0: send 1 to=1\nstage\nrank 1: recv 1 from=0\n"), Error);
}

TEST_CASE("kernel courses: a deadlock is named, also in a later stage") {
  CHECK_THROWS_WITH(
      courses_in("ranks 2\nnode 0,1\nrank 0: send 8 to=1\nrank 1: recv 8 from=0\nstage\n"
                 "rank 0: recv 4 from=1; send 4 to=1\nrank 1: recv 4 from=0; send 4 to=0\n"),
      "the program deadlocks: rank 0 waits for rank 1 in line 6 (recv 4 bytes from rank 1); "
      "rank 1 waits for rank 0 in line 7 (recv 4 bytes from rank 0)");
}

}  // namespace tutti::models::kernel
