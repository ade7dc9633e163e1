// Two ranks that measure, and what the one hears when the other cannot.
#include "src/calibration/calibration.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>
#include <vector>

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

namespace {

// As rank 1 of a pair that measures, on a machine that does other work every second time.
void answer_unsteadily(Communicator& pair) {
  constexpr std::int64_t kBatchesThere = 9;
  std::int64_t order[3];  // bytes, burst, times
  Messages orders(pair, {{0, false}}, sizeof order);
  const auto next = [&] {
    orders.begin(nullptr, order);
    orders.finish();
    return order[0] >= 0;
  };
  while (next()) {
    const std::int64_t bytes = order[0], burst = order[1], times = order[2];
    Messages there(pair, std::vector(static_cast<std::size_t>(burst), Message{0, false}), bytes),
        back(pair, {{0, true}}, bytes);
    std::vector<std::byte> memory(static_cast<std::size_t>(bytes * burst));
    const std::int64_t batch = times / kBatchesThere;
    auto begun = std::chrono::steady_clock::now();
    for (std::int64_t i = 0; i < times; ++i) {
      there.begin(memory.data(), memory.data());
      there.finish();
      if (batch > 0 && i % batch == 0) {
        // However slow the machine is: much longer than the batch before, and no two alike.
        const auto before = std::chrono::steady_clock::now() - begun;
        const auto slow = std::max<decltype(before)>(std::chrono::milliseconds(20), 10 * before);
        if (i / batch % 2 != 0) std::this_thread::sleep_for(slow * (1 << (i / batch / 2)));
        begun = std::chrono::steady_clock::now();
      }
      back.begin(memory.data(), memory.data());
      back.finish();
    }
  }
}

}  // namespace

TEST_CASE("round trips that are unsure are no readings", "[calibration]") {
  Job job(2, {});
  PairReadings found;
  const auto outcomes = job.run([&](int rank) {
    if (rank == 0)
      found = measure_pair(job.world(0));
    else
      answer_unsteadily(job.world(1));
  });
  for (const Outcome& outcome : outcomes) CHECK(outcome.code == Code::success);
  CHECK_THAT(found.unsure, Catch::Matchers::StartsWith("a round trip of 1 byte took ") &&
                               Catch::Matchers::EndsWith("as where the machine does other work"));
  CHECK(found.readings.sizes.empty());
}

TEST_CASE("a round trip is unsure if its interval is wider than its median", "[calibration]") {
  const auto of = [](double low, double high) {
    return why_unsure(4096, {.value = 2, .low = low, .high = high, .count = 9});
  };
  CHECK(of(1, 3).empty());
  CHECK(of(1.9, 39.5) ==
        "a round trip of 4096 bytes took 2 us, or anything from 1.9 to 39.5, as where the machine "
        "does other work");
}
