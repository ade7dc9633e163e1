// Sketches of two levels beside the simulator, which plays the schedules that run.
#include <catch2/catch.hpp>
#include <string>

#include "tests/models/decision/compared.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;

namespace {

// Long vectors in many segments, so that the time of one more is nearly all.
void check_allreduce(const std::string& within, const std::string& across, double tolerance) {
  const std::string rule =
      "hierarchical(segment=16384,within=" + within + ",across=" + across + ")";
  Platform platform = *find_shipped("hardware");
  platform.piece = 0;  // the simulator knows none
  for (const int nodes : {2, 3, 4, 5, 8})
    for (const int each : {2, 4, 6}) {
      const auto found =
          tests::compared_on(rule, Collective::allreduce, nodes, each, 1 << 20, platform);
      INFO(rule << ", " << nodes << " x " << each << " ranks: " << found.estimate
                << " us, simulated " << found.simulated);
      CHECK(found.estimate == Approx(found.simulated).epsilon(tolerance));
    }
}

}  // namespace

// A leader sends and combines between nodes, and has one side of a chain within its node; the
// others have both. When both were counted for one rank, up to 1.35 times too long.
TEST_CASE("estimates of two levels know what leaders do", "[decision]") {
  check_allreduce("chain", "recursive-doubling(k=1)", 0.2);
  check_allreduce("linear", "recursive-doubling(k=1)", 0.2);
}

// A rank that exchanges with several copies one of the vectors before it combines.
TEST_CASE("estimates of two levels know of copies", "[decision]") {
  check_allreduce("linear", "recursive-doubling(k=3)", 0.17);
  check_allreduce("linear", "full-fan-out-whole", 0.17);
}

// Leaders exchange parts of the vector, which are cut into segments of the same length: fewer, not
// shorter ones. Up to 2.9 times too long by the estimates before.
TEST_CASE("estimates of two levels know that parts have fewer segments", "[decision]") {
  for (const char* const across : {"circulant", "full-fan-out", "ring"})
    check_allreduce("linear", across, 0.2);
}
