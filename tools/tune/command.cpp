// `tutti tune`: reads the command line, goes through points and candidates, and lets rank 0 report.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <csignal>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/platform/saved.hpp"
#include "src/api/library.hpp"
#include "src/setup/configuration.hpp"
#include "tools/bench/bench.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/hosts.hpp"
#include "tools/job_faults.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/passed_over.hpp"
#include "base/files.hpp"
#include "tools/tune/measurement.hpp"
#include "tools/tune/points.hpp"
#include "tools/tune/state.hpp"

namespace tutti::tools {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;

void predict_all(std::vector<Point>& points, const std::vector<Oracle>& oracles,
                 const NodesOf& nodes_of) {
  ProgressBar bar("predicting");
  std::size_t done = 0;
  for (Point& point : points) {
    predict(point, nodes_of(point.P), oracles);
    bar.show(++done, points.size());
  }
}

void report(const TuneOptions& options, const std::vector<Point>& points,
            const std::vector<Oracle>& oracles, std::span<const Host> hosts, bool measured) {
  if (options.json)
    fmt::print("{}\n", json_of(points, oracles, hosts));
  else
    print_maps(points, oracles);
  if (options.compare && !options.json) print_comparison(comparisons_of(points, oracles));
  if (!options.table.empty()) {
    write_file(options.table, table_of(points, measured) + "\n");
  }
  if (!options.svg.empty()) draw_maps(options.svg, points, oracles);
  if (const std::string text = undecided_text(points); !text.empty())
    fmt::print(stderr,
               "not decided (~), as intervals overlap, or are wider than their medians, after {} "
               "repetitions; a table has no rule for them, so that the model chooses:\n{}",
               Agenda::kRounds - Agenda::kFinals, text);
  if (const std::string text = outliers_text(points); !text.empty())
    fmt::print(stderr,
               "far from the model, though others are not, as where something else takes the "
               "cores; a table has no rule for them, so measure them again:\n{}",
               text);
}

std::string job_of(const Engine& engine, const NodesOf& nodes_of, bool single) {
  const models::Machine machine = models::this_machine();
  return fmt::format("{}{} ranks on nodes {}, {}, {} cores of {}", single ? "single calls of " : "",
                     engine.size(), fmt::join(nodes_of(engine.size()), ","),
                     engine.software_wire() ? "software wire" : "no software wire", machine.cores,
                     machine.cpu);
}

// At rank 0: predicts, measures and reports.
bool tune_at_root(const TuneOptions& options, State& state, std::vector<Point>& points,
                  const NodesOf& nodes_of, const Oracle& selection, std::span<const Host> hosts,
                  tutti_comm world) {
  auto oracles = oracles_of(options);
  oracles.push_back(selection);
  predict_all(points, oracles, nodes_of);
  bool done = false;
  {
    Agenda agenda(options, points, state, [] { return g_interrupted != 0; });
    done = measure_points(points, &agenda, timed_calls(options), world);
  }
  if (done)
    report(options, points, oracles, hosts, true);
  else
    fmt::print(stderr, "interrupted: {} kept in {}\n", counted(state.size(), "candidate"),
               options.state);
  return done;
}

// Whether it came to its end.
bool tune_points(const TuneOptions& options, int rank, std::span<const Host> hosts,
                 tutti_comm world) {
  const Engine& engine = *library()->engine;
  const NodesOf nodes_of = [&](int P) {
    return nodes_in_order([&](Rank one) { return engine.placement().node_of(one); }, P);
  };
  std::optional<State> state;  // of rank 0
  int refused = 0;
  if (rank == 0) try {
      state.emplace(options.state, job_of(engine, nodes_of, options.calls == 1), options.resume);
    } catch (const std::exception& error) {
      fmt::print(stderr, "tutti tune: {}\n", error.what());
      refused = 1;
    }
  MPI_Bcast(&refused, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (refused != 0) return false;
  auto points =
      points_of(options, ranks_of(options, engine.size()), nodes_of,
                library()->engine->mailbox() != nullptr, std::vector{completion_of_selection()});
  const Oracle selection = oracle_of_selection(points, nodes_of);
  return state ? tune_at_root(options, *state, points, nodes_of, selection, hosts, world)
               : measure_points(points, nullptr, timed_calls(options), world);
}

bool tune_in_job(const TuneOptions& options, int rank) {
  const std::vector<Host> hosts = hosts_of_job();
  if (const std::string line = busy_line(hosts); !line.empty()) fmt::print(stderr, "{}\n", line);
  // Broadcasts by datagrams join their group at the start, where somebody names them.
  init_for_calls_in_a_row({"algorithm=bcast=prefer multicast"},
                          options.calls == 1 ? 1 : kCallsInARow);
  library()->rules = {};
  tutti_comm world = TUTTI_COMM_NULL;
  must(tutti_comm_create(MPI_COMM_WORLD, &world), "tutti_comm_create");
  const bool done = tune_points(options, rank, hosts, world);
  must(tutti_barrier(world), "tutti_barrier");  // rank 0 may have worked a while
  must(tutti_comm_free(&world), "tutti_comm_free");
  must(tutti_finalize(), "tutti_finalize");
  return done;
}

// Errors that can be told before anything is measured.
void check(const TuneOptions& options, int ranks) {
  collectives_of(options);
  sizes_of(options);
  wanted_of(options, collectives_of(options));
  ranks_of(options, ranks);
  oracles_of(options);
}

void check_files(const TuneOptions& options) {
  for (const std::string& path : {options.table, options.svg})
    if (!path.empty()) must_be_writable(path);
}

int tune_predicted(const TuneOptions& options) {
  constexpr int kMostRanks = 1 << 16;
  if (options.ranks.empty()) bad_configuration("name the numbers of ranks to predict: -P 2,8,64");
  check(options, kMostRanks);
  check_files(options);
  const NodesOf nodes_of = [&](int P) {
    return nodes_by_mapping(options.mapping, P,
                            ranks_per_node(options.ranks_per_node, !options.params.empty()));
  };
  const auto oracles = oracles_of(options);
  auto points =
      points_of(options, ranks_of(options, kMostRanks), nodes_of, false, completions_of(oracles));
  predict_all(points, oracles, nodes_of);
  report(options, points, oracles, {}, false);
  int ranks_here = 0;
  for (const Point& point : points)
    if (options.params.empty() && point.ranks_per_node >= point.P)
      ranks_here = std::max(ranks_here, point.P);
  if (const std::string shared = about_shared_cores(ranks_here); !shared.empty() && !options.json)
    fmt::print("\n{}\n", shared);
  return 0;
}

// Measurements take the places of ranks from the job, and predictions measure nothing.
void refuse_passed_over(const Command& command, const TuneOptions& options) {
  if (options.method == "predicted")
    refuse_given(command, {"--state", "--resume", "--time-limit"},
                 "measurements (--method measured or guided)");
  else
    refuse_given(command, {"--ppn", "--mapping", "--sockets"},
                 "--method predicted: the ranks of a job are where they are");
  if (options.method != "guided") refuse_given(command, {"--margin"}, "--method guided");
}

int run_tune(const TuneOptions& options) {
  if (options.method == "predicted") return tune_predicted(options);
  const auto check_all = [&](RankInJob here) {
    if (here.ranks < 2)
      bad_configuration("measuring needs two ranks at least: mpiexec -n 2 tutti tune");
    load_configuration({});
    check(options, here.ranks);
    if (here.rank != 0) return;
    check_files(options);
    must_be_writable(options.state);
  };
  return run_in_job("tune", check_all, [&](RankInJob here) {
    struct sigaction action {};
    action.sa_handler = [](int) { g_interrupted = 1; };
    // Launchers pass an interrupt on as the one or the other. Open MPI's kills after a second: then
    // the file stands without the last words.
    for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
    return tune_in_job(options, here.rank);
  });
}

}  // namespace

void add_tune(CommandLine& line) {
  auto options = std::make_shared<TuneOptions>();
  const Command command =
      line.command("tune",
                   "which algorithm is best for each size and number of ranks: measured (under "
                   "mpiexec), predicted, or both");
  options->collectives = {"barrier", "bcast", "allgather", "allreduce", "reduce"};
  options->sizes = {"8", "256", "8k", "64k", "1M"};
  command.collectives(options->collectives, "collectives, or all").show_default();
  command.older_name("--sizes", options->sizes);
  command.option("-m,--bytes", options->sizes, "sizes of a message or of one rank's block")
      .comma_separated()
      .show_default();
  command
      .option("-P,--ranks", options->ranks,
              "numbers of ranks, the first ones of the job (default: all of the job)")
      .comma_separated();
  command
      .option("--method", options->method,
              "measured: every candidate; predicted: by a model; guided: by a model, then "
              "those near the best are measured")
      .show_default()
      .one_of({"measured", "predicted", "guided"});
  command
      .option("--params", options->params,
              fmt::format(
                  "parameters of models, as jobs have them from the setting `model`: {}, as tutti "
                  "measure --save=FILE or --json wrote "
                  "it (predicted: default: this machine's, as a job would have them; in a "
                  "job the last one is "
                  "always the model that selects by default)",
                  kParametersAre))
      .comma_separated();
  command
      .option("--model", options->models,
              "the cost models, such as loggp, for which these parameters are taken (default: "
              "their own)")
      .comma_separated();
  command.option("--algorithm", options->algorithms,
                 "only these, with parameters such as chain(segment=8k), or for all of theirs "
                 "without; a list with commas, or several times (default: all that can run)");
  command
      .option("--segment", options->segments,
              "segments to try, such as 0,1k,8k (0: none; default: 0,8k,64k)")
      .comma_separated();
  command
      .option(
          "--calls", options->calls,
          fmt::format("the models of --params say the time of one of so many calls that follow "
                      "each other (default: 1 if predicted; else {}, which is as in the long "
                      "batches that are measured). Tutti's own choice, `selection`, is made for "
                      "as many as the setting `calls_in_a_row` says, else for {}. 1, in a job: "
                      "single calls are measured, each from a barrier until the last rank has "
                      "ended it, and `selection` is made for these",
                      models::kCallsLikeMany, kCallsInARow))
      .between(1, 1 << 10);
  command.option("--margin", options->margin, "guided: percent from the best prediction")
      .show_default()
      .between(0.0, 1e6);
  command.option("--ppn", options->ranks_per_node, std::string("predicted: ") + kRanksPerNodeAre)
      .between(1, 1 << 16);
  command.option("--mapping", options->mapping, std::string("predicted: ") + kMappingIs)
      .show_default();
  command.option("--sockets", options->sockets, std::string("predicted: ") + kSocketsAre)
      .between(1, 1024)
      .show_default();
  command.option("--time-limit", options->seconds, "seconds at most for each candidate")
      .show_default()
      .between(0.001, 3600.0);
  command.option("--table", options->table,
                 "write the table that the setting `table` names to this file");
  command.option(kPictureFile, options->svg, "draw the decision and penalty maps into this file")
      .picture();
  command.flag("--json", options->json, "print every candidate's times as JSON");
  command.flag("--compare", options->compare,
               "also how far each model is off, and what its choices lose");
  command.option("--state", options->state, "the file in which measurements are kept")
      .show_default();
  command.flag("--resume", options->resume, "go on with the measurements of that file");
  command.footer(
      "Examples:\n"
      "  mpiexec -n 4 tutti tune --table table.json && TUTTI_TABLE=table.json mpiexec -n 4 ./a\n"
      "  tutti tune --method predicted -P 2,8,64 --ppn 8 --svg maps.svg\n"
      "  mpiexec -n 4 tutti measure --json >all.json && mpiexec -n 4 tutti tune \\\n"
      "      --params all.json --compare");
  command.runs([command, options] {
    refuse_passed_over(command, *options);
    return run_tune(*options);
  });
}

}  // namespace tutti::tools
