// Numbers of ranks to try, logarithms, and sums over all ranks, for the tests that compare what is
// counted in schedules with what the papers state.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "collectives/algorithms/trees.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/collectives/ranks.hpp"

namespace tutti::collectives::test {

inline std::vector<int> sizes() {
  std::vector<int> all;
  for (int P = 1; P <= 17; ++P) all.push_back(P);
  if (!tests::kSanitized) all.insert(all.end(), {32, 64, 100});
  return all;
}

inline constexpr Bytes s = 128;        // a block: whole cache lines, so that scratch is not rounded
inline constexpr Bytes kSegments = 5;  // of a message that is cut
inline constexpr Bytes kSegment = 64;

inline int ceil_log2(int P) { return rounds_to_reach(P, 2); }
inline int floor_log(int P, int base) {
  return rounds_to_reach(P + 1, base) - (rounds_to_reach(P + 1, base) > 0 ? 1 : 0);
}
inline int floor_log2(int P) { return floor_log(P, 2); }
inline bool power_of_two(int P) { return (P & (P - 1)) == 0; }

inline Problem of(Collective collective, int P, Bytes bytes, Rank root = 0) {
  return {{.collective = collective, .root = root, .bytes = bytes}, P};
}

inline std::vector<Bytes> received(const std::vector<Schedule>& all) {
  std::vector<Bytes> bytes;
  for (const Schedule& schedule : all) {
    bytes.push_back(0);
    for (const Step& step : schedule.steps)
      bytes.back() += receives(step.kind) ? step.target.length : 0;
  }
  return bytes;
}

inline Bytes all_bytes(const std::vector<Schedule>& all) {
  return std::accumulate(all.begin(), all.end(), Bytes{0}, [](Bytes sum, const Schedule& schedule) {
    return sum + bytes_sent(schedule);
  });
}

inline Bytes most_sent(const std::vector<Schedule>& all) {
  Bytes most = 0;
  for (const Schedule& schedule : all) most = std::max(most, bytes_sent(schedule));
  return most;
}

// Checks that every rank sends `bytes` bytes, and receives as many.
inline void each_sends(const std::vector<Schedule>& all, Bytes bytes) {
  for (const Schedule& schedule : all) CHECK(bytes_sent(schedule) == bytes);
  for (Bytes got : received(all)) CHECK(got == bytes);
}

}  // namespace tutti::collectives::test
