// Candidates whose shape depends on the model in use.
#include <algorithm>
#include <catch2/catch.hpp>

#include "models/platform/platform.hpp"
#include "tools/tune/points.hpp"

namespace tutti::tools {
namespace {

using collectives::Choice;
using collectives::Collective;
using collectives::LogGP;

const std::vector<int> kThreeNodes{0, 1, 2};
// By the first the root sends to both others, as recursive splitting does among three; by the
// second each rank sends to the next one.
constexpr LogGP kSplitting{.L = 1, .g = 1, .G = 0}, kLine{.L = 1, .g = 100, .G = 0};

Completion with(const LogGP& times) {
  return [times](Choice choice, const std::vector<int>& node) {
    CHECK(node == kThreeNodes);
    choice.parameters.times = choice.parameters.times.or_else(times);
    return choice;
  };
}

std::vector<Candidate> candidates_by(const std::vector<Completion>& completions,
                                     Collective collective = Collective::scatter) {
  return candidates_for(collective, kThreeNodes, 8, false, {}, completions);
}

bool has_loggp(const std::vector<Candidate>& all) {
  return std::ranges::any_of(all, [](const Candidate& one) { return one.name == "loggp"; });
}

}  // namespace

TEST_CASE("a tree that a model shapes is a candidate where no other one has its shape", "[tune]") {
  for (const Collective collective : {Collective::scatter, Collective::gather}) {
    CHECK_FALSE(has_loggp(candidates_by({with(kSplitting)}, collective)));
    CHECK(has_loggp(candidates_by({with(kLine)}, collective)));
    // It is kept if it is another tree by one of several models.
    CHECK(has_loggp(candidates_by({with(kSplitting), with(kLine)}, collective)));
    CHECK(has_loggp(candidates_by({with(kLine), with(kSplitting)}, collective)));
    CHECK_FALSE(has_loggp(candidates_by({with(kSplitting), with(kSplitting)}, collective)));
    CHECK_FALSE(has_loggp(candidates_by({}, collective)));  // by the usual times
  }
}

TEST_CASE("a choice with times of its own is the candidate that has them by the model", "[tune]") {
  const std::vector<Completion> line{with(kLine)};
  Point point{.collective = Collective::scatter, .P = 3, .bytes = 8};
  point.candidates = candidates_by(line);
  const std::size_t before = point.candidates.size();
  Choice choice{.algorithm = collectives::find(Collective::scatter, "loggp")};
  const int number = add_candidate(point, kThreeNodes, choice, line);
  choice.parameters.times = kLine;
  CHECK(add_candidate(point, kThreeNodes, choice, line) == number);
  CHECK(point.candidates.size() == before);
  choice.parameters.times = kSplitting;
  const int other = add_candidate(point, kThreeNodes, choice, line);
  CHECK(other != number);
  CHECK(point.candidates.size() == before);  // recursive splitting has this name now
}

TEST_CASE("an oracle gives the times of its model, and takes those that are said", "[tune]") {
  const models::Platform platform{.between =
                                      models::LogGP{.L = 5, .o_s = 1, .o_r = 2, .g = 3, .G = 0.25}};
  const Oracle oracle = oracle_of(platform, 1);
  Choice choice{.algorithm = collectives::find(Collective::scatter, "loggp")};
  CHECK(to_string(oracle.completed(choice, kThreeNodes)) == "loggp(L=8,g=3,G=0.25)");
  choice.parameters.times.L = 7;
  CHECK(to_string(oracle.completed(choice, kThreeNodes)) == "loggp(L=7,g=3,G=0.25)");
  CHECK(completions_of({oracle, {"without times", {}}}).size() == 1);
}

}  // namespace tutti::tools
