// A room that has values only where they were wanted.
#include "base/packed_view.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace tutti;

namespace {

constexpr Bytes kWidth = 3, kStride = 5, kCount = 40, kSize = kWidth * kCount;

struct Fixture {
  Typemap map = [] {
    Typemap made;
    TypemapBuilder builder(made);
    builder.finish(builder.repeat(TypemapBuilder::run(kWidth), kCount, kStride));
    return made;
  }();
  std::vector<std::byte> memory = std::vector<std::byte>(kStride * kCount, std::byte{0xAA});
  std::vector<std::byte> room = std::vector<std::byte>(kSize, std::byte{0xEE});
  PackedView view{{map, memory.data(), 1, 0}, room.data()};

  std::byte& element(Bytes at) {
    return memory[static_cast<std::size_t>(at / kWidth * kStride + at % kWidth)];
  }
  std::byte& in_room(Bytes at) { return room[static_cast<std::size_t>(at)]; }
};

}  // namespace

TEST_CASE("whatever was brought, and has come since, the room has what was asked for",
          "[packed view]") {
  for (std::uint32_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto upto = [&](Bytes last) {
      return std::uniform_int_distribution<Bytes>(0, last)(random);
    };
    Fixture f;
    std::vector<std::byte> values(kSize);
    for (Bytes i = 0; i < kSize; ++i)
      f.element(i) = values[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    for (int step = 0; step < 30; ++step) {
      const Bytes begin = upto(kSize), bytes = upto(kSize - begin);
      const auto first = values.begin() + begin, last = first + bytes;
      std::byte* const at = f.room.data() + begin;
      std::vector<std::byte> come(static_cast<std::size_t>(bytes));
      for (auto& byte : come) byte = static_cast<std::byte>(upto(255));
      switch (upto(3)) {
        case 0:
          f.view.unpack(at, bytes, come.data());
          std::ranges::copy(come, first);
          break;
        case 1:
          std::ranges::copy(come, at);
          f.view.unpack(at, bytes, at);
          std::ranges::copy(come, first);
          break;
        case 2:
          f.view.pack(at, bytes, come.data());
          REQUIRE(std::equal(first, last, come.begin()));
          break;
        default: f.view.bring(at, bytes); REQUIRE(std::equal(first, last, at));
      }
      for (Bytes i = 0; i < kSize; ++i)
        REQUIRE(f.element(i) == values[static_cast<std::size_t>(i)]);
    }
    for (Bytes i = 0; i + 1 < kCount; ++i)  // the gaps
      for (Bytes gap = i * kStride + kWidth; gap < (i + 1) * kStride; ++gap)
        REQUIRE(f.memory[static_cast<std::size_t>(gap)] == std::byte{0xAA});
  }
}

TEST_CASE("what is in the room is not written again, nor what was not asked for", "[packed view]") {
  Fixture f;
  f.view.bring(f.room.data() + 10, 20);
  CHECK(f.in_room(9) == std::byte{0xEE});
  CHECK(f.in_room(10) == std::byte{0xAA});
  CHECK(f.in_room(30) == std::byte{0xEE});
  f.in_room(15) = std::byte{1};  // somebody may read it: it must stay
  f.view.bring(f.room.data() + 5, 10);
  f.view.bring(f.room.data() + 20, 30);
  f.view.bring(f.room.data() + 5, 45);
  CHECK(f.in_room(15) == std::byte{1});
  CHECK(f.in_room(4) == std::byte{0xEE});
  CHECK(f.in_room(50) == std::byte{0xEE});
}
