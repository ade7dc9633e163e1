// The hardware threads on which ranks measure.
#include "src/calibration/own_core.hpp"

#include <catch2/catch.hpp>

using tutti::OwnCore;
using tutti::transport::bound_threads;
using tutti::transport::Processors;
using tutti::transport::ThreadList;

namespace {

// The hardware threads that this process may use, two of them on each core.
Processors in_pairs(const ThreadList& allowed) {
  std::vector<Processors::Thread> threads;
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    threads.push_back({allowed[i]});
    threads.back().groups.fill(-1);
    threads.back().groups[0] = static_cast<int>(i / 2);
  }
  return {{{Processors::Kind::core}}, std::move(threads)};
}

ThreadList where(int place, const Processors& processors) {
  const OwnCore core(place, processors);
  return bound_threads();
}

}  // namespace

TEST_CASE("one hardware thread of each core comes before the second ones", "[calibration]") {
  const ThreadList before = bound_threads();
  REQUIRE_FALSE(before.empty());
  const auto size = before.size();
  ThreadList expected;
  for (const std::size_t first : {0, 1})
    for (std::size_t i = first; i < size; i += 2) expected.push_back(before[i]);
  const Processors machine = in_pairs(before), unknown("a test");
  for (std::size_t place = 0; place < 2 * size; ++place) {
    CHECK(where(static_cast<int>(place), machine) == ThreadList{expected[place % size]});
    CHECK(where(static_cast<int>(place), unknown) == ThreadList{before[place % size]});
    CHECK(bound_threads() == before);
  }
}
