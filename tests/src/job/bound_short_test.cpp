// Bound requests of short messages, which go by rings that are found once.
#include "tests/src/job/bound_operation.hpp"

using namespace tutti;
using namespace tutti::tests;

// From the second start on each message goes by the ring that was found at the first. A rank that
// is ahead fills its peer's rings, so that a message may have to be asked for.
TEST_CASE("short messages of a bound request go as often as it starts", "[bound][threads]") {
  for (const int P : {1, 2, 5})
    for (const bool starved : {false, true})
      for (const Bytes bytes : {0, 8, 240})
        for (std::size_t i = 0; i < collectives::kCollectives; ++i) {
          const auto collective = static_cast<Collective>(i);
          if (is_of_neighbours(collective)) continue;
          if (collective == Collective::barrier && bytes != 0) continue;
          if (starved && bytes == 240) continue;
          INFO(name_of(collective)
               << " of " << bytes << " bytes, P=" << P << ", starved " << starved);
          const Hostility hostility = hostility_of(static_cast<std::uint32_t>(i) + 1);
          Job job(P, hostility, starved ? Job::starved() : Job::settings());
          collectives::Task task = task_of(collective, bytes, P - 1);
          if (!is_rooted(collective)) task.root = 0;
          task.commutative = bytes != 8;
          check_success(job.run([&](int rank) {
            Bound bound(job.world(rank), task);
            for (int round = 0; round < 4; ++round) {
              bound.repeat();
              Operation(job.world(rank), task).run();
            }
          }));
        }
}
