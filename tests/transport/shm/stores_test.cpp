// Long payloads by each kind of stores, and which kind is chosen.
#include "transport/shm/stores.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace tutti::transport::shm;

namespace {
constexpr ReadTimes kNothingTold{};
}

TEST_CASE("stores: all bytes, and no others, whichever way") {
  for (const std::size_t bytes :
       {0u, 1u, 7u, 8u, 9u, 15u, 16u, 17u, 4095u, 4096u, 4097u, 4160u, 16424u, 70001u})
    for (std::size_t to_skew = 0; to_skew < 72; to_skew += 8)
      for (const std::size_t from_skew : {0u, 3u}) {
        StorePolicy stores(1, kNothingTold, true);
        std::vector<unsigned char> from(bytes + 80), to(bytes + 160);
        for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 7);
        for (int again = 0; again < 270; ++again) {  // each way
          std::fill(to.begin(), to.end(), 0xee);
          stores.copy(to.data() + 1 + to_skew, from.data() + from_skew, bytes);
          const auto begin = to.begin() + 1 + static_cast<std::ptrdiff_t>(to_skew),
                     end = begin + static_cast<std::ptrdiff_t>(bytes);
          REQUIRE(std::equal(begin, end, from.begin() + static_cast<std::ptrdiff_t>(from_skew)));
          REQUIRE(std::all_of(to.begin(), begin, [](int byte) { return byte == 0xee; }));
          REQUIRE(std::all_of(end, to.end(), [](int byte) { return byte == 0xee; }));
        }
      }
}

namespace {

constexpr int kSlots = 16;

// A machine, by the ticks that a byte takes. To fetch a line that went around the caches takes
// longer.
struct Machine {
  double cached, streamed, cached_after_streamed;  // to store it
  double read_cached, read_streamed;
  double string = 5, read_string = 0.1;
};

struct StoringPair {
  ReadTimes told{};
  StorePolicy stores{kSlots, told, true};
  ReadClock reads{told};
  StoreKind last[kSlots] = {};
  int slot = 0;

  // How many of so many copies are stored that way.
  int stored(StoreKind kind, const Machine& machine, int copies) {
    int count = 0;
    for (int i = 0; i < copies; ++i) {
      const StoreKind way = stores.way();
      count += way == kind;
      StoreKind& before = last[slot++ % kSlots];
      if (way == StoreKind::streamed) {
        stores.record(machine.streamed);
        reads.record(way, machine.read_streamed);
      } else if (way == StoreKind::string) {
        stores.record(machine.string);
        reads.record(way, machine.read_string);
      } else {
        stores.record(before == StoreKind::streamed ? machine.cached_after_streamed
                                                    : machine.cached);
        reads.record(way, machine.read_cached);
      }
      before = way;
    }
    return count;
  }
  int streamed(const Machine& machine, int copies) {
    return stored(StoreKind::streamed, machine, copies);
  }
};

// Measured with 8 KiB on cores that share a cache, where the sender alone would choose wrongly; and
// cores that share none.
constexpr Machine kNear{0.10, 0.07, 0.5, 0.08, 0.26}, kFar{0.45, 0.15, 0.5, 0.25, 0.25};
// Measured with 8 KiB on another machine, on cores that share a cache.
constexpr Machine kQuickStrings{0.094, 0.12, 0.2, 0.049, 0.26, 0.046, 0.051};
constexpr int kUntilTrial = 1 << 17;  // there is a trial

}  // namespace

TEST_CASE("stores: what takes less time serves, and the other is tried now and then") {
  StoringPair pair;
  CHECK(pair.streamed(kNear, 1000) <= 200);
  CHECK(pair.streamed(kNear, 100000) < 1000);
  CHECK(pair.streamed(kNear, kUntilTrial) > 0);
  pair.streamed(kFar, kUntilTrial);  // the cores have moved
  CHECK(pair.streamed(kFar, 10000) > 9500);
  pair.streamed(kNear, kUntilTrial);
  CHECK(pair.streamed(kNear, 10000) < 500);
}

TEST_CASE("stores: the string instruction serves where it is quick, and only if it is there") {
  StoringPair pair;
  pair.streamed(kQuickStrings, 1000);
  CHECK(pair.stored(StoreKind::string, kQuickStrings, 100000) > 98000);
  CHECK(pair.streamed(kQuickStrings, kUntilTrial) > 0);
  pair.streamed(kFar, kUntilTrial);  // on cores where it is slow
  CHECK(pair.streamed(kFar, 10000) > 9500);
  pair.streamed(kNear, 2 * kUntilTrial);
  CHECK(pair.stored(StoreKind::cached, kNear, 10000) > 9500);
  pair.streamed(kQuickStrings, 2 * kUntilTrial);
  CHECK(pair.stored(StoreKind::string, kQuickStrings, 10000) > 9500);

  ReadTimes told{};
  StorePolicy without(kSlots, told, false);
  bool seen = false;
  for (int i = 0; i < kUntilTrial; ++i) {
    seen |= without.way() == StoreKind::string;
    without.record(1);
  }
  CHECK_FALSE(seen);
}

TEST_CASE("stores: as soon as what serves takes longer than the other took, that is tried") {
  StoringPair pair;
  pair.streamed(kNear, kUntilTrial);  // trials are rare now
  CHECK(pair.streamed(kFar, 500) > 300);
}

TEST_CASE("stores: their times are the best way's, once all are known") {
  StoringPair pair;
  pair.streamed(kNear, 70);
  CHECK(pair.stores.times().stored == 0);
  pair.streamed(kNear, 130);
  CHECK(pair.stores.times().stored == 0);  // the string instruction was tried, streaming was not
  pair.streamed(kNear, 130);
  CHECK(pair.stores.times().stored == Approx(kNear.cached));
  CHECK(pair.stores.times().read == Approx(kNear.read_cached).epsilon(0.01));
  pair.streamed(kFar, 16);
  CHECK(pair.stores.times().stored == Approx(kNear.streamed));
  CHECK(pair.stores.times().read == Approx(kNear.read_streamed).epsilon(0.01));
  pair.streamed(kFar, 1000);
  CHECK(pair.stores.times().stored == Approx(kFar.streamed).epsilon(0.01));
}

TEST_CASE("stores: what the reader says counts, unless it says nothing or anything") {
  StoringPair pair;
  pair.streamed({0.10, 0.05, 0.10, 0.02, 0.02}, kUntilTrial);
  CHECK(pair.streamed({0.10, 0.05, 0.10, 0.02, 0.02}, 10000) > 9500);
  pair.streamed({0.10, 0.05, 0.10, 0.02, 0.20}, kUntilTrial);
  CHECK(pair.streamed({0.10, 0.05, 0.10, 0.02, 0.20}, 10000) < 500);
  ReadTimes told{};
  StorePolicy deaf(kSlots, told);
  int streamed = 0;
  for (int i = 0; i < kUntilTrial; ++i) {
    told.cached.tell(static_cast<unsigned>(i) * 1664525u % 1013);
    told.streamed.tell(static_cast<unsigned>(i) * 22695477u % 1009);
    streamed += deaf.way() == StoreKind::streamed ? 1 : 0;
    deaf.record(1);
  }
  CHECK(streamed < kUntilTrial);
  ReadClock wild(told);
  for (int i = 0; i < 8; ++i) wild.record(StoreKind::streamed, 1e300);
  CHECK(told.streamed.ticks_per_byte() == ToldTime::kLargest);
}

TEST_CASE("stores: a copy in which the rank lost its core changes little") {
  for (int when = 0; when < 300; ++when) {
    StoringPair pair;
    pair.streamed(kNear, when);
    pair.stores.record(10000);
    INFO("after " << when << " copies");
    CHECK(pair.streamed(kNear, 2000) <= 300);
  }
}
