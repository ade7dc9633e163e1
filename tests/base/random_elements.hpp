// Typemaps made at random, and the places of their bytes as their parts define them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "base/packing.hpp"

namespace tutti::tests {

// A typemap made at random, and the offsets of its bytes as its parts define them.
class RandomTypemap {
 public:
  explicit RandomTypemap(std::uint32_t seed) : random_(seed) {}

  struct Part {
    Loop loop;
    std::vector<Bytes> places;
  };
  Bytes upto(Bytes last) { return std::uniform_int_distribution<Bytes>(0, last)(random_); }
  Part part(TypemapBuilder& builder, int depth) {
    if (depth == 0 || upto(3) == 0) return run();
    return upto(1) == 0 ? repeated(builder, depth) : sequence(builder, depth);
  }

 private:
  Part run() {
    static constexpr Bytes kWidths[] = {0,  1,  2,  3,  4,  5,  7,  8,  12,
                                        13, 16, 24, 31, 32, 33, 64, 100};
    const Bytes width = kWidths[upto(std::size(kWidths) - 1)];
    Part made{TypemapBuilder::run(width), {}};
    for (Bytes i = 0; i < width; ++i) made.places.push_back(i);
    return made;
  }
  Part repeated(TypemapBuilder& builder, int depth) {
    const Part body = part(builder, depth - 1);
    const Bytes count = upto(5), stride = upto(1) == 0 ? body.loop.size() : upto(300) - 100;
    Part made{builder.repeat(body.loop, count, stride), {}};
    for (Bytes i = 0; i < count; ++i)
      for (const Bytes place : body.places) made.places.push_back(i * stride + place);
    return made;
  }
  Part sequence(TypemapBuilder& builder, int depth) {
    Part made;
    const std::size_t begin = builder.begin();
    Part part = this->part(builder, depth - 1);
    Bytes offset = upto(100) - 50;
    for (Bytes i = upto(4); i >= 0; --i) {
      builder.add(part.loop, offset, begin);
      for (const Bytes place : part.places) made.places.push_back(offset + place);
      offset += upto(1) == 0 ? part.loop.size() : upto(60) - 20;
      if (upto(1) == 0) part = this->part(builder, depth - 1);
    }
    made.loop = builder.end(begin);
    return made;
  }

  std::mt19937 random_;
};

struct Elements {
  Typemap map;
  Bytes count = 0, extent = 0, lowest = 0, highest = 0;
  std::vector<Bytes> places;  // of all bytes, in order

  explicit Elements(std::uint32_t seed) {
    RandomTypemap random(seed);
    TypemapBuilder builder(map);
    const auto made = random.part(builder, 4);
    builder.finish(made.loop);
    REQUIRE(builder.fits());
    REQUIRE(map.size() == static_cast<Bytes>(made.places.size()));
    count = random.upto(4);
    extent = random.upto(1) == 0 ? map.size() : random.upto(400) - 100;
    for (Bytes i = 0; i < count; ++i)
      for (const Bytes place : made.places) places.push_back(i * extent + place);
    for (const Bytes place : places) {
      lowest = std::min(lowest, place);
      highest = std::max(highest, place + 1);
    }
  }
  std::vector<std::byte> memory(int seed) const {
    std::vector<std::byte> bytes(static_cast<std::size_t>(highest - lowest));
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::byte>(i * 7 + i / 256 + static_cast<std::size_t>(seed));
    return bytes;
  }
  TypedBytes at(std::vector<std::byte>& memory) const {
    return {map, memory.data() - lowest, count, extent};
  }
  bool overlap() const {
    auto sorted = places;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) != sorted.end();
  }
};

}  // namespace tutti::tests
