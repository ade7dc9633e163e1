// The promise of the channel: found to hold, and found broken where it is.
#include "collectives/analysis/ring_orders.hpp"

#include <catch2/catch.hpp>

#include "tests/base/sanitized.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

// Counts up to three.
struct Counter {
  int value = 0, wrong = -1;
  std::size_t moves() const { return 2; }
  bool make(std::size_t move) {
    if (move == 0 || value == 3) return false;
    return ++value, true;
  }
  bool make(std::size_t move, std::vector<std::string>& trace) {
    if (!make(move)) return false;
    trace.push_back(std::to_string(value));
    return true;
  }
  void append_key(std::string& key) const { key.push_back(static_cast<char>(value)); }
  std::string fault() const { return value == wrong ? "wrong" : ""; }
  std::string end() const { return "ended"; }
};

}  // namespace

TEST_CASE("exploration: what is wrong in a state, at an end, and that there is none") {
  Exploration all = explore(Counter{}, 100);
  CHECK(all.verdict.message == "ended, after: 1; 2; 3");
  CHECK(all.states == 4);
  CHECK(all.complete);
  Counter wrong;
  wrong.wrong = 2;
  CHECK(explore(wrong, 100).verdict.message == "wrong, after: 1; 2");
  all = explore(Counter{}, 2);
  CHECK_FALSE(all.complete);
  CHECK(all.verdict.ok());
}

TEST_CASE("exploration: moves that can go on for ever") {
  struct Circle : Counter {
    bool make(std::size_t move) {
      value = move == 0 ? (value + 1) % 3 : value;
      return move == 0;
    }
    bool make(std::size_t move, std::vector<std::string>& trace) {
      trace.emplace_back("round");
      return make(move);
    }
  };
  CHECK(explore(Circle{}, 100).verdict.message ==
        "the same moves can go on for ever, after: round; round; round");
}

TEST_CASE("a ring: no message waits for another, in whatever order both ends begin") {
  for (const std::uint32_t slots : {1U, 2U})
    for (const std::vector<int>& pieces :
         {std::vector<int>{1}, {2}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {1, 1, 1}}) {
      INFO(pieces.size() << " messages, " << slots << " slots");
      const Exploration all = prove_ring({.slots = slots}, pieces);
      INFO(all.verdict.message);
      CHECK(all.verdict.ok());
      CHECK(all.complete);
      CHECK(all.states > 10);
    }
}

TEST_CASE("a ring: reports may wait for many slots, unless the sender needs its credits") {
  using protocols::Reports;
  for (const Reports reports : {Reports::late, Reports::at_half})
    for (const std::vector<int>& pieces : {std::vector<int>{1, 1, 1, 1, 1}, {3, 3}, {2, 2, 1}}) {
      INFO(pieces.size() << " messages, at half " << (reports == Reports::at_half));
      Exploration all = prove_ring({.slots = 4, .reports = reports}, pieces);
      INFO(all.verdict.message);
      CHECK(all.verdict.ok());
      CHECK(all.complete);
      all = prove_ring({.slots = 4, .reports_early = false, .reports = reports}, pieces);
      CHECK(all.verdict.violation == Violation::deadlock);
      CHECK_THAT(all.verdict.message, Catch::Contains("never passes, after"));
    }
}

TEST_CASE("a ring: if nothing is set aside, a message waits for those in the slots") {
  for (const std::uint32_t slots : {1U, 2U})
    for (std::size_t messages = 1; messages <= 3; ++messages) {
      INFO(messages << " messages, " << slots << " slots");
      const Exploration all =
          prove_ring({.slots = slots, .sets_aside = false}, std::vector<int>(messages, 1));
      INFO(all.verdict.message);
      CHECK(all.verdict.ok() == (messages <= slots));
      if (all.verdict.ok()) continue;
      CHECK(all.verdict.violation == Violation::deadlock);
      CHECK_THAT(all.verdict.message,
                 Catch::Contains("whose send and receive are both under way, never passes, after"));
      CHECK_THAT(all.verdict.message, Catch::Contains("nothing else begins"));
    }
}
