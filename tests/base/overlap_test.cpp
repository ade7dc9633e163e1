// Overlapping bytes of typed elements, compared with a list of all bytes.
#include "base/overlap.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <set>

using namespace tutti;

namespace {

// Runs at these places, each as long as its number says.
Typemap typemap_of(const std::vector<std::pair<Bytes, Bytes>>& runs) {
  Typemap map;
  TypemapBuilder builder(map);
  const std::size_t sequence = builder.begin();
  for (const auto& [at, bytes] : runs) builder.add(TypemapBuilder::run(bytes), at, sequence);
  builder.finish(builder.end(sequence));
  return map;
}

bool overlap(const std::vector<std::pair<Bytes, Bytes>>& runs, Bytes count = 1, Bytes extent = 0) {
  const Typemap map = typemap_of(runs);
  return places_overlap({map, nullptr, count, extent});
}

}  // namespace

TEST_CASE("bytes with one place are found in any order", "[overlap]") {
  CHECK_FALSE(overlap({{0, 4}, {4, 4}, {8, 4}}));
  CHECK_FALSE(overlap({{8, 4}, {0, 4}, {4, 4}}));
  CHECK(overlap({{0, 8}, {20, 8}, {4, 8}}));
  CHECK(overlap({{0, 8}, {16, 8}, {32, 8}, {4, 8}}));
  CHECK_FALSE(overlap({}));
}

TEST_CASE("elements may lie in each other's gaps, and not on each other's bytes", "[overlap]") {
  CHECK_FALSE(overlap({{0, 4}, {16, 4}}, 4, 4));
  CHECK(overlap({{0, 4}, {16, 4}}, 5, 4));
  CHECK(overlap({{0, 4}, {12, 4}}, 4, 4));
  CHECK_FALSE(overlap({{0, 4}, {12, 4}}, 4, -20));
  CHECK(overlap({{0, 4}}, 2, 0));
}

TEST_CASE("random runs overlap where two bytes have one place", "[overlap]") {
  std::mt19937 random(11);
  int found = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<std::pair<Bytes, Bytes>> runs(1 + random() % 50);
    for (auto& [at, bytes] : runs) at = random() % 4000, bytes = 1 + random() % 8;
    const Bytes count = 1 + random() % 3, extent = random() % 60 - 30;
    std::set<Bytes> places;
    bool twice = false;
    for (Bytes i = 0; i < count; ++i)
      for (const auto& [at, bytes] : runs)
        for (Bytes b = 0; b < bytes; ++b) twice |= !places.insert(i * extent + at + b).second;
    found += twice;
    REQUIRE(overlap(runs, count, extent) == twice);
  }
  CHECK(found > 300);
  CHECK(found < 2700);
}

TEST_CASE("too many runs are not looked at", "[overlap]") {
  std::vector<std::pair<Bytes, Bytes>> runs{{0, 2}, {3, 2}, {1, 2}};
  CHECK(overlap(runs, kMostRunsLookedAt / 3, 100));
  CHECK_FALSE(overlap(runs, kMostRunsLookedAt, 100));
}
