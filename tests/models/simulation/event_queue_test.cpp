// Events come in the order of time, kind, step and rank, in whatever order they were announced.
#include "models/simulation/event_queue.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <tuple>

using namespace tutti::models;

TEST_CASE("an event has its kind and its step in one word", "[event-queue]") {
  const std::uint32_t last = (1U << Event::kStepBits) - 1;
  for (const auto kind : {Event::done, Event::notice, Event::wake})
    for (const std::uint32_t step : {0U, 5U, last}) {
      const Event event(1.5, kind, 3, step);
      CHECK(event.kind() == kind);
      CHECK(event.step() == step);
    }
}

TEST_CASE("events come by time, then kind, step and rank", "[event-queue]") {
  std::vector<Event> events;
  for (const double time : {0.0, 1.0, 1.5})
    for (const auto kind : {Event::done, Event::passed, Event::wake})
      for (const std::uint32_t step : {0U, 1U, 9U})
        for (const int rank : {0, 1, 4}) events.emplace_back(time, kind, rank, step);
  for (unsigned seed = 0; seed < 20; ++seed) {
    std::vector<Event> announced = events;
    std::shuffle(announced.begin(), announced.end(), std::mt19937(seed));
    EventQueue queue;
    std::size_t next = 0;
    const auto take = [&] {
      const Event& top = queue.top();
      const Event& expected = events[next++];
      const bool same = std::tuple(top.time, top.what, top.rank) ==
                        std::tuple(expected.time, expected.what, expected.rank);
      queue.pop();
      return same;
    };
    for (const Event& event : announced) queue.push(event);
    while (!queue.empty()) REQUIRE(take());
    REQUIRE(next == events.size());
  }
}

TEST_CASE("what comes later may be due sooner", "[event-queue]") {
  EventQueue queue;
  for (const double time : {5.0, 3.0, 4.0}) queue.push({time, Event::done, 0, 0});
  CHECK(queue.top().time == 3);
  queue.pop();
  queue.push({1.0, Event::done, 0, 0});
  CHECK(queue.top().time == 1);
  queue.pop();
  CHECK(queue.top().time == 4);
  queue.pop();
  queue.pop();
  CHECK(queue.empty());
}
