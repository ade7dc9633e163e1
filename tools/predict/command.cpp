// `tutti predict`: reads the command line and runs what it names.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/names.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/passed_over.hpp"
#include "tools/predict/predict.hpp"
#include "tools/progress_bar.hpp"
#include "tools/text.hpp"
#include "tools/torus.hpp"

#include <nlohmann/json.hpp>

namespace tutti::tools {
namespace {

// Up to here a prediction has its critical path, for which all steps are kept.
constexpr int kMostRecorded = 512;
constexpr double kMostFactor = 1e6, kMostLate = 1e9;

std::vector<Case> cases_of(const PredictOptions& options) {
  std::vector<Case> all;
  for (const auto collective : collectives_of(options))
    for (const int P : ranks_of(options))
      for (const Bytes bytes : collective == collectives::Collective::barrier
                                   ? std::vector<Bytes>{0}
                                   : sizes_of(options))
        for (const auto& choice : choices_of(options, collective))
          all.push_back({collective, choice, P, bytes});
  return all;
}

// Cases, and the machines on which they are predicted: what they have in common.
struct Group {
  std::vector<models::Platform> platforms;
  std::vector<Case> cases;
  std::string from{};  // which parameters of this machine; empty: the options name them
};

// This machine is another one for several nodes than for one.
std::vector<Group> groups_of(const PredictOptions& options) {
  std::vector<Case> cases = cases_of(options);
  if (names_machine(options)) return {{platforms_of(options, false), std::move(cases)}};
  std::vector<Group> groups;
  for (const bool several : {false, true}) {
    Group group;
    for (const Case& one : cases)
      if (has_several_nodes(options, one.P) == several) group.cases.push_back(one);
    if (group.cases.empty()) continue;
    group.platforms = platforms_of(options, several);
    const PlatformHere here = parameters_here(several);
    group.from = fmt::format("{}, {}", here.platform.name, here.from);
    groups.push_back(std::move(group));
  }
  return groups;
}

void print_sources(const std::vector<Group>& groups) {
  for (const Group& group : groups)
    if (!group.from.empty())
      fmt::print("{}Parameters of this machine: {}\n", &group == groups.data() ? "\n" : "",
                 group.from);
}

// The simulator gives each rank a core of its own, and packets none.
void print_whether_cores_are_shared(const PredictOptions& options,
                                    const std::vector<Group>& groups) {
  const auto costly_packets = [](const models::Platform& platform) {
    return platform.cores && platform.cores->per_message > 0;
  };
  bool packets = false;
  int ranks_here = 0;  // that have no core each, perhaps
  for (const Group& group : groups) {
    packets |= std::ranges::any_of(group.platforms, costly_packets);
    for (const Case& one : group.cases)
      if (!group.from.empty() && !has_several_nodes(options, one.P))
        ranks_here = std::max(ranks_here, one.P);
  }
  if (const std::string shared = about_shared_cores(ranks_here); !shared.empty())
    fmt::print("{}\n", shared);
  else if (packets)
    fmt::print(
        "Packets are taken to need no core of the ranks: `tutti explain` counts what they "
        "cost.\n");
}

struct Predictions {
  std::vector<Prediction> made;
  std::vector<std::string> left_out;
};

// Throws Error{algorithm_not_applicable} if an algorithm is named that does not apply.
Predictions predict_all(const PredictOptions& options, const std::vector<Group>& groups,
                        std::size_t wanted, bool record) {
  Predictions all;
  ProgressBar bar("simulating");
  const auto add = [&](const Case& what, const models::Platform& platform) {
    bar.show(all.made.size() + all.left_out.size(), wanted);
    const auto reason = why_not(options, what);
    if (!reason) return all.made.push_back(predict(options, what, platform, record));
    const std::string text = fmt::format("{}: {}", to_string(what), *reason);
    if (!options.algorithms.empty()) throw Error(Code::algorithm_not_applicable, text);
    all.left_out.push_back(text);
  };
  for (const Group& group : groups)
    for (const models::Platform& platform : group.platforms)
      for (const Case& what : group.cases) add(what, platform);
  return all;
}

bool any_has_several_nodes(const PredictOptions& options) {
  const std::vector<int> ranks = ranks_of(options);
  return std::ranges::any_of(ranks, [&](int P) { return has_several_nodes(options, P); });
}

// Reports that are about no call of their own would pass over what is said of one.
void require_no_call(const PredictOptions& o) {
  const char* const report = o.list         ? "--list-models"
                             : o.bluegene_p ? "--bluegene-p"
                             : o.check      ? "--check"
                             : o.show       ? "--show-params"
                                            : nullptr;
  if (!report) return;
  if (!o.collectives.empty())
    bad_configuration(fmt::format("{} takes no collective, and '{:.200}' is given", report,
                                  o.collectives.front()));
  if (!o.algorithms.empty()) bad_configuration(fmt::format("{} takes no --algorithm", report));
  if (!o.show && !(o.models.empty() && o.params.empty() && o.set.empty()))
    bad_configuration(fmt::format("{} takes no --model, --params or --set", report));
}

// The simulator's models, and tau-lop.
void require_models(const PredictOptions& o) {
  std::vector<std::string_view> names;
  for (const models::Model& model : models::models()) names.push_back(name_of(model));
  names.push_back(models::tau_lop::kName);
  for (const std::string& model : o.models) {
    must_name_no_parameters(model);
    if (model != "all" && !models::is_model(model) && model != models::tau_lop::kName)
      bad_configuration(no_such("model", model, names));
  }
}

// Files that say what was called, and where, go by that.
void refuse_beside_files(const Command& command, const PredictOptions& o) {
  if (!o.compare.empty())
    refuse_given(command,
                 {"--collective", "--algorithm", "--ranks", "--bytes", "--ppn", "--torus", "--root",
                  "--symbolic", "--details", "--svg", "--json"},
                 "calls that the command line names, not with those of --compare");
  if (!o.program.empty())
    refuse_given(command, {"--ranks", "--bytes", "--torus"},
                 "calls that the command line names, not with those of --program");
}

// Only tau-lop and TAU's formulas know segments; the simulator does not.
void refuse_segment_in_vain(const Command& command, const std::vector<Prediction>& made) {
  const auto is_of_tau = [](const Prediction::Printed& one) {
    return one.form.where.starts_with("TAU");
  };
  if (std::ranges::none_of(
          made, [&](const Prediction& one) { return std::ranges::any_of(one.printed, is_of_tau); }))
    refuse_given(command, {"--segment"},
                 "--model tau-lop, or algorithms of which TAU has a formula; an algorithm's own "
                 "segments are written as chain(segment=8k)");
}

int run_predict(const Command& command, PredictOptions options) {
  require_no_call(options);
  require_models(options);
  refuse_beside_files(command, options);
  options.ranks_per_node = ranks_per_node(options.ranks_per_node, names_machine(options));
  if (options.list) return print_models(), 0;
  if (options.bluegene_p) return print_bluegene_p(options), 0;
  if (options.check) return print_check(options.json) ? 0 : 1;
  if (options.show) {
    for (const auto& platform : platforms_of(options, any_has_several_nodes(options)))
      fmt::print("{}\n", models::json_text(models::to_json(platform), 2));
    return 0;
  }
  if (!options.compare.empty()) return print_comparison(options), 0;
  if (!options.program.empty()) return run_program(options);
  refuse_passed_over(command, options, collectives_of(options));
  if (is_tau_lop(options)) return run_tau_lop(options, cases_of(options));
  const std::vector<Group> groups = groups_of(options);
  std::size_t wanted = 0;
  for (const Group& group : groups) wanted += group.platforms.size() * group.cases.size();
  const bool alone = wanted == 1 && groups.front().cases.front().P <= kMostRecorded;
  const auto [predictions, left_out] = predict_all(options, groups, wanted, alone);
  if (predictions.empty())
    throw Error(Code::algorithm_not_applicable, left_out.empty()
                                                    ? "no algorithm is named"
                                                    : "nothing applies: " + left_out.front());
  refuse_segment_in_vain(command, predictions);
  if (!options.svg.empty()) write_curves(options.svg, predictions);
  if (options.json)
    print_json(predictions, options.details);
  else if (predictions.size() == 1 || options.details)
    for (const Prediction& prediction : predictions) print_one(prediction, options.details);
  else
    print_table(predictions);
  if (!options.json) print_sources(groups), print_whether_cores_are_shared(options, groups);
  if (!options.json && !left_out.empty()) {
    fmt::print("\nLeft out:\n");
    for (const std::string& text : left_out) fmt::print("{}", paragraph(text, 4, 2));
  }
  return 0;
}

void add_reports(const Command& command, PredictOptions& o) {
  command.flag("--check", o.check,
               "compare every formula of the papers with the simulator; status 1 if one is not "
               "what it is said to be");
  command.flag("--list-models", o.list, "models, their parameters, and published ones");
  command.flag("--bluegene-p", o.bluegene_p,
               "HPM's statements on BlueGene/P: growth, terms, and bounds over mappings");
  command.option("--compare", o.compare, "a file of `tutti bench --json`: predict its rows");
  command.flag("--details", o.details,
               "also when each rank has finished, and the traffic of each node and each link");
  command.flag("--show-params", o.show, "the parameters as JSON, as --params reads them");
  command.option(kPictureFile, o.svg, "also draw curves over sizes, or over ranks, to this file")
      .picture();
  command.flag("--json", o.json, "as JSON");
}

}  // namespace

void refuse_passed_over(const Command& command, const PredictOptions& options,
                        std::span<const collectives::Collective> named) {
  refuse_torus_in_vain(command, named);
  refuse_without(command, "--root", named, collectives::is_rooted);
  if (options.noise == 0 && options.late == 0)
    refuse_given(command, {"--seed"}, "--noise or --late");
}

void add_platform(const Command& command, PredictOptions& o, HowMany how_many) {
  const bool one = how_many == HowMany::one;
  command
      .option("--model", o.models,
              one ? "a cost model by name, such as loggp (the setting `model` is --params)"
                  : "cost models by name, such as loggp, or `all` (the setting `model` is "
                    "--params)")
      .comma_separated();
  command
      .option("--params", o.params,
              fmt::format("parameters, as jobs have them from the setting `model`: {}{}",
                          kParametersAre,
                          one ? ""
                              : " (default: the model's first published ones; without a "
                                "model those of this machine, as a job would have them)"))
      .comma_separated();
  command.option("--set", o.set, "NAME=NUMBER: another value of a parameter").comma_separated();
}

void add_call(const Command& command, PredictOptions& o, HowMany how_many) {
  const bool one = how_many == HowMany::one;
  command.option(
      "--algorithm", o.algorithms,
      one ? "the algorithm, with parameters if you like, such as bruck(k=3) (default: "
            "the one that would run, by the settings of this environment; with --model none)"
          : "an algorithm, with parameters such as bruck(k=3); may come several times "
            "(default: all)");
  o.ranks = {"8"};
  o.bytes = {"8"};
  command
      .option("-P,--ranks", o.ranks,
              one ? "number of ranks" : "numbers of ranks, such as 8, 2,4 or 2-1024 (times two)")
      .comma_separated()
      .show_default();
  command
      .option("-m,--bytes", o.bytes,
              one ? "size of the message, or of one rank's block, such as 8 or 64k"
                  : "sizes of a message, or of one rank's block, such as 8, 1k,64k or 8-1M (times "
                    "four)")
      .comma_separated()
      .show_default();
  command.option("--ppn", o.ranks_per_node, kRanksPerNodeAre).between(1, 1 << 20);
  command.option("--mapping", o.mapping, kMappingIs).show_default();
  command.option("--sockets", o.sockets, kSocketsAre).between(1, 1 << 10).show_default();
  command.option("--torus", o.torus, kTorusIs);
  command.option("--root", o.root, "root of rooted collectives").show_default();
}

void add_setting(const Command& command, PredictOptions& o) {
  command.option("--eager", o.eager, "longer messages wait for the receiver (rendezvous)");
  command.option("--reduce-per-byte", o.reduce_per_byte, "combining, us per byte")
      .between(0.0, kMostFactor);
  command.option("--copy-per-byte", o.copy_per_byte, "copying, us per byte")
      .between(0.0, kMostFactor);
  command.flag("--shared-ports", o.shared_ports,
               "the ranks of a node share one port to the other nodes");
  command
      .option("--adapters", o.adapters, "ports of a node, or of a rank, to other nodes (BEO's o)")
      .between(1, models::kMostAdapters);
  command
      .option("--congestion", o.congestion,
              "a factor on G: bytes between nodes take so many times as long")
      .between(1.0, kMostFactor)
      .show_default();
  command.option("--noise", o.noise, "every time is longer by a random part of it, on average")
      .between(0.0, kMostFactor);
  command.option("--late", o.late, "ranks enter at random times up to this, us")
      .between(0.0, kMostLate);
  command.option("--seed", o.seed, "of both").show_default();
}

void add_predict(CommandLine& line) {
  auto options = std::make_shared<PredictOptions>();
  options->ranks_per_node = kNotSaid;
  const Command command = line.command(
      "predict", "simulate collectives under a cost model, beside the papers' formulas");
  command.collectives(options->collectives, "collectives");
  command.flag("--symbolic", options->symbolic,
               "with --model tau-lop: the cost as an expression, without parameters");
  command
      .option(
          "--calls", options->calls,
          fmt::format("the time of one of so many calls that follow each other (default: of one "
                      "alone; with --compare: as measured, but {} at most, as more have the "
                      "same time)",
                      models::kCallsLikeMany))
      .between(1, 1 << 16);
  command.option("--segment", options->segment,
                 "with --model tau-lop: longer messages within a node are cut into such");
  command.option("--program", options->program,
                 "a file that says what each rank calls and computes: the time of all of it, and "
                 "where ranks wait");
  add_platform(command, *options, HowMany::several);
  add_call(command, *options, HowMany::several);
  add_setting(command, *options);
  add_reports(command, *options);
  command.footer(
      "Times are in microseconds. What a model's numbers mean for a step is written in\n"
      "models/platform/costs.hpp. Each rank has a core of its own: what it costs to share cores, "
      "with "
      "other\n"
      "ranks or with packets, is in the times of `tutti explain`. Examples:\n"
      "  tutti predict --model loggp --params boba --collective barrier --algorithm dissemination "
      "-P 8\n"
      "  tutti predict --params metropolis --collective allgather -P 2-64 -m 8-64k --ppn 8\n"
      "  tutti predict --params boba --collective bcast -P 32 -m 8-1M --svg bcast.svg\n"
      "  tutti predict --model tau-lop --symbolic --collective bcast -P 16 --ppn 4\n"
      "  tutti predict --params metropolis --program kernel.txt --ppn 8");
  command.runs([command, options] { return run_predict(command, *options); });
}

}  // namespace tutti::tools
