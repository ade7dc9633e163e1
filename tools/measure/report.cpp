// Measurements as a table and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/error.hpp"
#include "base/text.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "tools/measure/measure.hpp"
#include "tools/measure/sampler.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using models::FittedRange;
using models::Median;
using models::Sample;
using nlohmann::json;

// The median, and half of its interval in percent.
std::string shown(const Median& median) {
  return fmt::format("{} ±{:.0f}%", four_digits(median.value), 50 * median.width());
}

int outliers_of(const SizeReading& size) {
  return size.round_trip.outliers + size.burst.outliers + size.o_s.outliers + size.o_r.outliers;
}
int count_of(const SizeReading& size) {
  return size.round_trip.count + size.burst.count + size.o_s.count + size.o_r.count;
}
bool narrow(const SizeReading& size) {
  for (const Median* const median : {&size.round_trip, &size.burst, &size.o_s, &size.o_r})
    if (median->width() > kNarrow) return false;
  return true;
}

struct Fit {
  const char* what;
  std::vector<Sample> samples;
};
std::vector<Fit> fits_of(const LevelReading& level) {
  const models::Readings readings = level.readings();
  return {{"T(m) = alpha + beta m", readings.times()}, {"gap = g + (m-1)G", readings.gaps()}};
}

// The ranges; empty, and why: the fit does not converge.
std::vector<FittedRange> ranges_of(const Fit& fit, std::string& problem) {
  try {
    return models::fit_ranges(fit.what, fit.samples);
  } catch (const Error& error) {
    problem = error.message;
    return {};
  }
}

void print_fits(const LevelReading& level) {
  for (const Fit& fit : fits_of(level)) {
    std::string problem;
    const auto ranges = ranges_of(fit, problem);
    fmt::print("{}", paragraph(fmt::format("{}, least squares of relative errors{}", fit.what,
                                           problem.empty() ? ":" : ": " + problem),
                               4, 2));
    for (const FittedRange& range : ranges)
      fmt::print("    {:>9} to {:>9}  {} us + {} us/B ({}); residual at most {:.0f} %, at {}\n",
                 size_text(range.least), size_text(range.most), four_digits(range.line.at_zero),
                 four_digits(range.line.per_byte),
                 range.line.per_byte > 0 ? fmt::format("{:.0f} MB/s", 1 / range.line.per_byte)
                                         : "no slope",
                 100 * range.error, size_text(range.worst.bytes));
    for (std::size_t i = 1; i < ranges.size(); ++i)
      fmt::print("    another line begins between {} and {}\n", size_text(ranges[i - 1].most),
                 size_text(ranges[i].least));
  }
}

// Medians by size, and by how many processes: a column each.
using ByCount = std::map<int, std::map<Bytes, models::Median>>;

void print_by_count(const char* what, ByCount by, const char* count) {
  if (by.empty()) return;
  fmt::print("  {}\n  {:>9}", what, "size");
  for (const auto& [number, times] : by) fmt::print(" {:>15}", fmt::format("{} {}", count, number));
  fmt::print("\n");
  for (const auto& [bytes, unused] : by.begin()->second) {
    fmt::print("  {:>9}", size_text(bytes));
    for (auto& [number, times] : by) fmt::print(" {:>15}", shown(times[bytes]));
    fmt::print("\n");
  }
}

ByCount by_count(const std::vector<AtOnceReading>& all) {
  ByCount by;
  for (const AtOnceReading& one : all) by[one.tau][one.bytes] = one.time;
  return by;
}

ByCount by_count(const std::vector<CollectiveReading>& all) {
  ByCount by;
  for (const CollectiveReading& one : all) by[one.P][one.bytes] = one.time;
  return by;
}

void print_methods(const LevelReading& level) {
  if (level.methods.empty()) return;
  const auto shown_or_not = [](const std::optional<double>& value) {
    return value ? four_digits(*value) : "-";
  };
  fmt::print("  by several methods (IB 4.3.3), {} B:\n  {:<16} {:>9} {:>9} {:>9} {:>9} {:>10}\n",
             level.sizes.front().bytes, "", "o_s us", "o_r us", "g us", "L us", "G us/B");
  for (const models::ByMethod& one : models::by_methods(level.method_times()))
    fmt::print("  {:<16} {:>9} {:>9} {:>9} {:>9} {:>10}\n", one.whose, shown_or_not(one.o_s),
               shown_or_not(one.o_r), shown_or_not(one.g), shown_or_not(one.L),
               shown_or_not(one.G));
  fmt::print(
      "  L: Culler et al. LogP's, Kielmann et al. PLogP's (RTT/2 - g), others RTT/2, end to end\n");
}

void print_level(const LevelReading& level) {
  fmt::print("\n{}  {:>9} {:>15} {:>3} {:>15} {:>10} {:>15} {:>15} {:>10}\n",
             paragraph(fmt::format("{}: {}{}{}; {}", level.level, level.wire,
                                   level.device.empty() ? "" : " ", level.device, level.protocols),
                       4, 0),
             "size", "PRTT(1,0,s) us", "n", "PRTT(n,0,s) us", "gap us", "o_s us", "o_r us",
             "outliers");
  int wide = 0;
  for (const SizeReading& size : level.sizes) {
    fmt::print("  {:>9} {:>15} {:>3} {:>15} {:>10}{}{:>15} {:>15} {:>10}\n", size_text(size.bytes),
               shown(size.round_trip), size.n, shown(size.burst), four_digits(size.gap()),
               size.sure() ? " " : "~", shown(size.o_s), shown(size.o_r),
               fmt::format("{}/{}", outliers_of(size), count_of(size)));
    wide += narrow(size) ? 0 : 1;
  }
  fmt::print(
      "  ±: half the 95 % interval of the median; outliers: beyond three interquartile "
      "ranges, kept\n");
  if (wide > 0)
    fmt::print(
        "  sizes whose interval is wider than {2:.0f} %: {0} of {1}; the time was used up "
        "(--time-limit)\n",
        wide, level.sizes.size(), 100 * kNarrow);
  if (const auto unsure = level.unsure(); !unsure.empty())
    fmt::print("{}", paragraph(fmt::format("left out of all fits (~), since their medians are not "
                                           "known to 25 %: {} B",
                                           fmt::join(unsure, ", ")),
                               4, 2));
  if (level.time_ran_out)
    fmt::print(
        "  the curves bend between these sizes, too: the time was used up before they were "
        "measured\n");
  fmt::print("  o by delays, IB 4.3.3: {} us; L = PRTT(1,0,{})/2 - o_s - o_r = {} us\n",
             four_digits(level.delayed.value), level.sizes.front().bytes,
             four_digits(models::latency_of(level.readings())));
  print_methods(level);
  for (std::size_t n = 1; n <= level.peers.size(); ++n) {
    const PeersReading& one = level.peers[n - 1];
    fmt::print("  {:>7}: o_s(n) {}, o_r(n) {}, until the last answered {} us\n", counted(n, "peer"),
               shown(one.o_s), shown(one.o_r), shown(one.time));
  }
  print_by_count("rings of tau-lop: us while \u03c4 processes of a node send a message each",
                 by_count(level.rings), "tau");
  print_by_count("broadcasts down a binomial tree, for tau-lop: us", by_count(level.trees),
                 "ranks");
  print_by_count("combining: us while \u03c4 processes of a node combine (sum of int32)",
                 by_count(level.combining), "tau");
  print_by_count("barriers by a flat tree, for plogp-fitted: us", by_count(level.flat_barriers),
                 "ranks");
  print_by_count("broadcasts down a chain, for plogp-fitted: us", by_count(level.chains), "ranks");
  print_fits(level);
}

std::string parameters_of(const models::Model& model) {
  std::string text;
  const json parameters = models::parameters_to_json(model);
  for (const auto& [name, value] : parameters.items()) {
    if (!text.empty()) text += ", ";
    text += name + (value.is_number_float() ? " " + four_digits(value.get<double>())
                    : value.is_number()     ? " " + models::json_text(value)
                                            : ": " + counted(value.size(), "row"));
  }
  return text;
}

using TauLop = models::tau_lop::Parameters;

std::string parameters_of(const TauLop& parameters) {
  std::string text;
  for (const int channel : {models::tau_lop::kMemory, models::tau_lop::kNetwork}) {
    const auto& transfer = parameters.transfer[channel];
    text += fmt::format("{}o{} {}, L{}(1,\u03c4)", channel > 0 ? "; " : "", channel,
                        four_digits(parameters.overhead[channel](0)), channel);
    for (const auto& [tau, curve] : transfer.tables())
      text += fmt::format(" {}: {}", tau, four_digits(curve(1)));
  }
  return text;
}

void print_models(const Measured& measured) {
  fmt::print("\nmodels (us, us per byte):\n");
  std::string before;  // one problem may be that of all
  for (const auto& [model, predictor, problem] : measured.derived) {
    if (!predictor) {
      fmt::print("  {:<15} {}\n", model, problem == before ? "the same" : problem);
      before = problem;
      continue;
    }
    const auto* const platform = std::get_if<models::Platform>(&*predictor);
    if (!platform) {
      fmt::print("  {:<15} {}\n", model, parameters_of(std::get<TauLop>(*predictor)));
      continue;
    }
    if (platform->within)
      fmt::print("  {:<15} within:  {}\n", model, parameters_of(*platform->within));
    fmt::print("  {:<15} {}{}\n", platform->within ? "" : model,
               platform->within ? "between: " : "", parameters_of(platform->between));
  }
}

json json_of(const Median& median) {
  return {{"median_us", median.value},
          {"low_us", median.low},
          {"high_us", median.high},
          {"count", median.count},
          {"outliers", median.outliers}};
}

json json_of(const std::vector<AtOnceReading>& all) {
  json rows = json::array();
  for (const AtOnceReading& one : all) {
    json row = json_of(one.time);
    row.update({{"tau", one.tau}, {"bytes", one.bytes}});
    rows.push_back(row);
  }
  return rows;
}

json json_of(const std::vector<CollectiveReading>& all) {
  json rows = json::array();
  for (const CollectiveReading& one : all) {
    json row = json_of(one.time);
    row.update({{"ranks", one.P}, {"bytes", one.bytes}});
    rows.push_back(row);
  }
  return rows;
}

json json_of(const MethodsReading& reading) {
  return {{"few", json_of(reading.few)},
          {"many", json_of(reading.many)},
          {"delay_us", reading.delay},
          {"delayed_round_trip", json_of(reading.delayed_round_trip)},
          {"answered", json_of(reading.answered)},
          {"window", json_of(reading.window)},
          {"longest_window", json_of(reading.longest_window)},
          {"pause_us", reading.pause},
          {"paused_sends", json_of(reading.paused_sends)},
          {"paused_receives", json_of(reading.paused_receives)}};
}

// Parameters by each method, and the readings that they are derived from.
json methods_of(const LevelReading& level) {
  json all = {{"readings", json_of(level.methods.front())}};
  for (const models::ByMethod& one : models::by_methods(level.method_times())) {
    json& values = all["by"][std::string(one.whose)];
    for (const auto& [name, value] : {std::pair{"o_s_us", one.o_s},
                                      {"o_r_us", one.o_r},
                                      {"g_us", one.g},
                                      {"L_us", one.L},
                                      {"G_us_per_byte", one.G}})
      if (value) values[name] = *value;
  }
  return all;
}

json json_of(const LevelReading& level) {
  json one = {{"level", level.level},
              {"wire", level.wire},
              {"device", level.device},
              {"protocols", level.protocols},
              {"ranks", level.ranks},
              {"time_ran_out", level.time_ran_out},
              {"left_out", level.unsure()},
              {"o_by_delays", json_of(level.delayed)},
              {"empty", json_of(level.empty)},
              {"rings", json_of(level.rings)},
              {"combining", json_of(level.combining)},
              {"trees", json_of(level.trees)},
              {"flat_barriers", json_of(level.flat_barriers)},
              {"chains", json_of(level.chains)},
              {"sizes", json::array()},
              {"peers", json::array()},
              {"fits", json::array()}};
  for (const SizeReading& size : level.sizes)
    one["sizes"].push_back({{"bytes", size.bytes},
                            {"n", size.n},
                            {"round_trip", json_of(size.round_trip)},
                            {"burst", json_of(size.burst)},
                            {"gap_us", size.gap()},
                            {"o_s", json_of(size.o_s)},
                            {"o_r", json_of(size.o_r)},
                            {"sent", json_of(size.sent)}});
  if (!level.methods.empty()) one["methods"] = methods_of(level);
  for (const PeersReading& peers : level.peers)
    one["peers"].push_back(
        {{"time", json_of(peers.time)}, {"o_s", json_of(peers.o_s)}, {"o_r", json_of(peers.o_r)}});
  for (const Fit& fit : fits_of(level)) {
    std::string problem;
    json ranges = json::array();
    for (const FittedRange& range : ranges_of(fit, problem))
      ranges.push_back({{"least", range.least},
                        {"most", range.most},
                        {"at_zero_us", range.line.at_zero},
                        {"us_per_byte", range.line.per_byte},
                        {"worst_residual", range.error},
                        {"worst_at", range.worst.bytes}});
    one["fits"].push_back({{"what", fit.what}, {"ranges", ranges}, {"problem", problem}});
  }
  return one;
}

}  // namespace

void print_measured(const Measured& measured) {
  const models::Machine& machine = measured.origin.machine;
  fmt::print("measured on {}: {}, {}\n", measured.origin.date, machine.cpu,
             counted(machine.cores, "core"));
  for (const LevelReading& level : measured.levels) print_level(level);
  fmt::print("\none processor: copying {} us/B, combining (sum of int32) {} us/B\n",
             shown(measured.compute.copy), shown(measured.compute.reduce));
  if (measured.bisection) {
    const auto& all = measured.bisection->megabytes;
    const double mean =
        std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
    fmt::print(
        "{}",
        paragraph(
            fmt::format(
                "effective bisection bandwidth: {:.0f} MB/s a pair, {:.0f} "
                "MB/s of {}; mean of {}, least {:.0f}, most {:.0f}; "
                "messages of {}",
                mean, mean * measured.bisection->pairs, counted(measured.bisection->pairs, "pair"),
                counted(all.size(), "random bisection"), *std::min_element(all.begin(), all.end()),
                *std::max_element(all.begin(), all.end()), size_text(measured.bisection->bytes)),
            4, 0));
  }
  print_models(measured);
}

std::string json_of(const Measured& measured) {
  json all = {
      {"machine", {{"cpu", measured.origin.machine.cpu}, {"cores", measured.origin.machine.cores}}},
      {"measured", {{"date", measured.origin.date}, {"command", measured.origin.command}}},
      {"compute",
       {{"copy_us_per_byte", measured.compute.copy.value},
        {"reduce_us_per_byte", measured.compute.reduce.value}}},
      {"hosts", json::array()},
      {"levels", json::array()},
      {"models", json::object()}};
  for (const Host& host : measured.hosts) all["hosts"].push_back(json_of(host));
  for (const LevelReading& level : measured.levels) all["levels"].push_back(json_of(level));
  for (const auto& [model, predictor, problem] : measured.derived)
    all["models"][model] = predictor ? models::to_json(*predictor) : json{{"problem", problem}};
  if (measured.bisection)
    all["bisection"] = {{"bytes", measured.bisection->bytes},
                        {"pairs", measured.bisection->pairs},
                        {"megabytes_per_second_and_pair", measured.bisection->megabytes}};
  return models::json_text(all, 2);
}

}  // namespace tutti::tools
