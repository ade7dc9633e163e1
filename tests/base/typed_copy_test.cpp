// Copies between elements, compared with lists of the bytes in the order in which they travel.
#include "base/typed_copy.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "tests/base/random_elements.hpp"

using namespace tutti;
using tutti::tests::Elements;
using tutti::tests::RandomTypemap;

namespace {

Typemap runs_at(Bytes width, Bytes count, Bytes stride, Bytes offset = 0) {
  Typemap made;
  TypemapBuilder builder(made);
  Loop loop = builder.repeat(TypemapBuilder::run(width), count, stride);
  loop.offset = offset;
  builder.finish(loop);
  return made;
}

// By packing, whose test is elsewhere.
void copy_packed(const TypedBytes& from, Bytes from_begin, const TypedBytes& to, Bytes to_begin,
                 Bytes bytes) {
  std::vector<std::byte> packed(static_cast<std::size_t>(bytes));
  pack(from, from_begin, from_begin + bytes, packed.data());
  unpack(to, to_begin, to_begin + bytes, packed.data());
}

std::vector<std::byte> numbered(std::size_t bytes, std::size_t seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i) made[i] = static_cast<std::byte>(i * 7 + i / 256 + seed);
  return made;
}

}  // namespace

TEST_CASE("elements are copied to elements, and no other byte changes", "[typed copy]") {
  for (std::uint32_t seed = 1; seed <= 1000; ++seed) {
    const Elements elements(seed);
    if (elements.overlap()) continue;
    CAPTURE(seed);
    auto from = elements.memory(1), to = elements.memory(2), wanted = to;
    for (const Bytes place : elements.places) {
      const auto at = static_cast<std::size_t>(place - elements.lowest);
      wanted[at] = from[at];
    }
    copy_elements(elements.at(from), elements.at(to));
    REQUIRE(to == wanted);
  }
}

TEST_CASE("any part of elements is copied by loops, or nothing is", "[typed copy]") {
  int copied = 0, left = 0;
  for (std::uint32_t seed = 1; seed <= 2000; ++seed) {
    const Elements elements(seed);
    const auto size = static_cast<Bytes>(elements.places.size());
    if (elements.overlap() || size == 0) continue;
    RandomTypemap random(seed + 3000000);
    for (int i = 0; i < 6; ++i) {
      // Whole elements now and then, at the same place or not.
      const Bytes each = elements.map.size(), unit = random.upto(1) == 0 ? each : 1;
      const auto any = [&](Bytes most) { return random.upto(most / unit) * unit; };
      const Bytes bytes = any(size), from_begin = any(size - bytes),
                  to_begin = random.upto(1) == 0 ? from_begin : any(size - bytes);
      CAPTURE(seed, from_begin, to_begin, bytes);
      auto from = elements.memory(1), to = elements.memory(2), wanted = to;
      if (copy_by_loops(elements.at(from), from_begin, elements.at(to), to_begin, bytes)) {
        copy_packed(elements.at(from), from_begin, elements.at(wanted), to_begin, bytes);
        copied += bytes > 0;
      } else {
        ++left;
      }
      REQUIRE(to == wanted);
    }
  }
  CHECK(copied > 1000);
  CHECK(left > 100);
}

TEST_CASE("equal runs of one width are copied to those of another", "[typed copy]") {
  constexpr Bytes kBytes = 1 << 12;
  constexpr std::size_t kMemory = 6 * kBytes;
  const auto from = numbered(kMemory, 1);
  for (const Bytes out : {1, 3, 8, 24, 32, 64, 96, 512})
    for (const Bytes in : {1, 3, 8, 24, 32, 64, 96, 512})
      for (const bool backwards : {false, true}) {
        const Bytes bytes = 1536;  // whole runs of all
        CAPTURE(out, in, backwards);
        const Typemap a = runs_at(out, bytes / out, backwards ? -2 * out : 2 * out,
                                  backwards ? 2 * (bytes - out) : 0);
        const Typemap b = runs_at(in, bytes / in, 3 * in, 5);
        std::vector<std::byte> to(kMemory, std::byte{0xAA}), wanted = to;
        const TypedBytes source{a, const_cast<std::byte*>(from.data()), 1, 0};
        const bool matches = std::max(out, in) % std::min(out, in) == 0;
        CHECK(copy_by_loops(source, 0, {b, to.data(), 1, 0}, 0, bytes) == matches);
        if (matches) copy_packed(source, 0, {b, wanted.data(), 1, 0}, 0, bytes);
        REQUIRE(to == wanted);
        // Half a run.
        to = wanted = std::vector<std::byte>(kMemory, std::byte{0xAA});
        const Bytes half = std::max<Bytes>(std::max(out, in) / 2, 1);
        if (copy_by_loops(source, 0, {b, to.data(), 1, 0}, half, bytes - half))
          copy_packed(source, 0, {b, wanted.data(), 1, 0}, half, bytes - half);
        REQUIRE(to == wanted);
      }
}

TEST_CASE("blocks of a matrix and structures are copied by loops", "[typed copy]") {
  const auto copies = [](const Typemap& map, Bytes count, Bytes extent) {
    const auto from = numbered(1 << 18, 1);
    std::vector<std::byte> to(from.size(), std::byte{0xAA}), wanted = to;
    const TypedBytes source{map, const_cast<std::byte*>(from.data()), count, extent};
    const Bytes block = map.size();  // the second element, to the place of the first one
    const bool all = copy_by_loops(source, 0, {map, to.data(), count, extent}, 0, source.size());
    copy_packed(source, 0, {map, wanted.data(), count, extent}, 0, source.size());
    CHECK(to == wanted);
    const bool one = copy_by_loops(source, block, {map, to.data(), count, extent}, 0, block);
    copy_packed(source, block, {map, wanted.data(), count, extent}, 0, block);
    CHECK(to == wanted);
    return all && one;
  };
  CHECK(copies(runs_at(64, 16, 128), 2, 15 * 128 + 64));  // a vector, and another behind it
  CHECK(copies(runs_at(64, 16, 128), 4, 2048));
  Typemap structure;
  TypemapBuilder builder(structure);
  const std::size_t begin = builder.begin();
  builder.add(TypemapBuilder::run(4), 8, begin);
  builder.add(builder.repeat(TypemapBuilder::run(2), 3, 10), 16, begin);
  builder.finish(builder.end(begin));
  CHECK(copies(structure, 2000, 48));
  CHECK(copies(structure, 2, 48));
  Typemap nested;
  TypemapBuilder outer(nested);
  outer.finish(outer.repeat(outer.repeat(TypemapBuilder::run(8), 5, 24), 7, 1000));
  CHECK(copies(nested, 3, 10000));
}
