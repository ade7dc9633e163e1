// What all allgathers begin with: the buffers of the problem, and the output as P blocks. Pure.
#pragma once

#include "collectives/builder.hpp"
#include "collectives/registry.hpp"

namespace tutti::collectives {

inline Builder gathering(const Problem& problem) {
  return Builder{problem.P,
                 problem.rank,
                 {.input = problem.bytes,
                  .output = problem.P * problem.bytes,
                  .in_place = problem.in_place,
                  .input_within_output = problem.rank * problem.bytes}};
}

inline Blocks gathered(const Problem& problem) { return Builder::split(Buffer::output, problem.P * problem.bytes, problem.P); }

}  // namespace tutti::collectives
