// Typemaps: what is joined, what is not, and what does not fit.
#include "base/typemap.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <utility>

using namespace tutti;

namespace {

// A sequence of parts with their offsets.
Loop sequence(TypemapBuilder& builder, std::initializer_list<std::pair<Loop, Bytes>> parts) {
  const std::size_t begin = builder.begin();
  for (const auto& [part, offset] : parts) builder.add(part, offset, begin);
  return builder.end(begin);
}

void check_run(const Loop& loop, Bytes offset, Bytes bytes) {
  CHECK(loop.is_run());
  CHECK(loop.offset == offset);
  CHECK(loop.each == bytes);
}

const Loop kInt = TypemapBuilder::run(4), kDouble = TypemapBuilder::run(8);

}  // namespace

TEST_CASE("pieces that follow each other become one run", "[typemap]") {
  Typemap map;
  TypemapBuilder b(map);
  check_run(b.repeat(kInt, 5, 4), 0, 20);
  check_run(b.repeat(b.repeat(kInt, 3, 4), 2, 12), 0, 24);
  check_run(sequence(b, {{kDouble, 8}, {kInt, 16}, {kInt, 20}}), 8, 16);
  check_run(b.repeat(sequence(b, {{kDouble, 0}, {kDouble, 8}}), 10, 16), 0, 160);
  check_run(sequence(b, {{kInt, 0}, {TypemapBuilder::run(0), 77}, {kInt, 4}}), 0, 8);
  CHECK(b.fits());
}

TEST_CASE("what is in another order, or has gaps, is no run", "[typemap]") {
  Typemap map;
  TypemapBuilder b(map);
  CHECK_FALSE(sequence(b, {{kInt, 4}, {kInt, 0}}).is_run());
  CHECK_FALSE(sequence(b, {{kInt, 0}, {kInt, 8}}).is_run());
  CHECK_FALSE(b.repeat(kInt, 2, 8).is_run());
  CHECK_FALSE(b.repeat(kInt, 2, -4).is_run());
  CHECK_FALSE(b.repeat(kInt, 2, 0).is_run());
  CHECK(b.fits());
}

TEST_CASE("equal pieces at equal distances become one loop", "[typemap]") {
  Typemap map;
  TypemapBuilder b(map);
  const Loop pieces = sequence(b, {{kInt, 40}, {kInt, 52}, {kInt, 64}, {kInt, 76}});
  CHECK(pieces.count == 4);
  CHECK(pieces.stride == 12);
  CHECK(pieces.offset == 40);
  CHECK(pieces.parts == 0);
  const Loop pairs =
      sequence(b, {{kInt, 0}, {kInt, 4}, {kInt, 32}, {kInt, 36}, {kInt, 64}, {kInt, 68}});
  CHECK(pairs.count == 3);
  CHECK(pairs.stride == 32);
  CHECK(pairs.each == 8);
  const Loop rows = b.repeat(b.repeat(kInt, 3, 12), 5, 36);
  CHECK(rows.count == 15);
  CHECK(rows.stride == 12);
  const Loop uneven = sequence(b, {{kInt, 0}, {kInt, 8}, {kDouble, 16}});
  CHECK(uneven.parts == 2);
  const Loop bodies = sequence(b, {{uneven, 100}, {uneven, 200}, {uneven, 300}});
  CHECK(bodies.count == 3);
  CHECK(bodies.stride == 100);
  CHECK(bodies.first == uneven.first);
  CHECK(bodies.size() == 48);
  // As many bytes in as many parts, but elsewhere.
  const Loop wider = sequence(b, {{kInt, 0}, {kInt, 8}, {kDouble, 24}});
  REQUIRE(wider.size() == uneven.size());
  REQUIRE(wider.parts == uneven.parts);
  CHECK(sequence(b, {{uneven, 100}, {wider, 200}}).count == 1);
  CHECK(b.fits());
}

TEST_CASE("a typemap that is too long, or beyond 63 bits, does not fit", "[typemap]") {
  constexpr Bytes kMost = std::numeric_limits<Bytes>::max();
  Typemap map;
  {
    TypemapBuilder b(map);
    const std::size_t begin = b.begin();
    for (Bytes i = 0; i < 4096; ++i) b.add(TypemapBuilder::run(1 + i % 3), i * i, begin);
    b.finish(b.end(begin));
    CHECK_FALSE(b.fits());
  }
  {
    TypemapBuilder b(map);
    b.repeat(kInt, kMost / 2, 4);
    CHECK_FALSE(b.fits());
  }
  {
    TypemapBuilder b(map);
    sequence(b, {{kInt, kMost}, {kInt, kMost - 8}});
    CHECK(b.fits());
    sequence(b, {{sequence(b, {{kInt, kMost}}), 1}});
    CHECK_FALSE(b.fits());
  }
}
