// `tutti draw`: reads the command line, simulates, and writes the picture it names.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "models/platform/names.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/draw/picture.hpp"
#include "tools/draw/recorded.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/explain.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/passed_over.hpp"
#include "tools/predict/predict.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::Schedule;
using models::Platform;

constexpr int kMostRanksDrawn = 512;

struct DrawOptions {
  PredictOptions what;
  std::string collective, kind = "chart", format = "svg", output, trace;
  long long call = -1;  // −1: the median one
};

// The one case that the options name. If they name no algorithm, it is the one that would run.
Case case_of(const std::string& name, PredictOptions what) {
  what.collectives = {name};
  const auto collective = collectives_of(what).front();
  const auto ranks = ranks_of(what);
  const auto bytes = sizes_of(what);
  if (ranks.size() != 1 || bytes.size() != 1)
    bad_configuration("a picture shows one number of ranks and one size: name one of each");
  if (ranks.front() > kMostRanksDrawn)
    bad_configuration(
        fmt::format("a picture has at most {} ranks, not {}", kMostRanksDrawn, ranks.front()));
  if (what.algorithms.empty() && what.models.empty() && what.params.size() <= 1)
    what.algorithms = {algorithm_of_job({.collective = name,
                                         .algorithm = {},
                                         .params = what.params.empty() ? "" : what.params.front(),
                                         .bytes = std::to_string(bytes.front()),
                                         .mapping = what.mapping,
                                         .torus = what.torus,
                                         .ranks = ranks.front(),
                                         .ranks_per_node = what.ranks_per_node})};
  if (what.algorithms.size() != 1)
    bad_configuration(fmt::format(
        "name one algorithm with --algorithm; `tutti list --collective {}` lists them", name));
  const Case one{collective, choices_of(what, collective).front(), ranks.front(),
                 collective == collectives::Collective::barrier ? 0 : bytes.front()};
  if (const auto reason = why_not(what, one))
    throw Error(Code::algorithm_not_applicable, fmt::format("{}: {}", to_string(one), *reason));
  return one;
}

Platform platform_of(const PredictOptions& options, bool several_nodes) {
  const auto platforms = platforms_of(options, several_nodes);
  if (platforms.size() != 1) bad_configuration("a picture shows one model: name one with --model");
  return platforms.front();
}

// The conditions that are simulated beside the call itself.
std::string conditions_of(const PredictOptions& options) {
  std::string text;
  if (options.sockets > 1) text += fmt::format(", {} sockets a node", options.sockets);
  if (options.noise > 0) text += fmt::format(", noise {}", options.noise);
  if (options.late > 0) text += fmt::format(", up to {} late", svg::time_text(options.late));
  if (options.noise > 0 || options.late > 0) text += fmt::format(", seed {}", options.seed);
  if (!options.eager.empty())
    text += fmt::format(", eager up to {}", size_text(parse_size(options.eager).value_or(0)));
  return text;
}

std::string note_of(const Platform& platform, const PredictOptions& options, bool several_nodes) {
  std::string note = fmt::format("simulated: {}", describe(platform, several_nodes));
  if (!options.set.empty()) note += fmt::format(", with {}", fmt::join(options.set, ", "));
  if (options.reduce_per_byte >= 0)
    note += fmt::format(", combining {} µs per byte", options.reduce_per_byte);
  if (options.copy_per_byte >= 0)
    note += fmt::format(", copying {} µs per byte", options.copy_per_byte);
  if (options.congestion != 1) note += fmt::format("; congestion {}", options.congestion);
  if (platform.adapters > 1) note += fmt::format("; {} adapters", platform.adapters);
  if (platform.shared_ports) note += "; the ranks of a node share its ports";
  return note;
}

// A recorded call has its ranks, sizes and times itself; its simulation is told of the machine
// only.
void refuse_beside_trace(const Command& command, const DrawOptions& options) {
  refuse_given(command,
               {"--algorithm", "--ranks", "--bytes", "--ppn", "--mapping", "--sockets", "--torus",
                "--root", "--eager", "--noise", "--late", "--seed"},
               "calls that are simulated, not with a recorded one (--trace)");
  if (!names_machine(options.what))
    refuse_given(command,
                 {"--set", "--reduce-per-byte", "--copy-per-byte", "--shared-ports", "--adapters",
                  "--congestion"},
                 "--params or --model: without them no simulation lies below the recorded call");
}

// Only the chart has times.
void refuse_passed_over(const Command& command, const DrawOptions& options) {
  if (!options.trace.empty()) return refuse_beside_trace(command, options);
  refuse_passed_over(command, options.what, collectives_of({.collectives = {options.collective}}));
  if (options.format == "goal" || options.format == "chrome")
    refuse_given(command, {"--kind"}, "--format svg and dot");
  if (options.format == "goal" || (options.format != "chrome" && options.kind != "chart"))
    refuse_given(command,
                 {"--noise", "--late", "--seed", "--eager", "--congestion", "--adapters",
                  "--shared-ports", "--sockets"},
                 "charts, which have times (--kind chart, --format chrome)");
}

std::string drawn_recorded(const DrawOptions& options) {
  if (options.kind != "chart" || (options.format != "svg" && options.format != "chrome"))
    bad_configuration("a recorded call is drawn as a chart only, as svg or chrome");
  const Recordings recordings(options.trace);
  const auto collective = collectives_of({.collectives = {options.collective}}).front();
  const auto found = options.call < 0 ? recordings.find_median(collective)
                                      : recordings.find(collective, index(options.call));
  const Chart chart = recordings.chart(found);
  if (options.format == "chrome") return chrome_of(chart);
  if (!names_machine(options.what)) return draw_chart(chart);
  const Chart below = recordings.simulated(found, platform_of(options.what, false));
  return draw_chart(chart, &below);
}

std::string drawn(const DrawOptions& options) {
  if (is_tau_lop(options.what)) models::model_named(models::tau_lop::kName);  // throws
  if (!options.trace.empty()) return drawn_recorded(options);
  PredictOptions how = options.what;
  how.ranks_per_node = ranks_per_node(how.ranks_per_node, names_machine(how));
  const Case what = case_of(options.collective, how);
  const std::vector<int> node = nodes_of(how, what.P);
  const bool several_nodes = has_several_nodes(how, what.P);
  const Platform platform = platform_of(how, several_nodes);
  const std::string title = title_of(what.collective, to_string(what.choice), node, what.bytes);
  if (options.format == "chrome" || (options.format == "svg" && options.kind == "chart")) {
    Chart chart = chart_of(predict(how, what, platform, true).result, node,
                           note_of(platform, how, several_nodes));
    chart.title = title + conditions_of(how);
    const bool here = !names_machine(how) && !several_nodes;
    if (const std::string shared = about_shared_cores(here ? what.P : 0); !shared.empty())
      chart.note += "\n" + shared;
    return options.format == "chrome" ? chrome_of(chart) : draw_chart(chart);
  }
  const std::vector<Schedule> schedules = collectives::schedules_of_all_ranks(
      *what.choice.algorithm, problem_of(how, what), what.choice.parameters);
  const Drawn all{title, what.collective, schedules, node};
  if (options.format == "goal")
    return goal_of(all, platform.reduce_per_byte, platform.copy_per_byte);
  if (options.format == "dot") return options.kind == "tree" ? dot_of_tree(all) : dot_of_steps(all);
  return options.kind == "tree" ? draw_tree(all) : draw_rounds(all);
}

int run_draw(const Command& command, const DrawOptions& options) {
  refuse_passed_over(command, options);
  const std::string text = drawn(options);
  if (options.output.empty() || options.output == "-") {
    fmt::print("{}", text);
    return 0;
  }
  write_file(options.output, text);
  return 0;
}

}  // namespace

void add_draw(CommandLine& line) {
  auto options = std::make_shared<DrawOptions>();
  options->what.ranks_per_node = kNotSaid;
  const Command command =
      line.command("draw", "pictures of a collective: time chart, rounds, tree");
  command.collective(options->collective, "the collective").required();
  command
      .option("--kind", options->kind,
              "chart: who does what when, simulated; rounds: which messages go together; "
              "tree: who hears from whom")
      .one_of({"chart", "rounds", "tree"})
      .show_default();
  command
      .option("--format", options->format,
              "svg; goal: GOAL text for LogGOPSim; chrome: trace events for Perfetto; dot: "
              "Graphviz")
      .one_of({"svg", "goal", "chrome", "dot"})
      .show_default();
  command.option(kPictureFile, options->output, "the file (default: standard output)").picture();
  const Option trace = command.option(
      "--trace", options->trace,
      "a call that the setting `trace` recorded in this folder; with a model its simulation lies "
      "below");
  command
      .option("--call", options->call,
              "with --trace: that call, by its number in its communicator, from 1 (default: that "
              "of the median time)")
      .not_negative()
      .only_with(trace);
  add_platform(command, options->what, HowMany::one);
  add_call(command, options->what, HowMany::one);
  add_setting(command, options->what);
  command.footer(
      "Without --model and --params the chart is of this machine, as a job would know it: as\n"
      "the setting `model` names it, or `tutti measure --save` has it, or else as shipped.\n"
      "Examples:\n"
      "  tutti draw allreduce -P 16 --ppn 4 -m 64k -o allreduce.svg   what a job would run\n"
      "  tutti draw allgather --algorithm bruck -P 8 -m 1k --params boba -o bruck.svg\n"
      "  tutti draw bcast --algorithm binomial -P 16 --kind tree -o tree.svg\n"
      "  tutti draw barrier --algorithm dissemination -P 8 --format goal\n"
      "  TUTTI_TRACE=trace mpiexec -n 4 ./a && tutti draw bcast --trace trace -o bcast.svg");
  command.runs([command, options] { return run_draw(command, *options); });
}

}  // namespace tutti::tools
