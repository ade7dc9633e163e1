// HPM's numbers for BlueGene/P, by hand.
#include "models/papers/bluegene_p.hpp"

#include <catch2/catch.hpp>
#include <algorithm>
#include <cstdlib>

using namespace tutti;
using namespace tutti::models;

namespace {

const Statement& statement(std::string_view what) {
  for (const Statement& some : bluegene_p())
    if (some.what == what) return some;
  FAIL("no statement " << what);
  std::abort();
}

}  // namespace

TEST_CASE("bluegene-p: a message and its bounds (eqs. 1, 2)") {
  const Statement& message = statement("message");
  CHECK(message.least(8, 0) == Approx(4.5));
  CHECK(message.least(8, 256) == Approx(4.5 + 0.00267 * 256));
  CHECK(message.least(8, 1024) == Approx(5.7 + 0.00267 * 1024));
  CHECK(message.least(8, 1 << 20) == Approx(9.8 + 0.00267 * (1 << 20)));
  CHECK(message.most(32768, 1 << 20) == Approx(9.8 + 0.00267 * (1 << 20) * 1.5 * 32));
  CHECK(message.most(1, 1000) >= message.least(1, 1000));
}

TEST_CASE("bluegene-p: collectives (section 4)") {
  CHECK(statement("bcast").least(32768, 8) == Approx(13 + 0.31 * 15));
  CHECK(statement("bcast").least(1024, 1'000'000) == Approx(13 + 3.1 + 445));
  CHECK(statement("allreduce").least(4096, 8) == Approx(17.77));
  CHECK(statement("allreduce").least(32768, 8) == Approx(13 + 0.37 * 15));
  CHECK(statement("allreduce").least(1024, 1'000'000) == Approx(2.68 * (13 + 3.1 + 445)));
  CHECK(statement("alltoall").least(32768, 8 * 32768) == Approx(4.5 + 0.84 * 32767));
  CHECK(statement("alltoall").least(27, 27'000) ==
        Approx(0.84 * 26 + 1000 * 0.00267 * 9));  // the load of 3³: 9; injection: 26/6
}

TEST_CASE("bluegene-p: what is printed in passing, and the alltoall by bytes to each") {
  CHECK(statement("barrier").least(40960, 0) == Approx(0.95));
  CHECK(statement("matching").most(13, 0) == Approx(1.3));
  const Statement& alltoall = statement("alltoall-each");
  CHECK(alltoall.least(27, 1000) == Approx(0.84 * 26 + 1000 * 0.00267 * 9));
  CHECK(alltoall.most(27, 1000) == Approx(0.84 * 26 + 1000 * 0.00267 * 3 * 2.5 * 2.5 * 2.5));
  CHECK(alltoall.least(27, 1000) == Approx(statement("alltoall").least(27, 27000)));
}

// Counted link by link: every node of a torus of odd k sends to every other over shortest paths.
TEST_CASE("bluegene-p: the load of an alltoall on a torus") {
  for (const int k : {3, 5, 7, 9}) {
    double hops = 0;
    const auto way = [k](int x) { return std::min(x, k - x); };
    for (int x = 0; x < k; ++x)
      for (int y = 0; y < k; ++y)
        for (int z = 0; z < k; ++z) hops += way(x) + way(y) + way(z);
    const int P = k * k * k;
    CHECK(torus_alltoall_load(P) == Approx(hops * P / (6.0 * P)));
    CHECK(torus_alltoall_load_printed(P) > torus_alltoall_load(P));
  }
}
