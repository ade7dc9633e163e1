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
  calls.each([&](const OpenCall& call) { numbers.push_back(call.number()); });
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
    std::vector<CollectiveNumber> rest{3, 2, 1, 0};
    CHECK(numbers_of(calls) == rest);
    for (const std::size_t i : order) {
      CHECK(calls.newest()->number() == rest.front());
      CHECK(calls.find(static_cast<CollectiveNumber>(i)) == &begun[i]);
      calls.close(begun[i]);
      CHECK_FALSE(calls.find(static_cast<CollectiveNumber>(i)));
      std::erase(rest, i);
      CHECK(numbers_of(calls) == rest);
    }
    CHECK_FALSE(calls.newest());
    calls.open(begun[0], 4);
    CHECK(begun[0].number() == 4);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("a visited call may end meanwhile", "[open_calls]") {
  OpenCalls calls;
  Begun begun[3];
  for (CollectiveNumber number = 0; number < 3; ++number) calls.open(begun[number], number);
  int visits = 0;
  calls.each([&](OpenCall& call) {
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
