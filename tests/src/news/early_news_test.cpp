// News that came too early: the part that is kept, how much of it, and the part that is left out.
#include "src/news/early_news.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tutti;
using protocols::News;

namespace {

EarlyNews::Item failure_of(CommunicatorId id, int from, bool is_notice = false) {
  return {{.communicator = id, .code = Code::timed_out, .culprit = 9}, from, is_notice};
}

EarlyNews::Item refusal_of(CommunicatorId id, CollectiveNumber call, int from) {
  return {{.kind = News::Kind::refused,
           .communicator = id,
           .call = call,
           .code = Code::bad_count,
           .culprit = from},
          from};
}

std::vector<News> taken(EarlyNews& early, CommunicatorId id) {
  std::vector<News> all;
  early.take(id, [&](const EarlyNews::Item& item) { all.push_back(item.news); });
  return all;
}

}  // namespace

TEST_CASE("early news is taken once, in order, for its own communicator", "[early_news]") {
  EarlyNews early;
  const std::vector<EarlyNews::Item> all{refusal_of(1, 4, 2), refusal_of(1, 3, 2),
                                         refusal_of(1, 4, 3), failure_of(1, 2)};
  for (const EarlyNews::Item& item : all) {
    CHECK(early.keep(item));
    CHECK(early.keep(item));
    CHECK(early.keep(failure_of(2, 3)));
  }
  CHECK(taken(early, 3).empty());
  const std::vector<News> got = taken(early, 1);
  REQUIRE(got.size() == all.size());
  for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == all[i].news);
  CHECK(taken(early, 1).empty());
  CHECK(taken(early, 2).size() == 1);
}

TEST_CASE("nothing is kept beside the failure of a communicator, but beside a notice",
          "[early_news]") {
  EarlyNews early;
  REQUIRE(early.keep(failure_of(1, 4, true)));  // perhaps another one's
  REQUIRE(early.keep(refusal_of(2, 0, 4)));
  for (const CommunicatorId id : {1, 2}) CHECK_FALSE(early.failure_of(id));
  CHECK(early.keep(failure_of(1, 2)));
  REQUIRE(early.failure_of(1));
  CHECK(early.failure_of(1)->code == Code::timed_out);
  CHECK(early.keep(failure_of(1, 3)));
  CHECK(early.keep(refusal_of(1, 0, 3)));
  CHECK(early.keep(failure_of(1, 5, true)));
  CHECK(taken(early, 1).size() == 2);
}

TEST_CASE("waits and passed calls are not kept", "[early_news]") {
  EarlyNews early;
  for (const News::Kind kind : {News::Kind::waits, News::Kind::passed})
    CHECK(early.keep({{.kind = kind, .communicator = 1}, 2}));
  CHECK(taken(early, 1).empty());
}

TEST_CASE("early news is bounded, and says what is lost", "[early_news]") {
  EarlyNews early;
  for (CommunicatorId id = 1; id < EarlyNews::kMost; ++id) REQUIRE(early.keep(failure_of(id, 2)));
  const CommunicatorId last{EarlyNews::kMost};
  REQUIRE(early.keep(failure_of(last, 5, true)));  // which takes no room
  REQUIRE(early.keep(refusal_of(last, 0, 2)));
  CHECK_FALSE(early.keep(failure_of(last, 2)));
  CHECK_FALSE(early.keep(refusal_of(last, 1, 3)));
  CHECK(early.keep(refusal_of(last, 0, 3)));  // of a call that is known to be refused
  CHECK_FALSE(early.keep(refusal_of(last + 1, 0, 2)));
  CHECK(early.keep(failure_of(last + 1, 5, true)));
  CHECK(early.keep(failure_of(1, 2)));  // known
  // The first refusal of a member is as good as the later ones.
  CHECK(early.keep(refusal_of(last, 1, 2)));
  CHECK(taken(early, last).size() == 2);
  CHECK(early.keep(failure_of(last + 1, 2)));
}
