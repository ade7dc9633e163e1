// Choices held against the simulator: how much longer does what is chosen take than the best of the
// candidates, by the schedules that run? Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/selection/choices.hpp"
#include "collectives/selection/facts.hpp"
#include "models/simulation/layout.hpp"
#include "models/platform/platform.hpp"

namespace tutti::models {

struct Cell {
  collectives::Collective collective{};
  int nodes = 1, ranks_per_node = 1;
  Bytes bytes = 0;
  Layout layout = Layout::blocks;
  std::uint64_t seed = kUsualSeed;  // of a layout that is shuffled
  int sockets = 1;                  // of a node
  int P() const noexcept { return nodes * ranks_per_node; }
};

struct Judgement {
  struct Played {
    collectives::Choice choice{};
    double estimate = 0, simulated = 0;  // us, of one call
  };
  Played chosen, best;                        // `best` is `chosen` if nothing is faster
  int played = 0;                             // candidates
  std::vector<collectives::Choice> left_out;  // candidates that have too many steps
  double excess() const noexcept {
    return best.simulated > 0 ? chosen.simulated / best.simulated : 1;
  }
};

struct JudgeOptions {
  // Not only each algorithm's best parameters by the estimates; levels of hierarchical algorithms
  // are not varied.
  bool all_parameters = false;
  // Candidates of more steps, of all ranks together, are left out, unless chosen.
  double most_steps = 5e6;
};

// Simulates what is chosen, and the candidates. Throws as simulate() does.
Judgement judge(const Cell& cell, const Platform& platform, const JudgeOptions& options = {});

// The estimate of one choice, which has to apply, and its simulation. Throws as simulate() does.
Judgement::Played play(const Cell& cell, const Platform& platform,
                       const collectives::Choice& choice);

}  // namespace tutti::models
