// Credits and inbox geometry.
#include <catch2/catch.hpp>

#include "protocols/flow.hpp"
#include "transport/inbox.hpp"
#include "transport/memory.hpp"

using namespace tutti;
using protocols::InFlow;
using protocols::OutFlow;

TEST_CASE("a sender has as many credits as slots, and gets back what was consumed", "[flow]") {
  OutFlow out(4);
  for (int i = 0; i < 4; ++i) {
    REQUIRE(out.has_credit());
    CHECK(out.next_index() == static_cast<std::uint32_t>(i));
    CHECK(out.next_sequence() == static_cast<std::uint32_t>(i + 1));
    out.sent();
  }
  CHECK_FALSE(out.has_credit());
  CHECK(out.update(2));
  CHECK(out.has_credit());
  CHECK(out.update(1));        // old news
  CHECK_FALSE(out.update(5));  // never sent
}

TEST_CASE("counters go round 2^32 without a notice", "[flow]") {
  OutFlow out(64);
  InFlow in(64);
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32) + 1000; i += 1) {
    out.sent();
    in.take(in.first());
    REQUIRE_FALSE(!out.update(in.consumed()));
    if (i == 1000) {  // jump: the middle is like the beginning
      i = (std::uint64_t{1} << 32);
    }
  }
  CHECK(out.has_credit());
}

TEST_CASE("slots are given back in order, whatever the order of consumption", "[flow]") {
  InFlow in(8);
  in.take(3);
  in.take(2);
  CHECK(in.consumed() == 0);
  CHECK(in.taken(3));
  CHECK_FALSE(in.taken(1));
  in.take(1);
  CHECK(in.consumed() == 3);
  CHECK(in.first() == 4);
  CHECK(in.taken(2));  // given back: whoever still comes by here must not take it again
  in.take(5);
  CHECK(in.consumed() == 3);
  CHECK_FALSE(in.owes_report());
  in.take(4);
  CHECK(in.consumed() == 5);
  CHECK(in.owes_report());
  in.told();
  CHECK_FALSE(in.owes_report());
}

TEST_CASE("one slot works", "[flow]") {
  OutFlow out(1);
  InFlow in(1);
  for (int i = 0; i < 10; ++i) {
    REQUIRE(out.has_credit());
    CHECK(out.next_index() == 0);
    out.sent();
    CHECK_FALSE(out.has_credit());
    in.take(in.first());
    CHECK(in.owes_report());
    in.told();
    CHECK(out.update(in.consumed()));
  }
}

TEST_CASE("slots lie apart, end on cache lines, and RTR entries fit in multiples of 32 bytes",
          "[inbox]") {
  const transport::InboxShape shape{{{{64, 64}, {1088, 32}, {16448, 16}, {64, 16}, {64, 16}}}};
  std::size_t last = transport::InboxShape::kCreditBytes;
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    const auto ring = static_cast<transport::Ring>(r);
    for (std::uint32_t i = 0; i < shape[ring].slots; ++i) {
      const std::size_t end = shape.slot_end(ring, i);
      CHECK(end == last + shape[ring].slot_bytes);
      CHECK(end % kCacheLine == 0);
      last = end;
    }
  }
  CHECK(last == shape.bytes());
  CHECK(sizeof(transport::RemoteKey) + 8 + sizeof(transport::Trailer) <= 64);
}
