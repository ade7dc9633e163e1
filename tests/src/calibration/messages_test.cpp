// Messages by themselves: they go on while their rank waits in another call.
#include "src/calibration/messages.hpp"

#include <catch2/catch.hpp>

#include <numeric>
#include <vector>

#include "tests/src/job/hostile_job.hpp"

using namespace tutti;
using namespace tutti::tests;

TEST_CASE("messages go on while the receiver waits in a collective", "[messages][threads]") {
  constexpr Bytes kBytes = 20000;
  for (std::uint32_t seed = 1; seed <= 8; ++seed)
    for (const Configuration& settings : {Job::settings(), Job::starved()}) {
      INFO("seed=" << seed << " slots=" << settings.line_slots);
      Job job(2, hostility_of(seed), settings);
      std::vector<unsigned char> sent(kBytes), received(kBytes);
      std::iota(sent.begin(), sent.end(), static_cast<unsigned char>(seed));
      const auto outcomes = job.run([&](int rank) {
        Messages messages(job.world(rank), {{1 - rank, rank == 1}}, kBytes);
        messages.begin(sent.data(), received.data());
        if (rank == 1) messages.finish();  // before it comes to the barrier
        Operation barrier(job.world(rank), task_of(Collective::barrier));
        barrier.start();
        barrier.request.wait();
        if (rank == 0) messages.finish();
      });
      for (const Outcome& outcome : outcomes) REQUIRE(outcome.code == Code::success);
      CHECK(received == sent);
    }
}
