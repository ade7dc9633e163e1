// Ranks that do the same share a script, and a script says the same as the schedule.
#include "models/simulation/script_cache.hpp"

#include <set>

#include "base/error.hpp"
#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

namespace {

std::size_t scripts_of(std::string_view algorithm, const Problem& problem) {
  ScriptCache alike;
  for (const Schedule& schedule : build_all(algorithm, problem)) alike.script_of(schedule);
  return alike.scripts();
}

}  // namespace

TEST_CASE("alike: regular algorithms need few scripts") {
  CHECK(scripts_of("dissemination", barrier_of(1000)) == 1);
  CHECK(scripts_of("recursive-doubling", barrier_of(1024)) == 1);
  CHECK(scripts_of("ring", allgather_of(50, 8)) == 1);
  CHECK(scripts_of("tau-binomial", bcast_of(1024, 8)) == 11);  // by the level of a rank
}

TEST_CASE("alike: a script names each destination of a rank once") {
  ScriptCache alike;
  const Problem problem{{.collective = Collective::bcast, .bytes = 64}, 8};
  for (const char* const algorithm : {"binomial", "linear"})
    for (const Schedule& schedule : build_all(algorithm, problem, {.segment = 8})) {
      std::set<Rank> sent;
      for (const Step& step : schedule.steps)
        if (step.kind == StepKind::send) sent.insert(step.peer);
      std::vector<Rank> visited;
      alike.script_of(schedule)->each_destination(schedule.rank,
                                                  [&](Rank to) { visited.push_back(to); });
      CHECK(visited.size() == sent.size());
      CHECK(std::set(visited.begin(), visited.end()) == sent);
    }
}

TEST_CASE("alike: a peer that is no rank is refused, as it would pass for one") {
  for (const Rank peer : {-1, 8, 100}) {
    Schedule spoiled = build_all("ring", allgather_of(8, 8))[4];
    for (Step& step : spoiled.steps)
      if (is_message(step.kind)) step.peer = peer;
    CHECK_THROWS_AS(ScriptCache().script_of(spoiled), Error);
  }
}

TEST_CASE("alike: copies that are free do not tell schedules apart") {
  ScriptCache with, without{true};
  for (const Schedule& schedule : build_all("bruck", allgather_of(32, 8))) {
    with.script_of(schedule);
    for (const Step& step : without.script_of(schedule)->schedule.steps)
      CHECK((step.kind != StepKind::copy || length_of(step) == 0));
  }
  CHECK(with.scripts() == 28);  // the last steps turn the blocks by the rank
  CHECK(without.scripts() == 6);
}

TEST_CASE("alike: a script is the schedule, with distances for peers") {
  for (const Algorithm& algorithm : algorithms())
    for (int P : {1, 5, 8}) {
      const Problem problem{{.collective = algorithm.collective, .bytes = 24}, P};
      if (why_not(algorithm, problem, {})) continue;
      INFO(name_of(algorithm.collective) << ' ' << algorithm.name << " P = " << P);
      ScriptCache alike;
      for (const Schedule& schedule : schedules_of_all_ranks(algorithm, problem, {})) {
        const auto script = alike.script_of(schedule);
        const auto& steps = script->schedule.steps;
        REQUIRE(steps.size() == schedule.steps.size());
        CHECK(script->schedule.successors == schedule.successors);
        for (StepId id = 0; id < steps.size(); ++id) {
          const Step& mine = schedule.steps[id];
          REQUIRE(steps[id].kind == mine.kind);
          REQUIRE(length_of(steps[id]) == length_of(mine));
          if (!is_message(mine.kind)) continue;
          REQUIRE(script->peer_of(schedule.rank, steps[id]) == mine.peer);
          const auto found = mine.kind == StepKind::send
                                 ? script->send(schedule.rank, mine.peer, mine.ordinal)
                                 : script->receive(schedule.rank, mine.peer, mine.ordinal);
          REQUIRE(found == id);
        }
        CHECK(script->receive(schedule.rank, P - 1, 12345) == kNoStep);
      }
    }
}
