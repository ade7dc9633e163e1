// Sketches of k-ary trees beside the simulator, which plays the schedules that run.
#include <catch2/catch.hpp>
#include <string>

#include "tests/models/decision/compared.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;
using tests::compared_alone, tests::compared_on;

namespace {

void check_near(Platform platform, const char* rule, int P, Bytes bytes) {
  platform.piece = 0;  // the simulator knows none
  const auto [collective, choice] = *parse_choices(rule).begin();
  const auto found = compared_alone(to_string(choice), collective, P, bytes, platform);
  INFO(platform.name << ", " << rule << ", " << P << " ranks: " << found.estimate
                     << " us, simulated " << found.simulated);
  CHECK(found.estimate == Approx(found.simulated).epsilon(0.02));
}

}  // namespace

// Where the last level is not full, some path is shorter than all children of all levels: up to 1.5
// times by the estimates before.
TEST_CASE("estimates of k-ary trees follow the path that ends last", "[decision]") {
  for (const char* const params : {"shm", "rxe"})
    for (const char* const rule : {"bcast=binary", "bcast=k-ary(k=3)", "bcast=splitted-binary",
                                   "reduce=binary", "reduce=k-ary(k=3)"})
      for (int P = 2; P <= 33; ++P) check_near(*find_shipped(params), rule, P, 16384);
}

// The halves of a splitted binary tree are cut, not the vector.
TEST_CASE("estimates of k-ary trees know what is cut into segments", "[decision]") {
  for (const int P : {3, 5, 7, 9, 15, 16, 24, 31})
    for (const Bytes bytes : {32768, 65536})
      check_near(*find_shipped("shm"), "bcast=splitted-binary(segment=16384)", P, bytes);
  for (const int P : {3, 5, 7, 8, 9, 15})
    check_near(*find_shipped("rxe"), "bcast=splitted-binary(segment=16384)", P, 1 << 20);
  for (const int P : {3, 7, 10, 15, 31})
    check_near(*find_shipped("shm"), "bcast=binary(segment=16384)", P, 262144);
}

// A stage that only the busiest rank has is no round of its own.
TEST_CASE("estimates of k-ary trees count what leaves a node once", "[decision]") {
  const auto found =
      compared_on("k-ary(k=7)", Collective::bcast, 4, 8, 65536, *find_shipped("hardware"));
  CHECK(found.estimated_leaving == Approx(found.simulated_leaving).epsilon(0.1));
}
