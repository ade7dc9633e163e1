// Lays predictions beside rows that the bench has measured.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "tools/predict/measurements.hpp"

namespace tutti::tools {
namespace {

Measurements measurements_of(const std::string& path) {
  const std::string text = read_stream(path);
  try {
    return parse_measurements(text);
  } catch (const Error& error) {
    throw Error(error.code, fmt::format("{}: {}", path, error.message));
  }
}

double upper_median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The time of a row, and the digest of rank 0's schedule.
using Predicted = std::pair<double, std::string>;
struct Column {
  std::string title;
  std::function<Predicted(const PredictOptions&, const Case&)> predict;
};

std::vector<Column> columns_of(const PredictOptions& options, bool several_nodes) {
  std::vector<Column> all;
  if (is_tau_lop(options)) {
    const auto parameters = tau_lop_parameters_of(options);
    all.push_back({fmt::format("tau-lop, {}", parameters.name),
                   [parameters](const PredictOptions& with, const Case& what) -> Predicted {
                     const collectives::Problem problem = problem_of(with, what);
                     std::string digest;
                     const auto schedule_of = [&](Rank rank) {
                       auto one = what.choice.algorithm->build(
                           collectives::problem_of_rank(problem, rank), what.choice.parameters);
                       if (rank == 0) digest = fmt::format("{:016x}", one.digest());
                       return one;
                     };
                     const double time = models::time_of(parameters, nodes_of(with, what.P),
                                                         schedule_of, std::max(1, with.calls));
                     return {time, digest};
                   }});
    return all;
  }
  for (models::Platform& platform : platforms_of(options, several_nodes)) {
    const std::string title = describe(platform);
    all.push_back({title,
                   [platform = std::move(platform)](const PredictOptions& with,
                                                    const Case& what) -> Predicted {
                     const Prediction made = predict(with, what, platform);
                     return {made.result.time, made.digest};
                   }});
  }
  return all;
}

}  // namespace

// Relative error (predicted − measured)/measured, and TAU eq. 7.9: μ = max/min.
void print_comparison(const PredictOptions& given) {
  const Measurements measured = measurements_of(given.compare);
  PredictOptions options = given;
  options.ranks_per_node = (measured.ranks + measured.nodes - 1) / measured.nodes;
  for (const Column& column : columns_of(options, measured.nodes > 1)) {
    fmt::print("\n{}; {} on {}, {}\n{:<14} {:<30} {:>10} {:>12} {:>12} {:>9} {:>7}  {}\n",
               column.title, counted(measured.ranks, "rank"), counted(measured.nodes, "node"),
               given.compare, "collective", "algorithm", "bytes", "measured us", "predicted us",
               "error", "mu", "schedule");
    std::vector<double> errors, proportional;
    for (const MeasuredCase& row : measured.rows) {
      if (const auto reason = why_not(options, row.what)) {
        fmt::print("{:<14} {:<30} {:>10} {:>12.3f}  {}\n", name_of(row.what.collective),
                   row.algorithm, row.what.bytes, row.time, *reason);
        continue;
      }
      options.calls =
          given.calls > 0 ? given.calls : std::clamp(row.calls, 1, models::kCallsLikeMany);
      const auto [time, digest] = column.predict(options, row.what);
      const double mu = std::max(time, row.time) / std::min(time, row.time);
      if (time > 0 && row.time > 0) {
        errors.push_back(std::abs(time - row.time) / row.time);
        proportional.push_back(mu);
      }
      fmt::print("{:<14} {:<30} {:>10} {:>12.3f} {:>12.3f} {:>8.1f}% {:>7.2f}  {}\n",
                 name_of(row.what.collective), row.algorithm, row.what.bytes, row.time, time,
                 100 * (time - row.time) / row.time, mu,
                 row.digest.empty()     ? "not named"
                 : row.digest == digest ? "the same"
                                        : "ANOTHER");
    }
    if (!errors.empty())
      fmt::print(
          "median of {}: relative error {:.1f} %, proportional error mu {:.2f}; worst mu "
          "{:.2f}\n",
          counted(errors.size(), "row"), 100 * upper_median(errors), upper_median(proportional),
          *std::max_element(proportional.begin(), proportional.end()));
  }
}

}  // namespace tutti::tools
