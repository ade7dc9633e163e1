// Freed communicators: ranges, and what is still said of them.
#include "src/news/freed.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

using namespace tutti;
using protocols::News;

namespace {

News death_of(int culprit) { return {.code = Code::peer_failed, .culprit = culprit}; }
News refusal_of(CollectiveNumber call, Code code) {
  return {.kind = News::Kind::refused, .call = call, .code = code, .culprit = 3};
}

}  // namespace

TEST_CASE("what was said of a freed communicator is kept in whatever order they are freed",
          "[freed]") {
  // Every order of six, of which ranges of two kinds grow, meet and are filled.
  const auto said_of = [](CommunicatorId id) {
    return id == 4 || id == 5 ? Freed::Said{death_of(2)} : Freed::Said{};
  };
  std::vector<CommunicatorId> order{2, 3, 4, 5, 6, 8};
  do {
    Freed freed;
    for (std::size_t i = 0; i < order.size(); ++i) {
      freed.note(order[i], said_of(order[i]));
      for (CommunicatorId id = 1; id <= 9; ++id) {
        const auto end = order.begin() + static_cast<std::ptrdiff_t>(i) + 1;
        const bool gone = std::find(order.begin(), end, id) != end;
        REQUIRE(freed.has(id) == gone);
        REQUIRE(freed.ended_well(id) == (gone && said_of(id).empty()));
        REQUIRE(freed.answer(id, 0).has_value() == (gone && !said_of(id).empty()));
      }
    }
    REQUIRE(freed.ranges() == 4);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("more may be known of a communicator after it was freed", "[freed]") {
  for (CommunicatorId which = 1; which <= 3; ++which) {
    Freed freed;
    for (CommunicatorId id = 1; id <= 3; ++id) freed.note(id, {});
    REQUIRE(freed.ranges() == 1);
    freed.note(which, {death_of(7)});
    for (CommunicatorId id = 1; id <= 3; ++id) {
      CHECK(freed.has(id));
      CHECK(freed.ended_well(id) == (id != which));
    }
    CHECK(freed.answer(which, 5)->culprit == 7);
    CHECK(freed.answer(which, 5)->communicator == which);
    CHECK(freed.ranges() == (which == 2 ? 3 : 2));
  }
}

TEST_CASE("who waits hears the failure, or the refusal of that very call", "[freed]") {
  Freed freed;
  freed.note(1, {refusal_of(4, Code::bad_count), refusal_of(6, Code::bad_root)});
  CHECK(freed.answer(1, 4)->code == Code::bad_count);
  CHECK(freed.answer(1, 6)->code == Code::bad_root);
  CHECK_FALSE(freed.answer(1, 5));
  CHECK_FALSE(freed.ended_well(1));
  freed.note(2, {death_of(2), refusal_of(6, Code::bad_root)});
  CHECK(freed.answer(2, 6)->code == Code::peer_failed);
  CHECK_FALSE(freed.answer(3, 4));
}

TEST_CASE("freed communicators take no memory for ever, and failures are forgotten last",
          "[freed]") {
  constexpr CommunicatorId kMany = 8 * Freed::kMostRanges;
  Freed freed;
  SECTION("gaps between communicators that ended well") {
    freed.note(2, {death_of(5)});
    for (CommunicatorId id = 4; id <= kMany; id += 2) freed.note(id, {});
    CHECK(freed.answer(2, 0)->culprit == 5);
    CHECK(freed.ended_well(5));  // others' so long ago
    CHECK_FALSE(freed.has(kMany - 1));
    CHECK(freed.ended_well(kMany));
  }
  SECTION("no two failures are alike") {
    for (CommunicatorId id = 1; id <= kMany; ++id) freed.note(id, {death_of(static_cast<int>(id))});
    CHECK(freed.ended_well(1));  // forgotten
    for (CommunicatorId id = kMany; id > kMany - 1000; --id)
      REQUIRE(freed.answer(id, 0)->culprit == static_cast<int>(id));
  }
  CHECK(freed.ranges() == Freed::kMostRanges);
}

TEST_CASE("ranges that are cut do not take memory for ever", "[freed]") {
  constexpr CommunicatorId kMany = 8 * Freed::kMostRanges;
  for (const auto gaps : {Freed::Gaps::close, Freed::Gaps::stay}) {
    Freed freed(gaps);
    for (CommunicatorId id = 1; id <= kMany; ++id) freed.note(id, {});
    for (CommunicatorId id = kMany; id > 1; id -= 2) freed.note(id, {death_of(1)});
    CHECK(freed.ranges() <= Freed::kMostRanges);
  }
}

TEST_CASE("where gaps stay, the oldest are forgotten, and no number in between is taken for freed",
          "[freed]") {
  constexpr CommunicatorId kMany = 8 * Freed::kMostRanges;
  Freed freed(Freed::Gaps::stay);
  for (CommunicatorId id = 2; id <= kMany; id += 2) freed.note(id, {});
  for (CommunicatorId id = 1; id < kMany; id += 2) REQUIRE_FALSE(freed.has(id));
  CHECK_FALSE(freed.has(2));
  CHECK(freed.ended_well(kMany));
  CHECK(freed.ranges() == Freed::kMostRanges);
  // The last one noted is remembered, though it is the lowest.
  for (const CommunicatorId id : {100u, 50u, 70u}) {
    freed.note(id, {});
    CHECK(freed.ended_well(id));
    CHECK(freed.ranges() == Freed::kMostRanges);
  }
  // Once the gaps are closed, a range is one.
  for (CommunicatorId id = 1; id < kMany; ++id) freed.note(id, {});
  CHECK(freed.ended_well(kMany - 1));
  CHECK(freed.ranges() == 1);
}
