// Runs of memory, compared with a list of the bytes in the order in which they travel.
#include "base/runs.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/base/random_elements.hpp"

using namespace tutti;
using tutti::tests::Elements;

namespace {

// The places of the bytes in these runs.
std::vector<Bytes> places_in(std::span<const ByteRun> runs, const std::byte* origin) {
  std::vector<Bytes> places;
  for (const ByteRun& run : runs)
    for (Bytes i = 0; i < run.bytes; ++i) places.push_back(run.first - origin + i);
  return places;
}

}  // namespace

TEST_CASE("runs hold the bytes in the order in which they travel", "[runs]") {
  for (std::uint32_t seed = 1; seed <= 300; ++seed) {
    const Elements elements(seed);
    std::vector<std::byte> memory = elements.memory(1);
    const TypedBytes typed = elements.at(memory);
    std::mt19937 random(seed);
    for (int i = 0; i < 5; ++i) {
      const auto draw = [&](Bytes from, Bytes to) {
        return std::uniform_int_distribution<Bytes>(from, to)(random);
      };
      const Bytes begin = draw(0, typed.size()), end = draw(begin, typed.size());
      std::vector<ByteRun> room(static_cast<std::size_t>(draw(1, 9)));
      INFO("seed " << seed << ", bytes " << begin << " to " << end << ", room for " << room.size());
      std::vector<Bytes> found;
      for (Bytes at = begin; at < end;) {
        RunList runs(room);
        const bool all = runs.append(typed, at, end);
        REQUIRE(runs.bytes() > 0);
        at += runs.bytes();
        CHECK(all == (at == end));
        if (!all) CHECK(runs.taken().size() == room.size());
        for (const Bytes place : places_in(runs.taken(), typed.first)) found.push_back(place);
      }
      CHECK(found ==
            std::vector<Bytes>(elements.places.begin() + begin, elements.places.begin() + end));
    }
  }
}

TEST_CASE("runs that meet in memory are one", "[runs]") {
  Typemap map;
  TypemapBuilder builder(map);
  builder.finish(builder.repeat(TypemapBuilder::run(4), 3, 8));  // the last one meets the next
  std::vector<std::byte> memory(60);
  std::vector<ByteRun> room(10);
  RunList runs(room);
  CHECK(runs.append({map, memory.data(), 2, 20}, 0, 24));
  CHECK(runs.append(TypedBytes::plain(memory.data() + 40, 5), 0, 5));
  REQUIRE(runs.taken().size() == 5);
  CHECK(runs.taken()[2].first == memory.data() + 16);
  CHECK(runs.taken()[2].bytes == 8);
  CHECK(runs.taken()[4].bytes == 9);
  CHECK(runs.bytes() == 29);
}

TEST_CASE("plain bytes are one run, however many", "[runs]") {
  constexpr Bytes kBytes = Bytes{1} << 40;  // byte by byte it would never end
  std::byte first{};
  ByteRun room[2];
  RunList runs(room);
  CHECK(runs.append(TypedBytes::plain(&first, kBytes), 5, kBytes - 7));
  REQUIRE(runs.taken().size() == 1);
  CHECK(runs.taken()[0].first == &first + 5);
  CHECK(runs.bytes() == kBytes - 12);
}
