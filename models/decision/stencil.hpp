// Messages of a collective of neighbours where all ranks have theirs at the same offsets on a
// torus. Pure.
#pragma once

#include <memory>
#include <vector>

#include "collectives/schedule/problem.hpp"

namespace tutti::models {

// The neighbours of each rank. Distances are differences between the numbers of ranks.
struct Stencil {
  struct Phase {
    std::vector<double> distances{};  // a message to each
    double blocks = 1;                // of a message, on average
  };
  std::vector<double> at_once{};  // a message of one block to each
  std::vector<Phase> combined{};
  double copied = 0, scratch = 0;  // in blocks, if combined
};

// Null: no algorithm that combines messages can run the call.
std::shared_ptr<const Stencil> stencil_of(const collectives::Problem& problem);

}  // namespace tutti::models
