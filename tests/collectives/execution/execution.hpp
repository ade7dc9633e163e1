// A program and one run of it, for tests that need no more.
#pragma once

#include <utility>

#include "collectives/execution/run.hpp"

namespace tutti::tests {

struct Execution {
  Execution(collectives::Schedule schedule, const collectives::Program::ChannelTo& channel_to,
            Bytes element = 1)
      : program(std::move(schedule), channel_to, element), run(program) {}
  collectives::Program program;
  collectives::Run run;
};

}  // namespace tutti::tests
