// Names of shared memory for tests.
#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <string>

namespace tutti::tests {

// A name that no process has used: numbers of processes come back, and one that was killed may have
// left its memory. The test that makes it has to unlink it.
inline std::string fresh_name() {
  return fmt::format("/tutti-test-{}-{}", getpid(),
                     std::chrono::system_clock::now().time_since_epoch().count());
}

}  // namespace tutti::tests
