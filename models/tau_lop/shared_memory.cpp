// Counts the steps of pipelines through shared buffers.
#include "models/tau_lop/shared_memory.hpp"

#include <vector>

namespace tutti::models::tau_lop {
namespace {

struct Level {
  int processes = 0;
  int parents = 0;  // those of them that have children
};

std::vector<Level> levels_of(int P, int degree) {
  std::vector<Level> levels;
  for (Bytes first = 0, width = 1; first < P; first += width, width *= degree) {
    Level level{static_cast<int>(std::min<Bytes>(width, P - first))};
    for (Bytes process = first; process < first + level.processes; ++process)
      level.parents += process * degree + 1 < P ? 1 : 0;
    levels.push_back(level);
  }
  return levels;
}

}  // namespace

Cost sm_bcast(int P, int degree, Bytes segment, Bytes segments) {
  const std::vector<Level> levels = levels_of(P, degree);
  std::map<Bytes, int> copies;  // by step: how many at once
  for (Bytes i = 0; i < static_cast<Bytes>(levels.size()); ++i) {
    const Level& level = levels[static_cast<std::size_t>(i)];
    const bool last = i > 0 && level.parents == 0;
    for (Bytes j = 0; j < segments; ++j) {
      if (level.parents > 0) copies[2 * j + i] += level.parents;         // into their buffers
      if (i > 0) copies[2 * j + i + (last ? 0 : 1)] += level.processes;  // into the user's
    }
  }
  Cost sum;
  for (const auto& [step, tau] : copies) sum += Cost{Term{Kind::transfer, kMemory, segment, tau}};
  return sum;
}

Cost sm_reduce(int P, Bytes segment, Bytes segments) {
  Cost sum;
  if (P < 2) return sum;
  sum += Cost{Term{Kind::transfer, kMemory, segment, P - 1}, segments};
  sum += Cost{Term{Kind::transfer, kMemory, segment, 1}, segments};
  sum += Cost{Term{Kind::combine, kMemory, segment, 1}, segments * (P - 1)};
  return sum;
}

}  // namespace tutti::models::tau_lop
