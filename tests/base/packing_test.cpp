// Packing by loops, compared with a list of the bytes in the order in which they travel.
#include "base/packing.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <span>
#include <vector>

#include "tests/base/random_elements.hpp"

using namespace tutti;
using tutti::tests::Elements;
using tutti::tests::RandomTypemap;

TEST_CASE("bytes are packed in the order in which they travel", "[packing]") {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Elements elements(seed);
    auto memory = elements.memory(1);
    std::vector<std::byte> expected;
    for (const Bytes place : elements.places)
      expected.push_back(memory[static_cast<std::size_t>(place - elements.lowest)]);
    const auto size = static_cast<Bytes>(expected.size());
    CAPTURE(seed, size);
    std::vector<std::byte> packed(expected.size());
    pack(elements.at(memory), 0, size, packed.data());
    REQUIRE(packed == expected);
    // Any part of them.
    RandomTypemap random(seed + 1000000);
    for (int i = 0; i < 4; ++i) {
      const Bytes begin = random.upto(size), end = begin + random.upto(size - begin);
      std::vector<std::byte> some(static_cast<std::size_t>(end - begin));
      CAPTURE(begin, end);
      pack(elements.at(memory), begin, end, some.data());
      REQUIRE(std::ranges::equal(
          some, std::span(expected).subspan(static_cast<std::size_t>(begin), some.size())));
    }
  }
}

TEST_CASE("bytes are unpacked to their places, and no other byte changes", "[packing]") {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Elements elements(seed);
    if (elements.overlap()) continue;
    CAPTURE(seed);
    const auto size = static_cast<Bytes>(elements.places.size());
    const auto before = elements.memory(2);
    std::vector<std::byte> packed(elements.places.size());
    for (std::size_t i = 0; i < packed.size(); ++i) packed[i] = static_cast<std::byte>(i * 11 + 5);
    auto wanted = before, got = before;
    for (std::size_t i = 0; i < packed.size(); ++i)
      wanted[static_cast<std::size_t>(elements.places[i] - elements.lowest)] = packed[i];
    RandomTypemap random(seed);
    const Bytes middle = random.upto(size);
    unpack(elements.at(got), 0, middle, packed.data());
    unpack(elements.at(got), middle, size, packed.data() + middle);
    REQUIRE(got == wanted);
    got = before;
    unpack(elements.at(got), 0, size, packed.data());
    REQUIRE(got == wanted);
  }
}

TEST_CASE("bytes that are found in memory as one run lie there", "[packing]") {
  int found = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Elements elements(seed);
    const auto size = static_cast<Bytes>(elements.places.size());
    if (size == 0) continue;
    auto memory = elements.memory(1);
    const TypedBytes typed = elements.at(memory);
    RandomTypemap random(seed + 2000000);
    for (int i = 0; i < 10; ++i) {
      const Bytes begin = random.upto(size - 1),
                  end = begin + 1 + random.upto(std::min<Bytes>(size - begin - 1, 20));
      CAPTURE(seed, begin, end);
      const std::byte* const run = run_in_memory(typed, begin, end);
      if (!run) continue;
      ++found;
      for (Bytes at = begin; at < end; ++at)
        REQUIRE(run + (at - begin) == typed.first + elements.places[static_cast<std::size_t>(at)]);
    }
  }
  CHECK(found > 1000);
}

TEST_CASE("places are not said to differ where two bytes share one", "[packing]") {
  int differ = 0, share = 0;
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Elements elements(seed);
    auto memory = elements.memory(1);
    CAPTURE(seed);
    if (places_differ(elements.at(memory))) {
      REQUIRE_FALSE(elements.overlap());
      if (!elements.places.empty()) {
        const auto reach = reach_of_places(elements.at(memory));
        const auto [low, high] = std::ranges::minmax(elements.places);
        REQUIRE(reach);
        const auto first = reinterpret_cast<std::uintptr_t>(elements.at(memory).first);
        CHECK(reach->begin == first + static_cast<std::uintptr_t>(low));
        CHECK(reach->end == first + static_cast<std::uintptr_t>(high) + 1);
      }
      ++differ;
    }
    share += elements.overlap();
  }
  CHECK(differ > 500);
  CHECK(share > 200);
}

TEST_CASE("places are known to differ in types that programs use", "[packing]") {
  Typemap map;
  const auto differ = [&](const auto& make, Bytes count, Bytes extent) {
    TypemapBuilder builder(map);
    builder.finish(make(builder));
    REQUIRE(builder.fits());
    return places_differ({map, nullptr, count, extent});
  };
  const auto vector = [](Bytes count, Bytes width, Bytes stride) {
    return [=](TypemapBuilder& builder) {
      return builder.repeat(TypemapBuilder::run(width), count, stride);
    };
  };
  CHECK(differ(vector(100, 64, 128), 3, 128 * 99 + 64));
  CHECK(differ(vector(100, 64, -128), 3, 20000));
  CHECK(differ(vector(100, 8, 800), 100, 8));  // columns, one after another: a transposition
  CHECK_FALSE(differ(vector(100, 8, 800), 101, 8));
  CHECK_FALSE(differ(vector(3, 8, 7), 1, 0));
  CHECK_FALSE(differ(vector(1, 8, 8), 2, 0));
  const auto structure = [](Bytes second) {
    return [=](TypemapBuilder& builder) {
      const std::size_t begin = builder.begin();
      builder.add(TypemapBuilder::run(4), 8, begin);
      builder.add(builder.repeat(TypemapBuilder::run(2), 3, 10), second, begin);
      return builder.end(begin);
    };
  };
  CHECK(differ(structure(16), 10, 48));
  CHECK(differ(structure(-30), 10, 48));
  CHECK_FALSE(differ(structure(10), 10, 48));
  CHECK_FALSE(differ(structure(16), 10, 20));
}

TEST_CASE("offsets and sizes may be beyond 2 GiB", "[packing]") {
  constexpr Bytes kRun = Bytes{1} << 20, kMuch = Bytes{3} << 30;
  Typemap map;
  TypemapBuilder builder(map);
  // 3 GiB of the same mebibyte, moved on by a byte each time.
  builder.finish(builder.repeat(TypemapBuilder::run(kRun), kMuch / kRun, 1));
  std::vector<std::byte> memory(kRun + kMuch / kRun);
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 13 / 7);
  std::byte some[3];
  const TypedBytes typed{map, memory.data(), 1, 0};
  CHECK(typed.size() == kMuch);
  pack(typed, kMuch - 2 * kRun - 1, kMuch - 2 * kRun + 2, some);
  CHECK(some[0] == memory[kRun - 1 + kMuch / kRun - 3]);
  CHECK(some[1] == memory[kMuch / kRun - 2]);
  CHECK(some[2] == memory[kMuch / kRun - 1]);
}
