// Numbers that copies of communicators get without a vote.
#include "src/news/identifiers.hpp"

#include <catch2/catch.hpp>
#include <set>
#include <vector>

using namespace tutti;

namespace {

constexpr auto kFirst = static_cast<CommunicatorId>(Identifiers::kEnd);

// Numbers of up to `most` copies of one communicator.
std::vector<CommunicatorId> numbers(Copies copies, std::size_t most) {
  std::vector<CommunicatorId> all;
  for (CommunicatorId id = copies.next(); id != 0 && all.size() < most; id = copies.next())
    all.push_back(id);
  return all;
}

}  // namespace

TEST_CASE("copies of different communicators have different numbers, that no vote gives",
          "[identifiers]") {
  std::set<CommunicatorId> seen;
  std::size_t given = 0;
  const auto note = [&](Copies copies) {
    const auto all = numbers(copies, 100'000);
    seen.insert(all.begin(), all.end());
    given += all.size();
  };
  note(Copies::of_world());
  CHECK(given == 100'000);  // of many more
  for (const CommunicatorId id : {1u, 2u, 3u, 4095u, kFirst, kFirst + 1, kFirst + 4095})
    note(Copies::of(id));
  CHECK(given > 500'000);
  CHECK(seen.size() == given);
  CHECK(*seen.begin() == kFirst);
}

TEST_CASE("communicators whose copies are voted on", "[identifiers]") {
  CHECK(numbers(Copies(), 1).empty());
  CHECK(numbers(Copies::of(4096), 1).empty());
  CHECK(numbers(Copies::of(static_cast<CommunicatorId>(Identifiers::kUpper)), 1).empty());
  CHECK(numbers(Copies::of(kFirst + 4096), 1).empty());
  CHECK(numbers(Copies::of(numbers(Copies::of(5), 1).front()), 1).empty());
  // One that has had many copies.
  Copies copies = Copies::of(5);
  while (copies.next() != 0) continue;
  CHECK(copies.next() == 0);
}

TEST_CASE("the numbers of copies are no proposals", "[identifiers]") {
  Identifiers identifiers;
  Identifiers::Vote vote;
  identifiers.note(kFirst + 7);
  CHECK(identifiers.propose(vote) == 1);
  identifiers.end(vote);
  // Nor are they agreed on when all others are used up.
  identifiers.note(kFirst - 1);
  Identifiers::Vote outer, inner;
  identifiers.propose(outer);
  CHECK(Identifiers::used_up(identifiers.propose(inner)));
}
