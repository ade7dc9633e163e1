// The classes that explanations name, beside the formulas of `tutti list`.
#include "models/decision/explanation.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "collectives/analysis/asymptotic.hpp"
#include "collectives/analysis/costs.hpp"
#include "models/decision/growth.hpp"
#include "models/decision/shipped.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::collectives;

namespace {

std::string class_of(const Choice& choice, const Facts& facts) {
  Decisions decisions{*find_shipped("hardware"), facts};
  const Problem problem{{.collective = choice.algorithm->collective, .bytes = 4096}, facts.P};
  return explanation(decisions, problem, choice)["statement"]["class"];
}

std::string class_of(Collective collective, const char* name, Bytes segment = 0) {
  return class_of({find(collective, name), {.segment = segment}}, {64, 64, 1});
}

// "P^2 log P", of an explanation.
AsymptoticClass read_class(const std::string& text) {
  static constexpr std::pair<const char*, AsymptoticClass> kKnown[] = {{"", {}},
                                                                       {"1", {}},
                                                                       {"log P", {0, 1}},
                                                                       {"sqrt P", {.5, 0}},
                                                                       {"P", {1, 0}},
                                                                       {"P log P", {1, 1}},
                                                                       {"P sqrt P", {1.5, 0}},
                                                                       {"P^2", {2, 0}},
                                                                       {"P^2 log P", {2, 1}}};
  for (const auto& [name, known] : kKnown)
    if (text == name) return known;
  FAIL(text);
  return {};
}

// The bytes of the critical path: no fewer than a rank sends, no more than all ranks do. A tree's
// bytes upwards are what its root gets, which no formula has.
void compare_bytes(const std::string& said, const Formulas& counted) {
  const std::string bytes = said.substr(said.find(" + m") + 4);
  const AsymptoticClass is = read_class(bytes.empty() ? bytes : bytes.substr(1));
  if (const auto least = asymptotic_class(counted.sent)) CHECK(is >= *least);
  if (const auto most = asymptotic_class(counted.total)) CHECK(is <= *most);
}

}  // namespace

TEST_CASE("growth is what differences show, whatever stands beside it", "[decision]") {
  const auto of = [](double (*value)(double)) {
    std::array<double, 3> values{};
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(kGrowing[i]);
    return growth(values);
  };
  CHECK(of([](double) { return 0.; }) == "0");
  CHECK(of([](double) { return 1e6; }) == "1");
  CHECK(of([](double P) { return 2 * (P - 1) / P; }) == "1");
  CHECK(of([](double P) { return 1000 + std::log2(P); }) == "log P");
  CHECK(of([](double P) { return 2 * std::ceil(std::log(P) / std::log(3)); }) == "log P");
  CHECK(of([](double P) { return 5 + 2 * std::sqrt(P); }) == "sqrt P");
  CHECK(of([](double P) { return P / 2 + 1000; }) == "P");
  CHECK(of([](double P) { return P / 2 * std::log2(P); }) == "P log P");
  CHECK(of([](double P) { return 3 * P * std::sqrt(P) + P; }) == "P sqrt P");
  CHECK(of([](double P) { return (P - 1) * (P + 1); }) == "P^2");
  CHECK(of([](double P) { return P * P * std::log2(P); }) == "P^2 log P");
}

TEST_CASE("classes are those of the formulas that are counted", "[decision]") {
  int compared = 0;
  for (const Algorithm& algorithm : algorithms()) {
    for (const Facts& facts : {Facts{64, 64, 1}, Facts{512, 64, 8}, Facts{64, 1, 64}}) {
      if (algorithm.traits.nodes || algorithm.traits.levels) continue;
      const Choice choice{&algorithm, {.times = kUsualTimes}};
      if (!can_estimate({&algorithm}, {64, 64, 1})) continue;
      const Formulas counted = formulas(algorithm, Over::one_k);
      const std::string said = class_of(choice, facts);
      INFO(name_of(algorithm.collective)
           << ' ' << algorithm.name << " on " << facts.nodes << " nodes: " << said << "; "
           << counted.one_port << "; " << counted.sent << "; " << counted.total);
      const auto messages = asymptotic_class(counted.one_port);
      if (messages) CHECK(said.substr(0, said.find(" + ")) == to_string(*messages));
      if (algorithm.collective != Collective::barrier) compare_bytes(said, counted);
      compared += messages ? 1 : 0;
    }
  }
  CHECK(compared > 200);
}

TEST_CASE("a class may be a square", "[decision]") {
  for (const Facts& facts : {Facts{64, 64, 1}, Facts{512, 64, 8}, Facts{64, 1, 64}}) {
    const auto of = [&](const char* name) {
      return class_of({find(Collective::allgather, name)}, facts);
    };
    CHECK(of("gather-bcast") == "P + m P^2");
    CHECK(of("gather-bcast-binomial") == "log P + m P log P");
  }
}

TEST_CASE("the class of a tree does not depend on the times that shape it", "[decision]") {
  using Times = collectives::LogGP;
  for (const Times& times : {Times{.L = 100, .g = 1, .G = 0}, Times{.L = 1.13, .g = 0.2, .G = 4e-5},
                             Times{.L = 0, .g = 1, .G = 1}})
    for (const Facts& facts : {Facts{64, 64, 1}, Facts{64, 8, 8}, Facts{512, 64, 8}})
      CHECK(class_of({find(Collective::gather, "loggp"), {.times = times}}, facts) ==
            "log P + m P");
}

TEST_CASE("a pipeline's bytes do not pass all ranks one after another", "[decision]") {
  CHECK(class_of(Collective::bcast, "chain") == "P + m P");
  CHECK(class_of(Collective::bcast, "chain", 65536) == "P + m");
  CHECK(class_of(Collective::bcast, "binary", 65536) == "log P + m");
  CHECK(class_of(Collective::bcast, "circulant") == "log P + m log P");
  CHECK(class_of(Collective::bcast, "circulant", 65536) == "log P + m");
  // The root sends each segment to all its children.
  CHECK(class_of(Collective::bcast, "binomial", 65536) == "log P + m log P");
  CHECK(class_of(Collective::allreduce, "halving-doubling") == "log P + m");
  CHECK(class_of(Collective::barrier, "dissemination") == "log P");
}

TEST_CASE("what is done within nodes hides no logarithm", "[decision]") {
  const Choice levels{find(Collective::allreduce, "hierarchical")};
  CHECK(class_of(levels, {1024, 16, 64}) == "log P + m log P");
}

// 3 more segments of a tree in which every rank sends or receives one a round.
TEST_CASE("a further segment of a circulant tree is one message", "[decision]") {
  const Choice choice{find(Collective::bcast, "circulant"), {.segment = 1024}};
  const auto made = estimate_of(choice, 4096, *find_shipped("hardware"), {64, 64, 1});
  CHECK(made.messages.both() == Approx(6 + 3));
}
