// `tutti predict --model tau-lop`: costs as expressions, and with parameters as times.
#include "models/platform/json_text.hpp"
#include "models/tau_lop/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/schedule/repeated.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/names.hpp"
#include "models/predictor.hpp"
#include "models/tau_lop/parameters.hpp"
#include "tools/parameters.hpp"
#include "tools/progress_bar.hpp"
#include "tools/predict/predict.hpp"

namespace tutti::tools {
namespace {

using models::tau_lop::Evaluation;
using nlohmann::json;

// Up to here a world of all ranks is made, and every transfer of it looked at.
constexpr double kMostStepsEvaluated = 2e7;

// Segments by hand are the thesis'.
void set_segment(const PredictOptions& options, models::tau_lop::Parameters& parameters) {
  if (options.segment.empty()) return;
  const auto segment = parse_size(options.segment);
  if (!segment || *segment < 1)
    bad_configuration(fmt::format("--segment '{}' is not a size", options.segment));
  parameters.segment = parameters.segments_above = *segment;
  parameters.protocols.reset();
}

struct LopRow {
  Case what;
  Evaluation found;
  Bytes bytes;  // m: 0 for a barrier
  std::string text;
  std::optional<double> time;
};

const char* name_of(models::tau_lop::Kind kind) {
  constexpr const char* kNames[] = {"overhead", "copy", "combine", "transfer"};
  return kNames[static_cast<int>(kind)];
}

json json_of(const models::tau_lop::Cost& cost) {
  json all = {{"terms", json::array()}, {"greatest", json::array()}};
  for (const auto& [term, times] : cost.terms())
    all["terms"].push_back({{"kind", name_of(term.kind)},
                            {"channel", term.channel},
                            {"bytes", term.bytes},
                            {"tau", term.tau},
                            {"times", times}});
  for (const auto& greatest : cost.maxima()) {
    json of = json::array();
    for (const auto& some : greatest.of) of.push_back(json_of(some));
    all["greatest"].push_back({{"times", greatest.times}, {"of", of}});
  }
  return all;
}

json json_of(const LopRow& row) {
  json one = {{"collective", name_of(row.what.collective)},
              {"algorithm", to_string(row.what.choice)},
              {"ranks", row.what.P},
              {"bytes", row.bytes},
              {"model", models::tau_lop::kName},
              {"stages", row.found.stages},
              {"expression", row.text},
              {"cost", json_of(row.found.cost)}};
  if (row.time) one["time_us"] = *row.time;
  return one;
}

void print(const std::vector<LopRow>& rows, const models::tau_lop::Parameters& parameters,
           bool given) {
  const Bytes segment = parameters.segment;
  fmt::print(
      "tau-lop{}; o, L, c and \u03b3 are the overhead, a transfer, a copy and a combination\n"
      "of (bytes, how many at once), \u2070 within nodes and \u00b9 between them; m is the "
      "message{}\n",
      given ? ", " + parameters.name : "",
      segment > 0 ? fmt::format(", S = {} bytes", segment) : "");
  fmt::print("{:<14} {:<24} {:>6} {:>10} {:>7} {:>12}  {}\n", "collective", "algorithm", "ranks",
             "bytes", "stages", "us", "cost");
  for (const LopRow& row : rows)
    fmt::print("{:<14} {:<24} {:>6} {:>10} {:>7} {:>12}  {}\n", name_of(row.what.collective),
               to_string(row.what.choice), row.what.P, row.bytes, row.found.stages,
               row.time ? fmt::format("{:.3f}", *row.time) : "-", row.text);
}

const std::string& tau_lop_text(const std::string& name) try {
  return parameters_text(name);
} catch (const Error& error) {
  if (models::find_shipped(name) || models::find_published(name))
    bad_configuration(
        fmt::format("--params: {} has no parameters of tau-lop, and no paper prints any; `tutti "
                    "measure --model tau-lop --save=FILE` writes a file of them, and --symbolic "
                    "needs none",
                    name));
  bad_configuration(
      fmt::format("--params: {}; no paper prints parameters of tau-lop", error.message));
}

bool names_tau_lop(const std::string& params) {
  try {
    return models::is_tau_lop(parameters_named(params).text);
  } catch (const Error&) {
    return false;  // platforms_of() reports a file that cannot be read
  }
}

}  // namespace

models::tau_lop::Parameters tau_lop_parameters_of(const PredictOptions& options) {
  if (options.params.size() != 1)
    bad_configuration(
        "no paper prints parameters of tau-lop: name one file with --params, or ask for "
        "expressions with --symbolic");
  const std::string& name = options.params.front();
  const std::string& text = tau_lop_text(name);
  try {
    models::tau_lop::Parameters parameters = models::tau_lop::parse_parameters(text);
    set_segment(options, parameters);
    return parameters;
  } catch (const Error& error) {
    bad_configuration(fmt::format("{:.200}: {}", name, error.message));
  }
}

bool is_tau_lop(const PredictOptions& options) {
  const auto& models = options.models;
  bool named = std::find(models.begin(), models.end(), models::tau_lop::kName) != models.end();
  if (models.empty() && options.params.size() == 1) named = names_tau_lop(options.params.front());
  if (named && models.size() > 1)
    bad_configuration("tau-lop is predicted by itself: name no other model");
  if (options.symbolic && !named)
    bad_configuration("--symbolic: only --model tau-lop has expressions");
  return named;
}

int run_tau_lop(const PredictOptions& options, const std::vector<Case>& cases) {
  const bool given = !options.params.empty() || !options.symbolic;
  models::tau_lop::Parameters parameters =
      given ? tau_lop_parameters_of(options) : models::tau_lop::Parameters{};
  set_segment(options, parameters);
  if (!options.set.empty() || !options.svg.empty() || options.noise > 0 || options.late > 0 ||
      options.details || options.sockets > 1)
    bad_configuration(
        "tau-lop takes none of --set, --svg, --noise, --late, --details and --sockets");
  const auto ways = ways_of(parameters);
  const int calls = std::max(1, options.calls);
  std::vector<LopRow> rows;
  std::vector<std::string> left_out;
  ProgressBar bar("evaluating");
  for (const Case& what : cases) {
    bar.show(rows.size() + left_out.size(), cases.size());
    if (const auto reason = why_not(options, what, kMostStepsEvaluated)) {
      left_out.push_back(fmt::format("{}: {}", to_string(what), *reason));
      if (!options.algorithms.empty()) throw Error(Code::algorithm_not_applicable, left_out.back());
      continue;
    }
    const collectives::Problem problem = problem_of(options, what);
    collectives::World world(what.P, [&](Rank rank) {
      const auto one = what.choice.algorithm->build(collectives::problem_of_rank(problem, rank),
                                                    what.choice.parameters);
      return calls > 1 ? collectives::repeated(one, calls) : one;
    });
    LopRow row{what, models::tau_lop::evaluate(world, nodes_of(options, what.P), ways),
               problem.bytes};
    row.text = text_of(row.found.cost, problem.bytes, parameters.segment);
    if (given) row.time = time_of(row.found.cost, parameters) / calls;
    rows.push_back(std::move(row));
  }
  if (options.json) {
    json all = json::array();
    for (const LopRow& row : rows) all.push_back(json_of(row));
    fmt::print("{}\n", models::json_text(all, 2));
    return 0;
  }
  print(rows, parameters, given);
  for (const std::string& text : left_out) fmt::print("left out: {}\n", text);
  return 0;
}

}  // namespace tutti::tools
