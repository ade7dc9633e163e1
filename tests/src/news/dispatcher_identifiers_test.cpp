// The dispatcher: identifiers of communicators, and how freed ones are remembered.
#include "src/news/dispatcher.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/src/news/dispatching.hpp"

using namespace tutti;
using namespace tutti::tests;

TEST_CASE("an identifier is free until it is used, and never again", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  Identifiers::Vote vote;
  for (const CommunicatorId half : {0u, static_cast<unsigned>(Identifiers::kUpper)}) {
    INFO("numbers from " << half << " on");
    {
      const DispatchedMember member(job[0], half + 10, 0);
      CHECK_FALSE(dispatcher.is_free(half + 10));
      CHECK(dispatcher.agreements() ==
            std::vector<Agreement*>{const_cast<DispatchedMember*>(&member)});
    }
    CHECK(dispatcher.agreements().empty());
    CHECK_FALSE(dispatcher.is_free(half + 10));
    CHECK(dispatcher.is_free(half + 9));
    CHECK(dispatcher.is_free(half + 11));
  }
  CHECK(dispatcher.identifiers().propose(vote) == 11);
}

TEST_CASE("many freed identifiers of the upper half leave the lower half free", "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember member(job[0], 5, 0); }
  const auto upper = static_cast<CommunicatorId>(Identifiers::kUpper);
  for (CommunicatorId id = upper; id < upper + 4 * Freed::kMostRanges; id += 2)
    const DispatchedMember member(job[0], id, 0);
  CHECK(job[0].dispatcher.is_free(6));
  CHECK(job[0].dispatcher.is_free(upper - 1));
}

TEST_CASE("many freed copies leave those free that are still to come", "[dispatcher]") {
  DispatchingJob job;
  { const DispatchedMember member(job[0], 5, 0); }
  const auto first = static_cast<CommunicatorId>(Identifiers::kEnd);
  for (CommunicatorId id = first; id < first + 4 * Freed::kMostRanges; id += 2) {
    { const DispatchedMember member(job[0], id, 0); }
    REQUIRE_FALSE(job[0].dispatcher.is_free(id));
  }
  for (CommunicatorId id = first; id < first + 4 * Freed::kMostRanges; id += 2)
    REQUIRE(job[0].dispatcher.is_free(id + 1));
  CHECK(job[0].dispatcher.is_free(6));
  CHECK(job[0].dispatcher.is_free(first - 1));
  Identifiers::Vote vote;
  CHECK(job[0].dispatcher.identifiers().propose(vote) == 6);
}

TEST_CASE("freed identifiers are remembered in whatever order they are freed", "[dispatcher]") {
  const MessageName message{0, 0, 0};
  // Every order of five, out of which ranges grow, meet and are filled.
  std::vector<CommunicatorId> order{2, 3, 4, 5, 7};
  do {
    DispatchingJob job;
    Dispatcher& dispatcher = job[0].dispatcher;
    std::vector<CommunicatorId> freed;
    for (const CommunicatorId id : order) {
      { const DispatchedMember member(job[0], id, 0); }
      freed.push_back(id);
      for (CommunicatorId any = 1; any <= 8; ++any) {
        const bool gone = std::find(freed.begin(), freed.end(), any) != freed.end();
        REQUIRE(dispatcher.is_free(any) == !gone);
        REQUIRE(dispatcher.unwanted({any, message.collective, message.ordinal}, 1) == gone);
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("freed identifiers with gaps do not take memory for ever", "[dispatcher]") {
  DispatchingJob job;
  Dispatcher& dispatcher = job[0].dispatcher;
  constexpr CommunicatorId kLast = 6000;
  auto old = std::make_unique<DispatchedMember>(job[0], 3, 0);
  for (CommunicatorId id = 2; id <= kLast; id += 2) const DispatchedMember member(job[0], id, 0);
  for (CommunicatorId id = 2; id <= kLast; id += 2) REQUIRE_FALSE(dispatcher.is_free(id));
  CHECK(dispatcher.is_free(kLast - 1));
  CHECK_FALSE(dispatcher.is_free(5));  // others' so long ago
  old.reset();
  for (const CommunicatorId id : {3, 4, 5, 6, 1000}) CHECK_FALSE(dispatcher.is_free(id));
  CHECK(dispatcher.is_free(kLast + 1));
}
