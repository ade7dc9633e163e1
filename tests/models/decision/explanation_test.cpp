// The classes that explanations name, beside the formulas of `tutti list`.
#include "models/decision/explanation.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "collectives/analysis/costs.hpp"
#include "collectives/analysis/formula.hpp"
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

// The formula for powers of two, without what it says of small P.
std::string for_powers(std::string text) {
  if (text.starts_with("at most ")) text = text.substr(8);
  for (const char* const end : {" if P is", " (P="}) text = text.substr(0, text.find(end));
  return text;
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
}

TEST_CASE("classes are those of the formulas that are counted", "[decision]") {
  int compared = 0;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.traits.nodes || !can_estimate({&algorithm}, {64, 64, 1})) continue;
    const std::string formula = formulas(algorithm, Over::one_k).one_port;
    if (formula.starts_with("no formula")) continue;
    std::array<double, 3> values{};
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = evaluate(for_powers(formula), kGrowing[i], 1);
    const std::string said = class_of({&algorithm}, {64, 64, 1});
    INFO(name_of(algorithm.collective) << ' ' << algorithm.name << ": " << formula << "; " << said);
    CHECK(said.substr(0, said.find(" + ")) == growth(values));
    ++compared;
  }
  CHECK(compared > 70);
}

TEST_CASE("the class of a tree does not depend on the times that shape it", "[decision]") {
  using Times = collectives::LogGP;
  for (const Times& times : {Times{.L = 100, .g = 1, .G = 0}, Times{.L = 1.13, .g = 0.2, .G = 4e-5},
                             Times{.L = 0, .g = 1, .G = 1}})
    CHECK(class_of({find(Collective::gather, "loggp"), {.times = times}}, {64, 64, 1}) ==
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
