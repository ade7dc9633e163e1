// Two ranks that measure, and what the one hears when the other cannot.
#include "src/calibration/calibration.hpp"

#include <catch2/catch.hpp>

#include "src/calibration/messages.hpp"
#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

TEST_CASE("a rank that waits for a measurement hears that the other one has failed",
          "[calibration]") {
  Hostility hostility;  // a full ring among others
  hostility.seed = static_cast<std::uint32_t>(GENERATE(range(1, 17)));
  Job job(2, hostility);
  const auto outcomes = job.run([&](int rank) {
    if (rank == 1) {
      measure_pair(job.world(1));
      return;
    }
    const std::int64_t order[] = {Bytes{1} << 50, 1, 1};  // more than there is memory for
    Messages orders(job.world(0), {{1, true}}, sizeof order), back(job.world(0), {{1, false}}, 8);
    orders.begin(order, nullptr);
    orders.finish();
    std::int64_t got = 0;
    back.begin(nullptr, &got);
    back.finish();
  });
  CHECK(outcomes[1].code == Code::transport_failed);
  CHECK(outcomes[0].code == Code::transport_failed);
  CHECK(outcomes[0].peer == 1);
}
