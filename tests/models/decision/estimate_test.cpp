// Estimates beside the simulator, which plays the schedules that run on the same platform.
#include "models/decision/estimate.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "models/decision/candidates.hpp"
#include "models/decision/decisions.hpp"
#include "models/decision/sketches.hpp"
#include "models/simulation/simulator.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/models/decision/compared.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;
using tests::adapter, tests::compared_alone, tests::Compared, tests::problem_of;

namespace {

// An estimate may be wrong by this factor, on average by much less; where the simulator sees one of
// two algorithms take `kClear` times as long, nearly all estimates must see the same. Ranks that
// enter a round at different times, and ports that are busy with the round before, make the
// difference: estimates add up rounds.
constexpr double kMost = 2.6, kMean = 1.4, kClear = 2;
constexpr double kAgree = 0.97;

std::vector<Compared> compared(const Problem& problem, int per_node, const Platform& platform) {
  const models::Topology place{.P = problem.P, .nodes = problem.P / per_node, .q = per_node};
  const Facts facts{place.P, place.nodes, place.q};
  std::vector<Compared> all;
  Sketch sketch;
  const auto add = [&](const Choice& choice) {
    const Bytes segment = choice.parameters.segment;
    if (segment > 0 && problem.bytes < 2 * segment) return;
    if (why_not(*choice.algorithm, problem, choice.parameters)) return;
    if (!draw(sketch, place, *choice.algorithm, segment > 0 ? segment : problem.bytes,
              choice.parameters))
      return;
    const Bytes pieces = segment > 0 ? (problem.bytes + segment - 1) / segment : 1;
    const auto schedule_of = [&](Rank rank) {
      Problem mine = problem;
      mine.rank = rank;
      return choice.algorithm->build(mine, choice.parameters);
    };
    std::vector<int> node;
    for (int rank = 0; rank < problem.P; ++rank) node.push_back(rank / per_node);
    const Result result = simulate(problem.P, schedule_of, platform, {.node = node});
    all.push_back({to_string(choice),
                   estimate(sketch, static_cast<double>(pieces), platform, facts).latency,
                   result.time});
  };
  for (const Choice& choice : plain_candidates(problem.collective))
    if (choice.parameters.k != 2 && choice.parameters.segment <= 16384) add(choice);
  const Algorithm* const levels = find(problem.collective, "hierarchical");
  if (levels && place.nodes > 1 && place.q > 1) add({levels});
  return all;
}

struct Tally {
  double product = 0;
  int cases = 0;
};

}  // namespace

TEST_CASE("the reason of a choice is the largest part of its time", "[estimate]") {
  const auto says = [](const Estimate::Parts& parts, std::string_view words) {
    Estimate estimate;
    estimate.parts = parts;
    return reason_of(estimate).find(words) != std::string_view::npos;
  };
  CHECK(says({.bytes = 2, .cores = 1}, "most of it goes into bytes"));
  CHECK(says({.bytes = 1, .cores = 2}, "work of cores that ranks share"));
  CHECK(says({.cores = 1e-15}, "none of them takes time"));
}

TEST_CASE("estimates know what scratch the schedules need", "[decision]") {
  constexpr Bytes kBlock = 4096;
  Sketch sketch;
  for (std::size_t c = 0; c < kCollectives; ++c)
    for (const auto& [nodes, each] : {std::pair{4, 4}, std::pair{8, 2}, std::pair{1, 16}}) {
      const int P = nodes * each;
      const Problem problem = problem_of(static_cast<Collective>(c), P, each, kBlock);
      for (const Choice& choice : plain_candidates(problem.collective)) {
        if (choice.parameters.segment > 0) continue;
        if (why_not(*choice.algorithm, problem, choice.parameters)) continue;
        if (!draw(sketch, {.P = P, .nodes = nodes, .q = each}, *choice.algorithm, problem.bytes,
                  choice.parameters))
          continue;
        Bytes most = 0;
        for (Rank rank = 0; rank < P; ++rank) {
          Problem mine = problem;
          mine.rank = rank;
          most = std::max(most, choice.algorithm->build(mine, choice.parameters).scratch_bytes);
        }
        INFO(name_of(problem.collective)
             << ' ' << to_string(choice) << ", " << nodes << " x " << each << ": " << sketch.scratch
             << " bytes, really " << most);
        // A block or two matter to nobody.
        CHECK(sketch.scratch >= most / 2 - 2 * kBlock);
        CHECK(sketch.scratch <= 2 * most + 2 * kBlock);
      }
    }
}

TEST_CASE("estimates count the peers of all parts of an algorithm", "[decision]") {
  const Choice choice{find(Collective::bcast, "scatter-ring")};
  CHECK(estimate_of(choice, 1 << 20, adapter(), {64, 64, 1}).peers >= 6);  // children of the root
}

TEST_CASE("estimates heed the adapters of a node", "[decision]") {
  const auto at_once = [](int adapters) {
    Platform platform = adapter();
    platform.adapters = adapters;
    const auto all = compared(problem_of(Collective::alltoall, 16, 4, 65536), 4, platform);
    return *std::find_if(all.begin(), all.end(),
                         [](const Compared& one) { return one.name == "at-once"; });
  };
  const double one = at_once(1).estimate;
  for (const int adapters : {2, 4}) {
    const Compared several = at_once(adapters);
    INFO(adapters << " adapters: " << several.estimate << " us, simulated " << several.simulated
                  << "; one: " << one);
    CHECK(several.estimate < 1.3 * several.simulated);
    CHECK(several.estimate > several.simulated / 1.3);
    CHECK(several.estimate < one);
  }
}

namespace {

// OCC's Frodo cluster; the gap falls beyond 16 destinations.
Platform frodo(const Curve& factor) {
  Platform platform{.between = models::LogGP{61.22, 8.2, 8.2, 23.8, 0.084}};
  platform.gap_by_destinations.between = factor;
  return platform;
}

}  // namespace

TEST_CASE("estimates heed how the gap depends on the number of destinations", "[decision]") {
  const Curve falls({{1, 1}, {16, 1}, {32, 0.5}}), rises({{1, 1}, {8, 1.5}, {32, 4}});
  for (const Curve& factor : {Curve(1), falls, rises})
    for (const int P : {2, 8, 16, 32})
      for (const Bytes bytes : {1, 1024})
        for (const auto& [collective, algorithm] :
             {std::pair{Collective::scatter, "linear"}, std::pair{Collective::bcast, "linear"},
              std::pair{Collective::bcast, "binomial(k=1)"},
              std::pair{Collective::alltoall, "at-once"}}) {
          const Compared one = compared_alone(algorithm, collective, P, bytes, frodo(factor));
          INFO(collectives::name_of(collective)
               << ' ' << algorithm << ", " << P << " ranks, " << bytes << " bytes: " << one.estimate
               << " us, simulated " << one.simulated);
          const double most = collective == Collective::alltoall ? 1.1 : 1.02;
          CHECK(one.estimate < most * one.simulated);
          CHECK(one.estimate > one.simulated / most);
        }
  // A flat tree and direct messages have P − 1 destinations, a binomial tree log2 P of them.
  const auto ratio = [&](const char* algorithm, Collective collective) {
    return compared_alone(algorithm, collective, 33, 1, frodo(rises)).estimate /
           compared_alone(algorithm, collective, 33, 1, frodo(1)).estimate;
  };
  CHECK(ratio("linear", Collective::bcast) > 3);
  CHECK(ratio("at-once", Collective::alltoall) > 3);
  CHECK(ratio("binomial(k=1)", Collective::bcast) == 1);
  CHECK(ratio("ring", Collective::allgather) == 1);
}

TEST_CASE("estimates count the destinations that the schedules have", "[decision]") {
  for (std::size_t c = 0; c < kCollectives; ++c)
    for (const auto& [nodes, each] : {std::pair{4, 8}, std::pair{32, 1}, std::pair{1, 27}}) {
      const Problem problem =
          problem_of(static_cast<Collective>(c), nodes * each, nodes > 1 ? each : 32, 4096);
      for (const Choice& choice : plain_candidates(problem.collective)) {
        if (choice.parameters.segment > 0) continue;
        if (why_not(*choice.algorithm, problem, choice.parameters)) continue;
        Sketch sketch;
        if (!draw(sketch, {.P = problem.P, .nodes = nodes, .q = each}, *choice.algorithm,
                  problem.bytes, choice.parameters))
          continue;
        double most = 0;  // of a rank
        for (Rank rank = 0; rank < problem.P; ++rank) {
          const auto schedule =
              choice.algorithm->build(problem_of_rank(problem, rank), choice.parameters);
          std::set<Rank> to;
          for (const Step& step : schedule.steps)
            if (step.kind == StepKind::send) to.insert(step.peer);
          most = std::max(most, static_cast<double>(to.size()));
        }
        const double sketched = sketch.most_destinations;
        INFO(name_of(problem.collective) << ' ' << to_string(choice) << ", " << nodes << " x "
                                         << each << ": " << sketched << ", really " << most);
        CHECK(sketched >= most / 2);
        CHECK(sketched <= 1.4 * most + 1);
      }
    }
  Sketch sketch;
  const Choice levels =
      parse_choices("bcast=hierarchical(within=linear,across=linear)").begin()->second;
  REQUIRE(draw(sketch, {.P = 32, .nodes = 4, .q = 8}, *levels.algorithm, 8, levels.parameters));
  CHECK(sketch.destinations.near == 7);
  CHECK(sketch.destinations.far == 3);
}

TEST_CASE("a flat tree becomes the best one where the gap falls (OCC 6.3)", "[decision]") {
  // It is known to be best for short broadcasts on more than 16 nodes.
  const auto best = [](int P, const Platform& platform, Collective collective,
                       const char* flat) -> std::string {
    const Compared one = compared_alone(flat, collective, P, 1, platform),
                   other = compared_alone("binomial(k=1)", collective, P, 1, platform);
    INFO(P << " ranks");
    // Estimates and simulations choose alike.
    CHECK((one.estimate < other.estimate) == (one.simulated < other.simulated));
    return one.estimate < other.estimate ? flat : "binomial";
  };
  const Curve falls({{1, 1}, {16, 1}, {17, 0.2}});
  for (const int P : {12, 16, 20, 24, 32}) {
    const std::string expected = P > 16 ? "linear" : "binomial";
    CHECK(best(P, frodo(falls), Collective::bcast, "linear") == expected);
    CHECK(best(P, frodo(1), Collective::bcast, "linear") == "binomial");
    for (const Curve& factor : {falls, Curve(1)}) {
      Decisions decisions(frodo(factor), {P, P, 1});
      const Problem problem = problem_of(Collective::bcast, P, 1, 1);
      const Choice choice = decisions.select(problem);
      INFO(P << " ranks: " << to_string(choice));
      // On 32 a tree of three rounds takes as long, and needs fewer connections.
      if (P < 32) CHECK((choice.algorithm->name == "linear") == (factor == falls && P > 16));
    }
  }
  Platform platform{.between = models::LogP{100, 1, 1, 24}};
  const Curve more({{1, 1}, {16, 1}, {17, 0.05}});
  for (const int P : {16, 24, 32}) {
    platform.gap_by_destinations.between = more;
    CHECK(best(P, platform, Collective::barrier, "flat-tree") ==
          (P > 16 ? "flat-tree" : "binomial"));
    platform.gap_by_destinations = {};
    CHECK(best(P, platform, Collective::barrier, "flat-tree") == "binomial");
  }
}

// Chains that begin beside the root or end before its last one does, even ranks that go one way and
// odd ones the other, both ranks at a node's ends, a tree that is not full, a round that does not
// wait for the one before, nodes that have no lenders and send beside those that have.
TEST_CASE("estimates know which rounds wait, and which ranks leave a node", "[decision]") {
  struct Case {
    const char* choice;
    int nodes, each;
    Bytes bytes;
    bool in_turn;
  };
  for (const Case& one :
       {Case{"bcast=k-chain(k=2)", 3, 2, 4096, false}, Case{"bcast=k-chain(k=2)", 4, 1, 8, false},
        Case{"bcast=k-chain(k=2)", 4, 1, 1 << 20, false},
        Case{"bcast=k-chain(k=7)", 4, 3, 8, false},
        Case{"reduce=k-chain(k=3)", 5, 1, 1 << 20, false},
        Case{"reduce=k-chain(k=3)", 2, 3, 1 << 20, false},
        Case{"bcast=k-chain(k=7)", 4, 4, 4096, true}, Case{"allgather=bine", 2, 2, 1 << 20, false},
        Case{"reduce_scatter=bine", 2, 2, 1 << 20, false},
        Case{"allgather=neighbor-exchange", 3, 2, 1 << 20, false},
        Case{"allgather=neighbor-exchange", 2, 4, 1 << 20, false},
        Case{"bcast=binomial", 5, 1, 8, false}, Case{"reduce=binomial", 5, 1, 8, false},
        Case{"bcast=binomial(k=2)", 5, 1, 8, false},
        Case{"reduce_scatter=circulant", 5, 2, 8, true},
        Case{"reduce_scatter=recursive-halving", 6, 4, 65536, false},
        Case{"reduce_scatter=recursive-halving", 6, 2, 65536, true},
        Case{"allgather=recursive-doubling", 3, 4, 65536, false},
        Case{"allgather=recursive-doubling", 5, 3, 65536, true}}) {
    const auto [collective, choice] = *parse_choices(one.choice).begin();
    Problem problem{{.collective = collective, .bytes = one.bytes}, one.nodes * one.each};
    std::vector<int> node;
    for (int rank = 0; rank < problem.P; ++rank)
      node.push_back(one.in_turn ? rank % one.nodes : rank / one.each);
    problem.node = node;
    const Algorithm& algorithm = *choice.algorithm;
    const Parameters parameters = choice.parameters;
    const auto schedule_of = [&](Rank rank) {
      Problem mine = problem;
      mine.rank = rank;
      return algorithm.build(mine, parameters);
    };
    const double made =
        estimate_of({&algorithm, parameters}, one.bytes, adapter(), facts_of_nodes(node)).latency;
    const double simulated = simulate(problem.P, schedule_of, adapter(), {.node = node}).time;
    INFO(one.choice << ", " << one.nodes << " x " << one.each << ": " << made << " us, simulated "
                    << simulated);
    CHECK(made < 1.25 * simulated);
    CHECK(made > simulated / 1.25);
  }
}

TEST_CASE("estimates of stencils are near to simulations", "[decision]") {
  for (const Collective collective :
       {Collective::neighbor_allgather, Collective::neighbor_alltoall})
    for (const Torus& torus :
         {Torus{4, 4}, Torus{3, 5}, Torus{2, 8}, Torus{3, 3, 3}, Torus{2, 3, 4}})
      for (const bool apart : {true, false})
        for (const Bytes bytes : {8, 1024, 65536}) {
          int P = 1;
          for (const int size : torus) P *= size;
          const int per_node = apart ? 1 : torus.back();
          Problem problem = problem_of(collective, P, per_node, bytes);
          problem.neighbours = stencil_on(torus);
          const Facts facts{P, P / per_node, per_node};
          for (const char* const name : {"at-once", "combined"}) {
            const Choice choice{find(collective, name)};
            const auto made =
                estimate_of(choice, bytes, adapter(), facts, stencil_of(problem)).latency;
            const auto schedule_of = [&](Rank rank) {
              return choice.algorithm->build(problem_of_rank(problem, rank), {});
            };
            std::vector<int> node;
            for (int rank = 0; rank < P; ++rank) node.push_back(rank / per_node);
            const double simulated = simulate(P, schedule_of, adapter(), {.node = node}).time;
            INFO(name_of(collective)
                 << ' ' << name << ", " << P << " ranks, " << per_node << " a node, " << bytes
                 << " bytes: " << made << " us, simulated " << simulated);
            CHECK(made < 2 * simulated);
            CHECK(made > simulated / 2);
          }
        }
}

TEST_CASE("estimates are near to simulations, and rank alike", "[decision]") {
  const Platform platform = adapter();
  std::map<std::string, Tally> by_name;
  double clear = 0, agreed = 0, losses = 0, choices = 0;
  for (std::size_t c = 0; c < kCollectives; ++c)
    for (const int P : {2, 3, 4, 6, 8, 12, 16})
      for (const int per_node : {1, 2, 4, P})
        for (const Bytes bytes : {8, 1024, 65536}) {
          if (P > tests::unless_sanitized(16, 8) || P % per_node != 0) continue;
          const auto collective = static_cast<Collective>(c);
          if (collective == Collective::barrier && bytes > 8) continue;
          const auto all = compared(problem_of(collective, P, per_node, bytes), per_node, platform);
          REQUIRE_FALSE(all.empty());
          const Compared* chosen = &all.front();
          double best = all.front().simulated;
          for (const Compared& one : all) {
            INFO(name_of(collective)
                 << ' ' << one.name << ", " << P << " ranks, " << per_node << " a node, " << bytes
                 << " bytes: " << one.estimate << " us, simulated " << one.simulated);
            const double ratio = one.estimate / one.simulated;
            CHECK(ratio < kMost);
            CHECK(ratio > 1 / kMost);
            Tally& tally = by_name[std::string(name_of(collective)) + ' ' + one.name];
            tally.product += std::log(ratio);
            ++tally.cases;
            best = std::min(best, one.simulated);
            if (one.estimate < chosen->estimate) chosen = &one;
            for (const Compared& other : all)
              if (other.simulated > kClear * one.simulated) {
                ++clear;
                agreed += other.estimate > one.estimate ? 1 : 0;
              }
          }
          ++choices;
          losses += std::log(chosen->simulated / best);
        }
  if (tests::kSanitized) return;  // the means are those of all
  for (const auto& [name, tally] : by_name) {
    INFO(name);
    CHECK(std::abs(tally.product) / tally.cases < std::log(kMean));
  }
  CHECK(agreed / clear > kAgree);
  // Mean time of the choices by estimates, relative to the fastest (geometric mean).
  CHECK(std::exp(losses / choices) < 1.05);
}
