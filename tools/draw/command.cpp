// `tutti draw`: reads the command line, simulates, and writes the picture it names.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.hpp"
#include "tools/files.hpp"
#include "tools/commands.hpp"
#include "tools/draw/picture.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/predict/predict.hpp"

namespace tutti::tools {
namespace {

using collectives::Schedule;
using collectives::StepKind;

constexpr int kMostRanks = 512;
constexpr std::size_t kMostBars = 40000;
constexpr const char* kPlatform = "boba";  // if no model is named

struct DrawOptions {
  PredictOptions what;
  std::string collective, kind = "chart", format = "svg", output;
};

[[noreturn]] void bad(const std::string& message) { throw Error(Code::bad_configuration, message); }

Chart chart_of(const Prediction& made) {
  const models::Result& result = made.result;
  if (result.bars.size() > kMostBars)
    bad(fmt::format("it has {} steps, and a picture at most {}; take fewer ranks",
                    result.bars.size(), kMostBars));
  Chart chart{.note = fmt::format("simulated: {}", describe(*made.platform)),
              .P = made.what.P,
              .time = result.time};
  std::vector<bool> critical(result.bars.size());
  for (const std::size_t i : result.critical_path) critical[i] = true;
  chart.bars.reserve(result.bars.size());
  for (std::size_t i = 0; i < result.bars.size(); ++i) {
    const models::Bar& bar = result.bars[i];
    const double port = bar.kind == StepKind::send ? bar.turn : 0;
    chart.bars.push_back(
        {bar.rank, bar.peer, bar.kind, bar.bytes, bar.begin, bar.busy, port, critical[i]});
    if (bar.from < 0) continue;
    const auto from = static_cast<std::size_t>(bar.from);
    const models::Bar& send = result.bars[from];
    chart.messages.push_back({send.rank, bar.rank, send.busy, bar.arrived,
                              critical[i] && critical[from] && bar.arrived == bar.begin});
  }
  return chart;
}

// The one case that the options name.
Case case_of(const DrawOptions& options) {
  PredictOptions what = options.what;
  what.collectives = {options.collective};
  const auto collective = collectives_of(what).front();
  if (what.algorithms.size() != 1)
    bad(fmt::format("name one algorithm with --algorithm; `tutti list --collective {}` lists them",
                    options.collective));
  const auto ranks = ranks_of(what);
  const auto bytes = sizes_of(what);
  if (ranks.size() != 1 || bytes.size() != 1)
    bad("a picture is of one number of ranks and one size");
  if (ranks.front() > kMostRanks)
    bad(fmt::format("a picture has at most {} ranks, not {}", kMostRanks, ranks.front()));
  const Case one{collective, choices_of(what, collective).front(), ranks.front(),
                 collective == collectives::Collective::barrier ? 0 : bytes.front()};
  if (const auto reason = why_not(what, one))
    throw Error(Code::algorithm_not_applicable,
                fmt::format("{} {}, {} ranks, {} bytes: {}", name_of(one.collective),
                            to_string(one.choice), one.P, one.bytes, *reason));
  return one;
}

std::string title_of(const Case& what) {
  std::string title =
      fmt::format("{} {}, {} ranks", name_of(what.collective), to_string(what.choice), what.P);
  if (what.collective == collectives::Collective::barrier) return title;
  return title + fmt::format(", {}{}", svg::size_text(what.bytes),
                             collectives::has_blocks(what.collective) ? " a block" : "");
}

std::string drawn(const DrawOptions& options) {
  const Case what = case_of(options);
  PredictOptions how = options.what;
  if (how.models.empty() && how.params.empty()) how.params = {kPlatform};
  const auto platforms = platforms_of(how);
  if (platforms.size() != 1) bad("a picture is of one model");
  const std::string title = title_of(what);
  if (options.format == "chrome" || (options.format == "svg" && options.kind == "chart")) {
    Chart chart = chart_of(predict(how, what, platforms.front(), true));
    chart.title = title;
    return options.format == "chrome" ? chrome_of(chart) : draw_chart(chart);
  }
  std::vector<Schedule> schedules;
  schedules.reserve(static_cast<std::size_t>(what.P));
  collectives::Problem problem = problem_of(how, what);
  for (problem.rank = 0; problem.rank < what.P; ++problem.rank)
    schedules.push_back(what.choice.algorithm->build(problem, what.choice.parameters));
  const Drawn all{title, what.collective, schedules};
  if (options.format == "goal")
    return goal_of(all, platforms.front().reduce_per_byte, platforms.front().copy_per_byte);
  if (options.format == "dot") return options.kind == "tree" ? dot_of_tree(all) : dot_of_steps(all);
  return options.kind == "tree" ? draw_tree(all) : draw_rounds(all);
}

int run_draw(const DrawOptions& options) {
  const std::string text = drawn(options);
  if (options.output.empty() || options.output == "-") {
    fmt::print("{}", text);
    return 0;
  }
  write_file(options.output, text);
  return 0;
}

}  // namespace

void add_draw(CLI::App& app, Run* run) {
  auto options = std::make_shared<DrawOptions>();
  CLI::App* command =
      app.add_subcommand("draw", "pictures of a collective: time chart, rounds, tree");
  command->add_option("collective", options->collective, "the collective")->required();
  command
      ->add_option("--kind", options->kind,
                   "chart: who does what when, simulated; rounds: which messages go together; "
                   "tree: who hears from whom")
      ->check(CLI::IsMember({"chart", "rounds", "tree"}))
      ->capture_default_str();
  command
      ->add_option("--format", options->format,
                   "svg; goal: GOAL text for LogGOPSim; chrome: trace events for Perfetto; dot: "
                   "Graphviz")
      ->check(CLI::IsMember({"svg", "goal", "chrome", "dot"}))
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "the file (default: standard output)");
  add_platform(*command, options->what);
  add_call(*command, options->what);
  add_setting(*command, options->what);
  command->footer(
      "Without a model the chart is under LogGP with the parameters boba. Examples:\n"
      "  tutti draw allgather --algorithm bruck -P 8 -m 1k --params boba -o bruck.svg\n"
      "  tutti draw bcast --algorithm binomial -P 16 --kind tree -o tree.svg\n"
      "  tutti draw barrier --algorithm dissemination -P 8 --format goal");
  command->callback([options, run] { *run = [options] { return run_draw(*options); }; });
}

}  // namespace tutti::tools
