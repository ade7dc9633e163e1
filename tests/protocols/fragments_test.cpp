// Where fragments lie, and sets of them.
#include "protocols/fragments.hpp"

#include <bitset>
#include <catch2/catch.hpp>
#include <random>

using namespace tutti;
using namespace tutti::protocols;

TEST_CASE("fragments cover the message once, windows the fragments", "[fragments]") {
  for (const Bytes bytes : {0, 1, 99, 100, 101, 799, 800, 801, 12345})
    for (const std::uint32_t window : {1u, 8u, 256u}) {
      INFO(bytes << " bytes, window " << window);
      const Fragments fragments(bytes, 100, window);
      Bytes covered = 0;
      std::uint32_t count = 0;
      for (std::uint32_t w = 0; w < fragments.windows(); ++w) {
        CHECK(fragments.first_of(w) == count);
        for (std::uint32_t i = 0; i < fragments.count_in(w); ++i, ++count) {
          CHECK(fragments.window_of(count) == w);
          CHECK(fragments.place_of(count) == i);
          CHECK(fragments.offset(count) == covered);
          CHECK(fragments.length(count) > 0);
          covered += fragments.length(count);
        }
        CHECK(fragments.length(fragments.first_of(w), fragments.count_in(w)) ==
              covered - fragments.offset(fragments.first_of(w)));
      }
      CHECK(covered == bytes);
      CHECK(count == fragments.count());
    }
}

TEST_CASE("a set of fragments is a set", "[fragments]") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    FragmentSet set;
    std::bitset<FragmentSet::kMost> expected;
    for (std::uint32_t i = 0; i < FragmentSet::kMost; ++i)
      if (static_cast<int>(random() % 200) <= round) {
        set.insert(i);
        expected.set(i);
      }
    for (std::uint32_t i = 0; i < FragmentSet::kMost; ++i) CHECK(set.has(i) == expected[i]);
    CHECK(set.size() == expected.count());
    CHECK(set.empty() == expected.none());
    const std::uint32_t count = random() % (FragmentSet::kMost + 1);
    const FragmentSet below = FragmentSet::first(count);
    CHECK(below.size() == count);
    CHECK((set & below).size() + (set - below).size() == set.size());
    CHECK(((set & below) - below).empty());
  }
}

TEST_CASE("a set is cut into its runs, the first one first", "[fragments]") {
  CHECK(FragmentSet{}.first_run().length == 0);
  for (const std::uint32_t begin : {0u, 1u, 63u, 64u, 100u, 255u})
    for (const std::uint32_t end : {begin + 1, 64u, 65u, 200u, 256u}) {
      if (end <= begin) continue;
      INFO("from " << begin << " to " << end);
      FragmentSet set = FragmentSet::first(end) - FragmentSet::first(begin);
      if (end + 1 < FragmentSet::kMost) set.insert(end + 1);
      const Run run = set.first_run();
      CHECK(run.first == begin);
      CHECK(run.length == end - begin);
      set.erase(run);
      CHECK(set.size() == (end + 1 < FragmentSet::kMost ? 1 : 0));
    }
  const Run all = FragmentSet::first(FragmentSet::kMost).first_run();
  CHECK(all.first == 0);
  CHECK(all.length == FragmentSet::kMost);
}
