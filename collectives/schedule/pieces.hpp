// A schedule cut into pieces, for segmented.cpp, and for folded.cpp, which folds scratch. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

// The steps of a schedule, cut.
struct Pieces {
  std::vector<Step> steps;           // step-major: all pieces of step 0, then of step 1, …
  std::vector<std::uint32_t> index;  // of each piece within its step
  std::vector<StepId> first;         // of each whole step, and one past the end
  std::uint32_t count(StepId step) const noexcept { return first[step + 1] - first[step]; }
};

constexpr bool overlap(const Slice& a, const Slice& b) noexcept {
  return a.buffer == b.buffer && a.offset < b.end() && b.offset < a.end();
}

// See folded.cpp. Both add edges between pieces. fold_scratch() requires that hold_back() was
// called, and that all edges before mean bytes that two pieces share.
void hold_back(const Schedule& whole, const Pieces& pieces, std::vector<Edge>& edges);
void fold_scratch(Schedule& whole, Pieces& pieces, Bytes segment, std::vector<Edge>& edges);

}  // namespace tutti::collectives
