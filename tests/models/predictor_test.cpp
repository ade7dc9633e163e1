// Both kinds of models behind one name, and calls that follow each other.
#include "models/predictor.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "collectives/schedule/repeated.hpp"
#include "collectives/selection/choices.hpp"

using namespace tutti;
using namespace tutti::collectives;

namespace {

constexpr const char* kLogGP =
    R"({"model": "loggp", "parameters": {"L": 20, "o": 5, "g": 10, "G": 0}})";
constexpr const char* kTauLop = R"({"format": 1, "model": "tau-lop",
    "within": {"overhead": 1, "transfer": {"1": [[0, 0], [1000, 10]]}},
    "between": {"overhead": 1, "transfer": {"1": [[0, 0], [1000, 10]]}}})";

double time_of_call(const char* predictor, Collective collective, const char* name, int P,
                    int calls) {
  Problem problem{{.collective = collective, .bytes = 100}, P};
  if (collective == Collective::barrier) problem.bytes = 0;
  std::vector<int> node(index(P));
  for (Rank rank = 0; rank < P; ++rank) node[index(rank)] = rank;
  return models::time_of(
      models::parse_predictor(predictor), node,
      [&](Rank rank) {
        problem.rank = rank;
        return find(collective, name)->build(problem, {});
      },
      calls);
}

}  // namespace

TEST_CASE("predictor: a kind by the model's name") {
  CHECK(label_of(models::parse_predictor(kLogGP)) == "loggp");
  CHECK(label_of(models::parse_predictor(kTauLop)) == "tau-lop");
  CHECK(models::is_tau_lop(kTauLop));
  CHECK(!models::is_tau_lop(kLogGP));
  CHECK(!models::is_tau_lop("["));
  CHECK_THROWS_WITH(models::parse_predictor("["), Catch::Contains("not JSON"));
  const auto tau_lop = models::parse_predictor(kTauLop);
  CHECK(to_json(models::parse_predictor(to_json(tau_lop).dump())) == to_json(tau_lop));
}

TEST_CASE("predictor: one broadcast takes o + L + o, many a gap each") {
  CHECK(time_of_call(kLogGP, Collective::bcast, "linear", 2, 1) == Approx(30));
  CHECK(time_of_call(kLogGP, Collective::bcast, "linear", 2, 11) == Approx((10 * 10 + 30) / 11.0));
  // Two overheads and half a message's transfers: no stage begins before the one before has ended.
  CHECK(time_of_call(kTauLop, Collective::bcast, "linear", 2, 5) ==
        Approx(time_of_call(kTauLop, Collective::bcast, "linear", 2, 1)));
}

TEST_CASE("predictor: barriers in a row take as long as each alone") {
  const double one = time_of_call(kLogGP, Collective::barrier, "dissemination", 8, 1);
  CHECK(one == Approx(3 * 30));
  CHECK(time_of_call(kLogGP, Collective::barrier, "dissemination", 8, 10) == Approx(one));
}

TEST_CASE("in a row: messages keep their numbers where segments have mixed the steps") {
  const auto choice = parse_choices("allreduce=hierarchical(segment=8k,across=pipeline-whole)")
                          .at(Collective::allreduce);
  Problem problem{{.collective = Collective::allreduce, .bytes = 64 << 10}, 16};
  std::vector<int> node(16);
  for (Rank rank = 0; rank < 16; ++rank) node[index(rank)] = rank / 4;
  problem.node = node;
  CHECK(models::time_of(
            models::parse_predictor(kLogGP), node,
            [&](Rank rank) {
              problem.rank = rank;
              return choice.algorithm->build(problem, choice.parameters);
            },
            3) > 0);
}

TEST_CASE("in a row: the calls of a rank follow each other") {
  Problem problem{{.collective = Collective::allgather, .bytes = 8}, 5};
  problem.rank = 3;
  const Schedule one = find(Collective::allgather, "bruck")->build(problem, {});
  const Schedule three = repeated(one, 3);
  std::size_t messages = 0, each = 0;
  for (const Step& step : three.steps) messages += is_message(step.kind) ? 1 : 0;
  for (const Step& step : one.steps) each += is_message(step.kind) ? 1 : 0;
  CHECK(messages == 3 * each);
  CHECK(three.input_bytes == one.input_bytes);
  CHECK(repeated(one, 1).digest() == one.digest());
  for (std::size_t id = one.steps.size(); id < three.steps.size(); ++id)
    CHECK(three.steps[id].predecessors > 0);
}
