// Collectives among ranks of one process and one thread, over the hostile wire: really executed,
// some of them at once, and compared with what they must deliver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "tests/protocols/hostile.hpp"

namespace tutti::tests {

// A collective of all ranks; `problem.rank` is not looked at.
struct HostileCall {
  const collectives::Algorithm* algorithm = nullptr;
  collectives::Problem problem{};
  collectives::Parameters parameters{};
  std::uint32_t gaps = 0;  // bits by rank: its buffers have gaps; not of reductions
};

// A rank that stops for ever after so many steps of the wire.
struct Stop {
  int rank = kNoPeer;
  std::uint64_t after = 30;
};

struct HostileOutcome {
  std::string wrong{};          // a violation: a wrong result, an error for no reason, no end
  int results = 0, errors = 0;  // of calls of ranks that did not stop
};

// Runs calls with equal P, all under way together, each as a communicator of its own. An error is
// right only if a rank stops or a registration fails; and then every other rank must end, each call
// with a result or with an error. After an error a rank uses its buffers for something else.
HostileOutcome run_hostile(const std::vector<HostileCall>& calls, const Hostility& hostility,
                           const transport::InboxShape& shape, const Stop& stop = {});

}  // namespace tutti::tests
