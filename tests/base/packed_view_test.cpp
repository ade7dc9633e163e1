// A room that has values only where they were wanted.
#include "base/packed_view.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <optional>
#include <random>
#include <vector>

using namespace tutti;

namespace {

constexpr Bytes kWidth = 3, kStride = 5, kCount = 40, kSize = kWidth * kCount;

Typemap runs(Bytes width, Bytes count, Bytes stride) {
  Typemap made;
  TypemapBuilder builder(made);
  builder.finish(builder.repeat(TypemapBuilder::run(width), count, stride));
  return made;
}

struct Fixture {
  Typemap map = runs(kWidth, kCount, kStride);
  std::vector<std::byte> memory = std::vector<std::byte>(kStride * kCount, std::byte{0xAA});
  std::vector<std::byte> room = std::vector<std::byte>(kSize, std::byte{0xEE});
  PackedView view{{map, memory.data(), 1, 0}, room.data()};

  std::byte& in_room(Bytes at) { return room[static_cast<std::size_t>(at)]; }
};

// One part, or several at places in another order: plain bytes, runs that are far apart, and
// elements of two runs.
struct Parts {
  using Numbers = std::mt19937;
  static constexpr Bytes kPlace = 400, kMost = 7;

  Parts(int count, Numbers& random) {
    std::vector<Bytes> places(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<Bytes>(i) * kPlace;
    std::shuffle(places.begin(), places.end(), random);
    for (const Bytes place : places) add(place, random);
    room.resize(elements.size(), std::byte{0xEE});
    if (count == 1)
      view.emplace(parts.front().typed, room.data());
    else
      view.emplace(parts, room.data());
  }
  void add(Bytes place, Numbers& random) {
    const auto begin = static_cast<Bytes>(elements.size());
    std::byte* const first = memory.data() + place;
    const auto take = [&](Bytes from, Bytes bytes) {
      for (Bytes i = 0; i < bytes; ++i) elements.push_back(first + from + i);
    };
    const Bytes times = std::uniform_int_distribution<Bytes>(1, 10)(random);
    switch (random() % 3) {
      case 0:
        parts.push_back({TypedBytes::plain(first, 9 * times), begin});
        return take(0, 9 * times);
      case 1:
        parts.push_back({{far_runs, first, times, 30}, begin});
        for (Bytes i = 0; i < times; ++i) take(30 * i + 3, 7), take(30 * i + 15, 7);
        return;
      default:
        parts.push_back({{long_runs, first, times, 24}, begin});
        for (Bytes i = 0; i < times; ++i) take(24 * i, 20);
    }
  }
  // The address of these bytes, if one run holds them; otherwise null.
  std::byte* run(Bytes begin, Bytes end) const {
    for (Bytes i = begin + 1; i < end; ++i)
      if (element(i) != element(i - 1) + 1) return nullptr;
    return element(begin);
  }
  std::byte* element(Bytes at) const { return elements[static_cast<std::size_t>(at)]; }
  Bytes size() const { return static_cast<Bytes>(elements.size()); }

  Typemap far_runs = [] {
    Typemap made;
    TypemapBuilder builder(made);
    Loop two = builder.repeat(TypemapBuilder::run(7), 2, 12);
    two.offset = 3;
    builder.finish(two);
    return made;
  }();
  Typemap long_runs = runs(20, 1, 0);
  std::vector<std::byte> memory = std::vector<std::byte>(kPlace * kMost, std::byte{0xAA});
  std::vector<std::byte*> elements;  // by place in the room
  std::vector<PackedView::Part> parts;
  std::vector<std::byte> room;
  std::optional<PackedView> view;
};

}  // namespace

TEST_CASE("whatever was brought, and has come since, the room has what was asked for",
          "[packed view]") {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto upto = [&](Bytes last) {
      return std::uniform_int_distribution<Bytes>(0, last)(random);
    };
    Parts f(static_cast<int>(1 + seed % Parts::kMost), random);
    REQUIRE(f.view->size() == f.size());
    REQUIRE(f.view->places_differ());
    std::vector<std::byte> values(f.elements.size()), was = f.memory;
    for (Bytes i = 0; i < f.size(); ++i)
      *f.element(i) = values[static_cast<std::size_t>(i)] = static_cast<std::byte>(i);
    for (int step = 0; step < 30; ++step) {
      const Bytes begin = upto(f.size()), bytes = upto(f.size() - begin);
      const auto first = values.begin() + begin, last = first + bytes;
      std::byte* const at = f.room.data() + begin;
      std::vector<std::byte> come(static_cast<std::size_t>(bytes));
      for (auto& byte : come) byte = static_cast<std::byte>(upto(255));
      switch (upto(4)) {
        case 0:
          f.view->unpack(at, bytes, come.data());
          std::ranges::copy(come, first);
          break;
        case 1:
          std::ranges::copy(come, at);
          f.view->unpack(at, bytes, at);
          std::ranges::copy(come, first);
          break;
        case 2:
          f.view->pack(at, bytes, come.data());
          REQUIRE(std::equal(first, last, come.begin()));
          break;
        case 3: {
          const Bytes few = std::min(bytes, upto(20));
          if (few == 0) break;
          std::byte* const run = f.view->run_in_memory(at, few);
          if (run) {
            REQUIRE(run == f.run(begin, begin + few));
            f.view->forget(at, few);
            std::copy_n(come.begin(), few, run);
            std::copy_n(come.begin(), few, first);
          }
          break;
        }
        default: f.view->bring(at, bytes); REQUIRE(std::equal(first, last, at));
      }
      for (Bytes i = 0; i < f.size(); ++i)
        REQUIRE(*f.element(i) == values[static_cast<std::size_t>(i)]);
    }
    for (std::byte* const element : f.elements)  // the gaps are left
      *element = std::byte{0xAA};
    REQUIRE(f.memory == was);
  }
}

TEST_CASE("bytes of one run are found where they lie", "[packed view]") {
  std::mt19937 random(3);
  for (int count = 1; count <= Parts::kMost; ++count) {
    const Parts f(count, random);
    for (Bytes begin = 0; begin < f.size(); ++begin)
      for (Bytes end = begin + 1; end <= std::min(f.size(), begin + 100); ++end) {
        CAPTURE(count, begin, end);
        std::byte* const run = f.view->run_in_memory(f.room.data() + begin, end - begin);
        const auto part = std::find_if(f.parts.begin(), f.parts.end(),
                                       [&](const auto& p) { return begin < p.end(); });
        if (end <= part->end())
          REQUIRE(run == f.run(begin, end));
        else
          REQUIRE(run == nullptr);  // parts are not joined
      }
  }
}

TEST_CASE("runs go through all parts", "[packed view]") {
  std::mt19937 random(4);
  for (int count = 1; count <= Parts::kMost; ++count) {
    const Parts f(count, random);
    for (Bytes begin = 0; begin < f.size(); begin += 7)
      for (Bytes end = begin; end <= f.size(); end += 31) {
        CAPTURE(count, begin, end);
        ByteRun room[5];
        RunList runs(room);
        f.view->take_runs(f.room.data() + begin, end - begin, runs);
        CHECK((runs.bytes() == end - begin || runs.taken().size() == std::size(room)));
        Bytes at = begin;
        for (const ByteRun& run : runs.taken())
          for (Bytes i = 0; i < run.bytes; ++i) REQUIRE(run.first + i == f.element(at++));
      }
  }
}

// Runs of 600 bytes against runs of 700 are long, runs of 8 are short; and one kind may follow the
// other.
TEST_CASE("bytes go from one view to another, and no other byte changes", "[packed view]") {
  const Typemap short_runs = runs(8, 500, 24), long_runs = runs(600, 40, 1000),
                longer_runs = runs(700, 40, 900);
  const auto views_of = [&](const Typemap& map, std::vector<std::byte>& memory) {
    memory.resize(64000, std::byte{0xAA});
    return TypedBytes{map, memory.data(), 1, 0};
  };
  std::vector<std::byte> room(64000);
  for (std::size_t i = 0; i < 2; ++i)
    for (const Typemap* const map : {&short_runs, &long_runs}) {
      CAPTURE(i, map->size());
      std::vector<std::byte> first, second, third, other = room;
      const TypedBytes a = views_of(*map, first), b = views_of(i == 0 ? *map : short_runs, second);
      for (auto* const memory : {&first, &second})
        for (std::size_t k = 0; k < memory->size(); ++k)
          (*memory)[k] = static_cast<std::byte>(k * 13 / 7 + i);
      const PackedView::Part parts[] = {{a, 0}, {b, a.size()}};
      const PackedView from(parts, room.data());
      const TypedBytes c = views_of(longer_runs, third);
      PackedView to(c, other.data());
      const Bytes begin = 5, bytes = std::min(from.size(), to.size()) - 9;
      std::vector<std::byte> expected(third), packed(static_cast<std::size_t>(bytes));
      from.pack(room.data() + begin, bytes, packed.data());
      unpack({longer_runs, expected.data(), 1, 0}, 2, 2 + bytes, packed.data());
      to.bring(other.data(), to.size());  // out of date afterwards
      copy_between(from, room.data() + begin, to, other.data() + 2, bytes);
      CHECK(third == expected);
      to.bring(other.data(), to.size());
      CHECK(std::equal(packed.begin(), packed.end(), other.begin() + 2));
    }
}

TEST_CASE("parts that reach into each other may share places", "[packed view]") {
  std::vector<std::byte> memory(100), room(100);
  const auto differ = [&](Bytes first, Bytes second, Bytes third) {
    const Bytes places[] = {first, second, third};
    std::vector<PackedView::Part> parts;
    for (std::size_t i = 0; i < 3; ++i)
      parts.push_back(
          {TypedBytes::plain(memory.data() + places[i], 10), 10 * static_cast<Bytes>(i)});
    return PackedView(parts, room.data()).places_differ();
  };
  CHECK(differ(0, 10, 20));
  CHECK(differ(40, 20, 30));
  CHECK_FALSE(differ(40, 20, 31));
  CHECK_FALSE(differ(20, 0, 11));
  CHECK_FALSE(differ(5, 5, 50));
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
