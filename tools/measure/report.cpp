// Prints measurements as a table.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

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

void print_destinations(const LevelReading& level) {
  for (const DestinationsReading& one : level.destinations) {
    const double gap = one.gap().gap, alone = level.destinations.front().gap().gap;
    fmt::print("  bursts to {:>2} in turn: gap {} us{}{}\n", one.n, four_digits(gap),
               one.n > 1 && alone > 0 ? fmt::format(", {:.2f} of that to one", gap / alone) : "",
               one.n < level.on_cores ? "" : "; not saved, as ranks share cores");
  }
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
  print_destinations(level);
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

// "; gap times 0.5 to 16": the factors by the number of destinations.
std::string gaps_of(const std::optional<models::Curve>& by_destinations) {
  std::string text;
  if (by_destinations)
    for (const auto& [destinations, factor] : by_destinations->points())
      text += fmt::format("{} {} to {}", text.empty() ? "; gap times" : ",", four_digits(factor),
                          destinations);
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
    const models::GapByDestinations& gaps = platform->gap_by_destinations;
    if (platform->within)
      fmt::print("  {:<15} within:  {}{}\n", model, parameters_of(*platform->within),
                 gaps_of(gaps.within));
    fmt::print("  {:<15} {}{}{}\n", platform->within ? "" : model,
               platform->within ? "between: " : "", parameters_of(platform->between),
               gaps_of(gaps.between));
  }
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

}  // namespace tutti::tools
