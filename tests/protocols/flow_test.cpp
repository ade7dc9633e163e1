// Credits.
#include "protocols/flow.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using protocols::InFlow;
using protocols::OutFlow;
using protocols::Reports;

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
  CHECK(out.update(1));        // older than the last
  CHECK_FALSE(out.update(5));  // never sent
}

TEST_CASE("counters may go round 2^32", "[flow]") {
  OutFlow out(64);
  InFlow in(64);
  for (std::uint64_t i = 0; i < (std::uint64_t{1} << 32) + 1000; i += 1) {
    out.sent();
    in.take(in.first());
    REQUIRE(out.update(in.consumed()));
    if (i == 1000) {  // skip the middle, which is like the beginning
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
  CHECK(in.taken(2));  // given back: a search that comes by later must not take it again
  in.take(5);
  CHECK(in.consumed() == 3);
  in.take(4);
  CHECK(in.consumed() == 5);
}

TEST_CASE("a report goes when the sender's credits are about to end, and never too late",
          "[flow]") {
  for (std::uint32_t slots = 1; slots <= protocols::kMaxSlots; slots *= 2)
    for (const Reports reports : {Reports::late, Reports::at_half}) {
      INFO(slots << " slots, at half " << (reports == Reports::at_half));
      InFlow in(slots, reports);
      std::uint32_t messages = 0;
      CHECK_FALSE(in.exhausts_slots(slots - 1));
      CHECK(in.exhausts_slots(slots));
      do {
        CHECK_FALSE(in.owes_report());
        in.take(in.first());
        CHECK_FALSE(in.exhausts_slots(slots + messages));
      } while (++messages < slots && !in.owes_report());
      CHECK(in.owes_report());
      if (reports == Reports::at_half)
        CHECK(messages == (slots + 1) / 2);
      else
        CHECK((4 * messages >= 3 * slots || slots == 2));
      CHECK((messages < slots || slots == 1));  // meanwhile the sender goes on
      CHECK(in.exhausts_credit(slots));
      in.told();
      CHECK_FALSE(in.owes_report());
      CHECK_FALSE(in.exhausts_credit(slots));
    }
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

TEST_CASE("what is set aside frees its slot, and gives no credit until it is consumed", "[flow]") {
  InFlow in(4);
  in.take(2);  // consumed before the first
  in.set_first_aside();
  CHECK(in.any_aside());
  CHECK(in.freed() == 2);
  CHECK(in.consumed() == 1);
  CHECK(in.first() == 3);
  in.take_aside();
  CHECK_FALSE(in.any_aside());
  CHECK(in.consumed() == 2);
  CHECK(in.exhausts_credit(4));  // nothing of all that was told
  CHECK_FALSE(in.exhausts_slots(5));
  CHECK(in.exhausts_slots(6));
  in.told();
  CHECK_FALSE(in.exhausts_credit(5));
  CHECK(in.exhausts_credit(6));
}

TEST_CASE("a slot may be found without credit", "[flow]") {
  OutFlow out(2);
  for (int i = 0; i < 2; ++i) out.sent();
  CHECK_FALSE(out.has_credit());
  CHECK_FALSE(out.finds_slot(0));
  CHECK(out.finds_slot(1));
  CHECK(out.has_sent(2));
  CHECK_FALSE(out.has_sent(3));
  out.sent();
  CHECK_FALSE(out.finds_slot(1));
  CHECK(out.update(3));
  CHECK(out.has_credit());
}
