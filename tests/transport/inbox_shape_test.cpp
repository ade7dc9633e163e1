// The geometry of inboxes: slots in their places, none over another.
#include "transport/inbox_shape.hpp"

#include <catch2/catch.hpp>

#include "tests/transport/rings.hpp"

using namespace tutti::tests;
using namespace tutti::transport;

namespace {

constexpr InboxShape kShape{{{{64, 16}, {320, 4}, {1088, 2}, {64, 8}, {64, 1}}}};

}  // namespace

TEST_CASE("slots follow each other, after the line of credits, to the inbox's end", "[inbox]") {
  std::size_t end = InboxShape::kCreditBytes;
  for (const Ring ring : kAllRings)
    for (std::uint32_t i = 0; i < kShape[ring].slots; ++i)
      REQUIRE(kShape.slot_end(ring, i) == (end += kShape[ring].slot_bytes));
  CHECK(kShape.bytes() == end);
}

TEST_CASE("trailers are aligned, and so are payloads", "[inbox]") {
  for (const Ring ring : kAllRings) {
    CHECK(kShape.slot_end(ring, 0) % tutti::kCacheLine == 0);
    CHECK((kShape.slot_end(ring, 0) - sizeof(Trailer)) % alignof(Trailer) == 0);
  }
  CHECK(padded(0) == 0);
  CHECK(padded(1) == 8);
  CHECK(padded(8) == 8);
  CHECK(padded(9) == 16);
}

TEST_CASE("sequences go round the slots, also when they wrap", "[inbox]") {
  const RingShape ring{64, 8};
  CHECK(ring.index_of(1) == 0);
  CHECK(ring.index_of(8) == 7);
  CHECK(ring.index_of(9) == 0);
  CHECK(ring.index_of(0) == 7);  // 2^32, after 2^32 - 1
  CHECK(ring.index_of(0xffffffff) == 6);
}

TEST_CASE("shapes that would not work are not valid", "[inbox]") {
  CHECK(kShape.valid());
  for (const RingShape bad :
       {RingShape{64, 0}, RingShape{64, 3}, RingShape{100, 4}, RingShape{0, 4}}) {
    InboxShape shape = kShape;
    shape.rings[2] = bad;
    CHECK_FALSE(shape.valid());
    CHECK_FALSE(shape == kShape);
  }
}

TEST_CASE("the first inbox of a connection is small, and no ring is missing", "[inbox]") {
  constexpr InboxShape kUsual{{{{64, 64}, {1088, 64}, {16448, 16}, {64, 16}, {64, 16}}}};
  constexpr InboxShape kSoftware{{{{64, 64}, {1088, 64}, {65600, 16}, {64, 16}, {64, 16}}}};
  CHECK(first_shape(kUsual).valid());
  CHECK(first_shape(kUsual) == first_shape(kSoftware));
  CHECK(first_shape(kUsual).bytes() <= 16 * 1024);
  // The shortest messages need hardly more reports than later.
  CHECK(2 * first_shape(kUsual)[Ring::line].slots >= kUsual[Ring::line].slots);
  for (std::size_t r = 0; r < kRings; ++r)
    CHECK(first_shape(kUsual).rings[r].slots <= kUsual.rings[r].slots);
  constexpr InboxShape kTiny{{{{64, 1}, {128, 2}, {64, 1}, {64, 1}, {64, 1}}}};
  CHECK(first_shape(kTiny) == kTiny);
}

TEST_CASE("a length, its mark, and whether more comes do not touch each other", "[inbox]") {
  for (const std::uint32_t bytes : {0u, 1u, 65536u, (1u << 29) - 1})
    for (const bool more : {false, true}) {
      const Length plain(bytes, more);
      CHECK(plain.mark() == 0);
      for (const std::uint32_t mark : {1u, 2u, 3u}) {
        const Length marked = plain.with_mark(mark);
        CHECK(marked.bytes() == bytes);
        CHECK(marked.more() == more);
        CHECK(marked.mark() == mark);
        CHECK(marked.with_mark(0).mark() == 0);
      }
    }
}
