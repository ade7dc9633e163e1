// The list of open calls, and the tasks of the last ones.
#include "src/news/open_calls.hpp"

#include <algorithm>
#include <vector>

#include "tests/src/job/member.hpp"

using namespace tutti;
using namespace tutti::tests;

namespace {

std::vector<CollectiveNumber> numbers_of(const OpenCalls& calls) {
  std::vector<CollectiveNumber> numbers;
  calls.each_under_way([&](const OpenCall& call) { numbers.push_back(call.number()); });
  return numbers;
}

}  // namespace

TEST_CASE("calls end in any order", "[open_calls]") {
  // Every order in which four can end.
  std::vector<std::size_t> order{0, 1, 2, 3};
  do {
    OpenCalls calls;
    Begun begun[4];
    for (CollectiveNumber number = 0; number < 4; ++number) calls.open(begun[number], number);
    std::vector<CollectiveNumber> rest{0, 1, 2, 3};
    CHECK(numbers_of(calls) == rest);
    for (const std::size_t i : order) {
      CHECK(calls.newest()->number() == rest.back());
      CHECK(calls.find(static_cast<CollectiveNumber>(i)) == &begun[i]);
      calls.close(begun[i]);
      CHECK_FALSE(calls.find(static_cast<CollectiveNumber>(i)));
      std::erase(rest, i);
      CHECK(numbers_of(calls) == rest);
    }
    CHECK_FALSE(calls.newest());
    calls.open(begun[0], 4);
    CHECK(begun[0].number() == 4);
    CHECK(numbers_of(calls) == std::vector<CollectiveNumber>{4});
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("the oldest calls are under way, and the others held back", "[open_calls]") {
  constexpr CollectiveNumber kMost = OpenCalls::kAtOnce;
  OpenCalls calls;
  std::vector<Begun> begun(2 * kMost);
  const auto under_way = [&] {
    std::vector<CollectiveNumber> numbers;
    calls.each_under_way([&](const OpenCall& call) {
      CHECK_FALSE(call.is_held());
      numbers.push_back(call.number());
    });
    return numbers;
  };
  for (CollectiveNumber number = 0; number < kMost + 3; ++number) calls.open(begun[number], number);
  CHECK(under_way().size() == kMost);
  CHECK(under_way().back() == kMost - 1);
  CHECK(begun[kMost].is_held());
  calls.close(begun[kMost + 1]);  // one that is held
  CHECK(under_way().back() == kMost - 1);
  calls.close(begun[5]);
  CHECK(under_way().size() == kMost);
  CHECK(under_way().back() == kMost);
  SECTION("the first that is held ends") {
    calls.close(begun[kMost + 2]);
    calls.close(begun[0]);
    CHECK(under_way().size() == kMost - 1);
    calls.open(begun[kMost + 3], kMost + 3);
    CHECK_FALSE(begun[kMost + 3].is_held());
  }
  SECTION("all end in their order") {
    for (CollectiveNumber number = 0; number < kMost + 3; ++number) {
      if (number == 5 || number == kMost + 1) continue;
      CHECK_FALSE(begun[number].is_held());
      calls.close(begun[number]);
    }
    CHECK_FALSE(calls.newest());
    calls.open(begun[0], kMost + 3);
    CHECK(under_way().size() == 1);
  }
}

TEST_CASE("a visited call may end meanwhile", "[open_calls]") {
  OpenCalls calls;
  Begun begun[3];
  for (CollectiveNumber number = 0; number < 3; ++number) calls.open(begun[number], number);
  int visits = 0;
  calls.each_under_way([&](OpenCall& call) {
    ++visits;
    calls.close(call);
  });
  CHECK(visits == 3);
  CHECK(numbers_of(calls).empty());
}

TEST_CASE("the task of a call is known for some calls after its end", "[open_calls]") {
  const Task first = bcast(1), usual = bcast(2);
  OpenCalls calls;
  Begun call(&first), later(&usual);
  calls.open(call, 0);
  CHECK(calls.task_of(0) == &first);
  CHECK_FALSE(calls.task_of(1));
  const bool stays_open = GENERATE(false, true);
  if (!stays_open) calls.close(call);
  CHECK(calls.task_of(0) == &first);
  SECTION("until the task goes") {
    if (stays_open) calls.close(call);
    calls.open(later, 1);
    calls.forget(first);
    CHECK_FALSE(calls.task_of(0));
    CHECK(calls.task_of(1) == &usual);
  }
  SECTION("until so many came, some of them rejected") {
    for (CollectiveNumber number = 1; number <= OpenCalls::kRemembered; ++number) {
      CHECK(calls.task_of(0) == &first);
      if (number % 2 == 0) {
        calls.note_rejected(number);
        CHECK_FALSE(calls.task_of(number));
      } else {
        calls.open(later, number);
        calls.close(later);
        CHECK(calls.task_of(number) == &usual);
      }
    }
    CHECK(calls.task_of(0) == (stays_open ? &first : nullptr));
  }
}
