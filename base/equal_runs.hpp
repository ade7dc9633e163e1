// Equal runs: as many bytes at equal distances, copied to other such places. The innermost loop of
// packing, with the vector instructions that the processor has. Pure.
#pragma once

#include <cstddef>

#include "base/types.hpp"

namespace tutti {

// `count` runs of `width` bytes, on either side so far apart; distances may be negative.
struct EqualRuns {
  std::byte* to;
  Bytes to_stride;
  const std::byte* from;
  Bytes from_stride;
  Bytes width, count;
};

// Source and target share no byte. Runs of the target that overlap: any may be seen afterwards.
// width > 0.
void copy_equal_runs(const EqualRuns& runs) noexcept;

}  // namespace tutti
