// The parameters of cost models in JSON, tau-Lop's too: what is accepted can be written and read
// again, predicts times that are numbers, and chooses an algorithm that applies.
#include <cmath>
#include <nlohmann/json.hpp>

#include "collectives/algorithms/conditions.hpp"
#include "models/decision/decisions.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/saved.hpp"
#include "models/tau_lop/parameters.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::fuzz;

namespace {

void must_predict(const Model& model) {
  for (const Bytes bytes : {Bytes{0}, Bytes{1}, Bytes{1} << 20, Bytes{1} << 40}) {
    const double time = time_of(model, bytes);
    must(time >= 0, "a message takes no less than no time");
  }
}

void must_choose(const Platform& platform, collectives::Collective collective) {
  collectives::Facts facts{.P = 8, .nodes = 4, .max_ranks_per_node = 2};
  facts.oversubscribed = facts.software_wire = true;
  facts.cores = 3;
  Decisions decisions(completed(platform, "rxe"), facts);
  for (const Bytes bytes : {Bytes{0}, Bytes{4096}, Bytes{1} << 40}) {
    collectives::Problem problem{{.collective = collective, .bytes = bytes}, facts.P};
    problem.node = std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3};
    const auto choice = decisions.select(problem);
    must(choice.algorithm && !why_not(*choice.algorithm, problem, choice.parameters),
         "what is chosen applies");
  }
}

// A file that is kept for a user is read at the start of each job; what it says is another
// machine's or wire's is a warning.
void must_say_why_foreign(const Platform& platform) {
  const Machine here{"A processor", 4};
  const bool own = platform.origin.machine == here && platform.origin.wire == "rxe";
  const auto why = why_foreign(platform, here, "rxe");
  must(own != why.has_value(), "what was measured here is not foreign");
  must(!why || (why->size() > 5 && why->size() < 4000), "the warning can be read");
}

void read_tau_lop(std::string_view text) {
  tau_lop::Parameters parameters;
  if (!accepts([&] { parameters = tau_lop::parse_parameters(text); })) return;
  const auto written = to_json(parameters);
  must(to_json(tau_lop::parse_parameters(written.dump())) == written,
       "what is written reads the same");
  for (const auto& transfer : parameters.transfer)
    for (const int tau : {1, 3, 1000})
      must(transfer(Bytes{1} << 30, tau) >= 0, "a transfer takes no less than no time");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_tau_lop(Input(data, size).text());
  Platform platform;
  if (!accepts([&] { platform = parse_platform(Input(data, size).text()); })) return 0;
  const auto written = to_json(platform);
  must(to_json(parse_platform(written.dump())) == written, "what is written reads the same");
  must_say_why_foreign(platform);
  must_predict(platform.between);
  if (platform.within) must_predict(*platform.within);
  must_choose(platform, static_cast<collectives::Collective>(size % collectives::kCollectives));
  accepts([&] {
    parse_platform(Input(data, size).text(), {.model = "logp", .parameters = {{"L", 1.5}}});
  });
  return 0;
}
