// `tutti measure`: reads the command line, measures on all ranks, and lets rank 0 report and save.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/saved.hpp"
#include "src/setup/configuration.hpp"
#include "tools/bench/bench.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/hosts.hpp"
#include "tools/job_faults.hpp"
#include "base/files.hpp"
#include "tools/measure/measure.hpp"

namespace tutti::tools {
namespace {

using models::Platform;

// The option by which the launcher of this MPI takes hosts.
constexpr const char* kHostsOption =
#ifdef OPEN_MPI
    "--host";
#else
    "-hosts";
#endif

std::vector<std::string_view> models_to_derive() {
  auto all = models::derivable();
  all.push_back(models::tau_lop::kName);
  return all;
}

void check(const MeasureOptions& options, int ranks) {
  if (ranks < 2)
    bad_configuration("measuring needs two ranks at least: mpiexec -n 2 tutti measure");
  for (const std::string& text : {options.least, options.most})
    if (const auto size = parse_size(text); !size || *size < 1 || *size > 1 << 26)
      bad_configuration(fmt::format("'{}' is not a size from 1 to 64M", text));
  if (*parse_size(options.least) * 4 > *parse_size(options.most))
    bad_configuration(
        fmt::format("--min {} and --max {} are too close for a line: four times at least",
                    options.least, options.most));
  const auto known = models_to_derive();
  for (const std::string& model : options.models)
    if (std::find(known.begin(), known.end(), model) == known.end())
      bad_configuration(no_such("model", model, known));
  if (options.save && options.save->empty() && !options.models.empty() &&
      options.models.front() == models::tau_lop::kName)
    bad_configuration(
        "selection reads no tau-lop: save it to a file that you name (--save=FILE), or name "
        "another model before it");
}

std::string command_of(const MeasureOptions& options) {
  std::string text = "tutti measure";
  if (!options.wire.empty()) text += " --wire " + options.wire;
  if (!options.models.empty()) text += fmt::format(" --model {}", fmt::join(options.models, ","));
  return text + fmt::format(" --min {} --max {} --time-limit {}", options.least, options.most,
                            options.seconds);
}

// The levels under one model: two, or the only one for all messages.
Platform platform_of(const Measured& measured, const std::vector<const LevelReading*>& levels,
                     const std::string& name) {
  const auto derived = [&](const LevelReading& level) {
    models::Model model = [&] {
      try {
        return models::derive(name, level.readings());
      } catch (const Error& error) {
        bad_configuration(fmt::format("{}, {}: {}", name, level.level, error.message));
      }
    }();
    // A curve can do without some sizes, but not without its ends.
    const auto unsure = level.unsure();
    if (2 * unsure.size() > level.sizes.size() || !level.sizes.front().sure() ||
        !level.sizes.back().sure())
      bad_configuration(
          fmt::format("{}: no fit converges: the medians for {} bytes are not known to 25 %; "
                      "measure longer (--time-limit), or while nothing else runs",
                      level.level, fmt::join(unsure, ", ")));
    return model;
  };
  Platform platform{.name = "measured",
                    .source = "tutti measure, " + measured.origin.date,
                    .between = derived(*levels.back()),
                    .reduce_per_byte = measured.compute.reduce.value,
                    .copy_per_byte = measured.compute.copy.value,
                    .origin = measured.origin};
  models::GapByDestinations& gaps = platform.gap_by_destinations;
  gaps.between = models::gap_by_destinations(levels.back()->readings());
  if (levels.size() == 2) {
    platform.within = derived(*levels.front());
    gaps.within = models::gap_by_destinations(levels.front()->readings());
  }
  platform.origin.wire = levels.back()->wire;
  platform.origin.device = levels.back()->device;
  return platform;
}

models::tau_lop::Parameters tau_lop_of(const Measured& measured) {
  models::tau_lop::RingReadings readings{.copy_per_byte = measured.compute.copy.value};
  std::optional<protocols::Limits> within, between;
  for (const LevelReading& level : measured.levels) {
    const bool inside = level.level == "within nodes";
    (inside ? readings.within : readings.between) = level.of_rings();
    if (level.unsure().size() == level.sizes.size())
      bad_configuration(
          fmt::format("{}: no fit converges: no median is known to 25 %; measure longer "
                      "(--time-limit), or while nothing else runs",
                      level.level));
    (inside ? within : between) = level.limits;
    for (const AtOnceReading& one : level.combining)
      readings.combining.push_back({one.bytes, one.tau, one.time.value});
  }
  if (within || between)
    readings.protocols = {within ? *within : *between, between ? *between : *within};
  auto parameters = models::tau_lop::derive(readings);
  parameters.source =
      fmt::format("tutti measure, {}, on {}", measured.origin.date, measured.origin.machine.cpu);
  return parameters;
}

std::vector<const LevelReading*> all_levels(const Measured& measured) {
  std::vector<const LevelReading*> all;
  for (const LevelReading& level : measured.levels) all.push_back(&level);
  return all;
}

// Whether all models that were named, or the one that is saved, could be derived.
bool derive_all(const MeasureOptions& options, Measured& measured) {
  std::vector<std::string> wanted = options.models;
  if (wanted.empty()) {
    wanted = {"plogp"};  // the model that is saved
    for (const std::string_view model : models_to_derive())
      if (model != wanted.front()) wanted.emplace_back(model);
  }
  bool fine = true;
  for (const std::string& model : wanted) {
    Measured::Derived one{model, {}, {}};
    try {
      if (model == models::tau_lop::kName)
        one.predictor = tau_lop_of(measured);
      else
        one.predictor = platform_of(measured, all_levels(measured), model);
    } catch (const Error& error) {
      one.problem = error.message;
      fine = fine && options.models.empty() && model != wanted.front();
    }
    measured.derived.push_back(std::move(one));
  }
  return fine;
}

std::vector<std::string> files_to_save(const MeasureOptions& options) {
  if (!options.save) return {};
  if (!options.save->empty()) return {*options.save};
  std::vector<std::string> all;
  for (const char* wire : {"shm", "rxe", "hardware", "mpi"}) {
    all.push_back(models::saved_file(wire));
    if (all.back().empty())
      bad_configuration("--save needs XDG_CONFIG_HOME or HOME, or the name of a file: --save=FILE");
  }
  return {all.front()};  // all are in one folder
}

void save_text(const std::string& path, const nlohmann::json& parameters) {
  write_file(path, models::json_text(parameters, 2) + "\n");
  fmt::print(stderr, "saved {}\n", path);
}

void save_one(const std::string& path, const Platform& platform) {
  // The replaced file may be another machine's, in a home that several machines share.
  if (const auto text = read_file_if_any(path)) try {
      const auto reason = models::why_foreign(models::parse_platform(*text),
                                              platform.origin.machine, platform.origin.wire);
      if (reason) fmt::print(stderr, "tutti measure: replacing {}: {}\n", path, *reason);
    } catch (const Error& error) {
      fmt::print(stderr, "tutti measure: replacing {}: {}\n", path, error.message);
    }
  save_text(path, models::to_json(platform));
}

// A file that is named gets all levels. The user's own files have a wire each: that of messages
// between nodes has those within them too, since jobs over it have both.
void save(const MeasureOptions& options, const Measured& measured) {
  if (!options.save) return;
  const std::string& model = measured.derived.front().model;
  const models::Predictor& first = *measured.derived.front().predictor;
  const auto* const platform = std::get_if<Platform>(&first);
  if (!platform) return save_text(*options.save, models::to_json(first));
  if (!options.save->empty()) return save_one(*options.save, *platform);
  if (options.wire == "mpi") return save_one(models::saved_file("mpi"), *platform);
  std::vector<const LevelReading*> levels;
  for (const LevelReading& level : measured.levels) {
    levels.push_back(&level);
    save_one(models::saved_file(level.wire), platform_of(measured, levels, model));
  }
}

void start_library(const MeasureOptions& options) {
  const std::string transport = "transport=" + options.wire;
  const char* const settings[] = {transport.c_str(), nullptr};
  tutti_options chosen{};
  chosen.size = sizeof chosen;
  chosen.settings = settings;
  const bool forced = options.wire == "shm" || options.wire == "verbs";
  must(tutti_init(forced ? &chosen : nullptr), "tutti_init");
}

bool measure_all(const MeasureOptions& options, int rank) {
  Measured measured;
  measured.hosts = hosts_of_job();
  if (const std::string line = busy_line(measured.hosts); !line.empty())
    fmt::print(stderr, "{}\n", line);
  start_library(options);
  tutti_comm world = TUTTI_COMM_NULL;
  must(tutti_comm_create(MPI_COMM_WORLD, &world), "tutti_comm_create");
  measured.levels = measure_levels(options, world);
  if (options.bisection) {
    const auto wire = options.wire == "mpi" ? mpi_wire(world) : tutti_wire(world);
    measured.bisection = measure_bisection(world, *wire, options.bisections, options.seed);
  }
  bool fine = true;
  if (rank == 0) {
    measured.compute = measure_compute(std::min(0.2, 0.1 * options.seconds));
    measured.origin = models::origin_here(command_of(options));
    fine = derive_all(options, measured);
    if (options.json)
      fmt::print("{}\n", json_of(measured));
    else
      print_measured(measured);
    if (!options.svg.empty()) draw_measured(options.svg, measured);
    if (fine) save(options, measured);
    for (const auto& one : measured.derived)
      if (!fine && !one.predictor && (!options.models.empty() || &one == &measured.derived.front()))
        fmt::print(stderr, "tutti measure: {}{}\n", one.problem,
                   options.save ? "; nothing is saved" : "");
  }
  must(tutti_barrier(world), "tutti_barrier");  // rank 0 may have worked a while
  must(tutti_comm_free(&world), "tutti_comm_free");
  must(tutti_finalize(), "tutti_finalize");
  return fine;
}

int run_measure(const MeasureOptions& options) {
  const auto check_all = [&](RankInJob here) {
    load_configuration({});
    check(options, here.ranks);
    if (here.rank != 0) return;
    for (const std::string& path : files_to_save(options)) {
      if (options.save->empty()) make_folder_of(path);  // the user's own
      must_be_writable(path);
    }
    if (!options.svg.empty()) must_be_writable(options.svg);
  };
  return run_in_job("measure", check_all,
                    [&](RankInJob here) { return measure_all(options, here.rank); });
}

}  // namespace

void add_measure(CommandLine& line) {
  auto options = std::make_shared<MeasureOptions>();
  const Command command = line.command(
      "measure", "under mpiexec: the parameters of the cost models, of this machine and wire");
  command
      .option("--wire", options->wire,
              "shm, verbs, or mpi for the surrounding MPI (default: what the job has)")
      .one_of({"shm", "verbs", "mpi"});
  command
      .option("--model", options->models,
              "models by name, the first of which is saved (default: plogp, and all others)")
      .comma_separated();
  command.older_name("--models", options->models);
  command.option("--min", options->least, "smallest size").show_default();
  command.option("--max", options->most, "largest size").show_default();
  command.option("--time-limit", options->seconds, "seconds, about, for each level")
      .show_default()
      .between(0.01, 3600.0);
  command.option(
      "--save", options->save,
      "write the parameters to this file; without a name to the user's file of each wire, "
      "which selection reads",
      "[FILE]");
  command.flag("--json", options->json, "print all readings, fits and models as JSON");
  command.option(kPictureFile, options->svg, "draw readings and fits into this file").picture();
  command.flag("--off-cache", options->off_cache,
               "tau-lop's rings and combinations with memory that no cache keeps (default: "
               "the same memory again and again, as in a benchmark of collectives)");
  command.flag("--methods", options->methods,
               "also o, g, L and G by the methods of Culler, Kielmann and Bell, beside those by "
               "PRTT (IB 4.3.3)");
  const Option bisection =
      command.flag("--bisection", options->bisection,
                   "also effective bisection bandwidth: the mean of random bisections");
  command.option("--bisections", options->bisections, "how many")
      .show_default()
      .between(1, 100000)
      .only_with(bisection);
  command.option("--seed", options->seed, "of the bisections").show_default().only_with(bisection);
  command.footer(fmt::format(
      "Examples:\n"
      "  mpiexec -n 2 tutti measure --save                    this machine's shared memory\n"
      "  mpiexec -n 4 {} a,b tutti measure --save --svg measured.svg   and its wire\n"
      "  mpiexec -n 2 tutti measure --wire mpi --model loggp,hockney       the MPI at hand\n"
      "  mpiexec -n 2 tutti measure --save=mine.json && tutti predict --params mine.json \\\n"
      "      --collective allreduce -P 64 -m 8-64k",
      kHostsOption));
  command.runs([options] { return run_measure(*options); });
}

}  // namespace tutti::tools
