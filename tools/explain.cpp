// `tutti explain`: which algorithm would run a call, and why. The settings and the kept
// parameters, by which a job decides, are read by the job's own functions.
#include "tools/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/selection/choices.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json_text.hpp"
#include "src/setup/configuration.hpp"
#include "src/job/selection.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/explain_counted.hpp"
#include "tools/explain_text.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/passed_over.hpp"
#include "tools/torus.hpp"
#include "transport/placement.hpp"

namespace tutti::tools {
namespace {

using nlohmann::json;

constexpr int kMostRanksExplained = 1 << 24;  // each has a node in the problem that is explained

// The parameters that --params names, or its older name, in place of the job's.
PlatformHere named_platform(const ExplainOptions& options, std::string_view wire) {
  const std::string& name = options.params;
  return {platform_named(name, wire, options.params_option), false,
          fmt::format("{} {}", options.params_option, name)};
}

// The hardware threads that ranks of one node, which is this host, may run on.
int cores_here() { return static_cast<int>(transport::card_of_this_process({}).threads.count()); }

// The job as far as it is known: what its communicator of all ranks would know of itself.
struct ExplainedJob {
  std::vector<int> node;  // of each rank
  collectives::Facts facts;
  PlatformHere platform;
};

ExplainedJob job_of(const ExplainOptions& options, const Configuration& configuration) {
  std::vector<int> node = nodes_by_mapping(
      options.mapping, options.ranks,
      std::min(ranks_per_node(options.ranks_per_node, !options.params.empty()), options.ranks));
  collectives::Facts facts = collectives::facts_of_nodes(node);
  facts.wire_within = configuration.transport == TransportChoice::verbs;
  facts.cores = options.cores > 0 ? options.cores : facts.nodes == 1 ? cores_here() : 0;
  facts.oversubscribed = facts.cores > 0 && facts.cores < options.ranks;
  const bool wire = facts.nodes > 1 || facts.wire_within;
  if (options.params.empty()) {
    facts.software_wire = wire && software_wire_here(configuration);
    return {std::move(node), facts, parameters_here(configuration, wire)};
  }
  PlatformHere named = named_platform(options, models::wire_of(wire, false));
  facts.software_wire = wire && named.platform.cores.value_or(models::Cores{}).move_packets();
  return {std::move(node), facts, std::move(named)};
}

collectives::Problem problem_of(const ExplainOptions& options, const ExplainedJob& job,
                                const Configuration& configuration) {
  const collectives::Collective collective = collectives::read_collective(options.collective);
  const auto bytes = parse_size(options.bytes);
  if (!bytes || *bytes < 0)
    bad_configuration(
        fmt::format("--bytes '{}': write a size, such as 4096, 64k or 1MiB", options.bytes));
  if (*bytes > models::kMostInAll / options.ranks)
    bad_configuration(
        fmt::format("--bytes '{}' for each of {} ranks are too many: at most {} in all",
                    options.bytes, options.ranks, models::kMostInAll));
  collectives::Problem problem{explained_task(collective, *bytes, configuration), job.facts.P};
  if (job.facts.nodes > 1) problem.node = job.node;
  put_on_torus(problem, options.torus);
  return problem;
}

// The effort for the table from which the call's algorithm is read.
struct Effort {
  std::size_t estimates = 0;
  std::chrono::duration<double, std::micro> time{};
};

// Settings by which an algorithm is chosen, as far as they are set.
json settings_of(const Configuration& configuration, bool by_model) {
  json all = json::object();
  if (!configuration.algorithm.empty()) all["algorithm"] = configuration.algorithm;
  if (!configuration.table.empty()) all["table"] = configuration.table;
  if (by_model && !configuration.model.empty()) all["model"] = configuration.model;
  if (configuration.calls_in_a_row > 0)
    all["calls_in_a_row"] = fmt::to_string(configuration.calls_in_a_row);
  return all;
}

json explain(ExplainOptions options, Effort& effort, bool counting) {
  if (!options.torus.empty())
    options.ranks = ranks_on(parse_torus(options.torus, kMostRanksExplained));
  const Configuration configuration = load_configuration({});
  for (const std::string& warning : configuration.warnings) warn_once(warning);
  collectives::Rules rules = read_rules(configuration).rules;
  const ExplainedJob job = job_of(options, configuration);
  collectives::Problem problem = problem_of(options, job, configuration);
  if (!options.algorithm.empty()) {
    const std::string text = fmt::format("{}={}", options.collective, options.algorithm);
    rules.forced.insert_or_assign(problem.collective,
                                  collectives::parse_choices(text).at(problem.collective));
  }
  // A job whose settings name what needs a group of all ranks joins one.
  problem.datagrams = job.facts.P == 1 || (collectives::wants_datagrams(rules) &&
                                           configuration.multicast != MulticastWay::off);
  require_sockets(options.sockets, job.platform.platform);
  Selection selection(rules, for_program(job.platform.platform, configuration));
  const auto decisions = selection.decisions_for(job.facts);
  const auto begin = std::chrono::steady_clock::now();
  decisions->table(problem);
  effort = {decisions->estimates(), std::chrono::steady_clock::now() - begin};
  json all = selection.explain(problem, *decisions);
  if (counting)
    all["counted"] =
        counted_statement(selection.choose(problem, *decisions), problem, job.platform.platform,
                          options.sockets, !all.contains("statement"));
  all["model"]["from"] =
      job.platform.from +
      (job.platform.to_measure
           ? "; a job measures others when it starts, as the setting `model` says"
           : "");
  if (const std::string& command = job.platform.platform.origin.command; !command.empty())
    all["model"]["command"] = command;
  all["settings"] = settings_of(configuration, options.params.empty());
  if (!options.algorithm.empty()) all["reason"] = "by hand: --algorithm names it";
  return all;
}

int run_explain(const ExplainOptions& options) {
  Effort effort;
  const json all = explain(options, effort, true);
  if (options.json) {
    fmt::print("{}\n", models::json_text(all, 2));
    return 0;
  }
  print_explanation(all);
  fmt::print("\nThe table of this collective took {} estimates and {:.0f} us.\n", effort.estimates,
             effort.time.count());
  return 0;
}

}  // namespace

std::string algorithm_of_job(const ExplainOptions& options) {
  Effort effort;
  return explain(options, effort, false).at("algorithm").get<std::string>();
}

void add_explain(CommandLine& line) {
  auto options = std::make_shared<ExplainOptions>();
  const Command command =
      line.command("explain", "which algorithm would run a call of a job, and why");
  ExplainOptions& o = *options;
  command.collective(o.collective, "a collective, such as allgather").required();
  command.option("--algorithm", o.algorithm,
                 "explain this one, with its parameters, instead of the one that would run");
  command.option("-P,--ranks", o.ranks, "ranks").between(1, kMostRanksExplained).show_default();
  command.option("-m,--bytes", o.bytes, "size of the message, or of one rank's block")
      .show_default();
  command.option("--ppn", o.ranks_per_node, kRanksPerNodeAre).between(1, kMostRanksExplained);
  command
      .option("--cores", o.cores,
              "cores of all machines together, if ranks share them (default: on one node this "
              "host's, else one a rank)")
      .between(1, kMostRanksExplained);
  command.option("--mapping", o.mapping, kMappingIs).show_default();
  command
      .option("--sockets", o.sockets,
              fmt::format("{}; in the simulation alone, whose time is printed then: what "
                          "chooses algorithms knows of no sockets",
                          kSocketsAre))
      .between(1, kMostRanksExplained)
      .show_default();
  command.option("--torus", o.torus, kTorusIs);
  command.option("--params", o.params,
                 fmt::format("parameters instead of the job's, which the setting `model` names: {}",
                             kParametersAre));
  command.older_name("--model", o.params);
  command.flag("--json", o.json, "as JSON, as tutti_explain(3) has it, and what is counted");
  command.footer(
      "It is the job that would run with the settings of this environment. Times are in\n"
      "microseconds. Examples:\n"
      "  tutti explain allgather -P 64 -m 4096 --ppn 8\n"
      "  tutti explain bcast -P 64 -m 1M --algorithm 'chain(segment=64k)'\n"
      "  tutti explain barrier -P 8 --ppn 2 --params rxe --cores 4");
  command.runs([command, options] {
    const collectives::Collective named[] = {collectives::read_collective(options->collective)};
    refuse_torus_in_vain(command, named);
    if (command.has("--model")) options->params_option = "--model";
    return run_explain(*options);
  });
}

}  // namespace tutti::tools
