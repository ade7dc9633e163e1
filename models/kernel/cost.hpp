// The costs of a kernel: its schedules, played under a platform, and the parts of each rank's time.
// Pure. Times in microseconds.
#pragma once

#include <vector>

#include "models/kernel/kernel.hpp"
#include "models/kernel/schedules.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::models::kernel {

struct Cost {
  // Times of one rank; `waiting` is the rest of `finished`.
  struct OfRank {
    double finished = 0, computing = 0, communicating = 0, waiting = 0;
    double longest_wait = 0;  // in one line, all repetitions together
    int waits_in = 0;         // that line; 0: it never waits
  };
  // Waits of all ranks that have operations in one line of the text.
  struct OfLine {
    int line = 0;
    double waiting = 0, longest = 0;  // together; of the rank that waits longest
    Rank waits_longest = 0;
  };
  Result result;
  std::vector<OfRank> ranks;
  std::vector<OfLine> lines;  // those in which some rank waits, the greatest sum first
  std::vector<collectives::Choice> choices;  // of each of Kernel::calls
};

// All ranks together; more are refused.
inline constexpr std::size_t kMostStepsOfKernel = 10'000'000;

// `setting.node` has the node of each rank. Throws Error{bad_configuration}: the kernel deadlocks
// (which ranks wait for what is said), it has too many steps, or an algorithm does not apply.
Cost cost_of(const Kernel& kernel, const Platform& platform, SimulationOptions setting,
             const Choose& choose);

// The least time by the model's estimates (models/decision/).
collectives::Choice chosen_by(const Platform& platform, const collectives::Problem& problem);

}  // namespace tutti::models::kernel
