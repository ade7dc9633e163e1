// Decision functions as text and as the table that selection reads; predictions beside
// measurements.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "collectives/schedule/problem.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "tools/text.hpp"
#include "tools/tune/tune.hpp"

namespace tutti::tools {
namespace {

using collectives::Collective;
using nlohmann::json;

const Candidate* best_of(const Point& point, bool measured) {
  const int best = measured ? point.best_measured() : point.best_predicted(0);
  return best < 0 ? nullptr : &point.candidates[static_cast<std::size_t>(best)];
}

double median(std::vector<double> values) { return models::median_of(std::move(values)).value; }

bool same_row(const Point& a, const Point& b) {
  return a.collective == b.collective && a.P == b.P && a.ranks_per_node == b.ranks_per_node;
}

Comparison compare(const std::vector<Point>& points, const Oracle& oracle, std::size_t number) {
  Comparison all{.label = oracle.label};
  std::vector<double> errors, penalties;
  for (const Point& point : points) {
    for (const Candidate& candidate : point.candidates)
      if (candidate.measured && candidate.predicted[number] > 0)
        errors.push_back(std::max(candidate.measured->value, candidate.predicted[number]) /
                         std::min(candidate.measured->value, candidate.predicted[number]));
    const auto penalty = point.penalty(number);
    if (!penalty) continue;
    ++all.points;
    if (!penalty->decided) continue;
    if (penalties.empty() || penalty->percent > all.worst_penalty) {
      all.worst_penalty = penalty->percent;
      all.where = fmt::format("{} of {} on {}", name_of(point.collective), size_text(point.bytes),
                              counted(point.P, "rank"));
    }
    penalties.push_back(penalty->percent);
  }
  all.times = errors.size();
  all.decided = penalties.size();
  if (all.times == 0 || all.points == 0) return all;
  all.median_mu = median(errors);
  all.worst_mu = *std::max_element(errors.begin(), errors.end());
  if (all.decided > 0) all.median_penalty = median(penalties);
  return all;
}

// A column: "    12 %", and "    12 %~" if it is undecided.
std::string penalty_text(const std::optional<Penalty>& penalty) {
  if (!penalty) return {};
  return fmt::format("{:>8}{}", fmt::format("{:.0f} %", penalty->percent),
                     penalty->decided ? "" : "~");
}

// The best time as measured, by what the model that selects, the last one, says of it.
std::optional<double> times_predicted(const Point& point) {
  const Candidate* const best = best_of(point, true);
  if (!best || best->predicted.empty() || best->predicted.back() <= 0) return std::nullopt;
  return best->measured->value / best->predicted.back();
}

// Points whose best time is many times what the model says of it, though others' is not: something
// else took the cores meanwhile.
std::vector<const Point*> far_points_of(const std::vector<Point>& points) {
  constexpr double kOutlier = 100;
  std::vector<double> all;
  for (const Point& point : points)
    if (const auto times = times_predicted(point)) all.push_back(*times);
  std::vector<const Point*> outliers;
  if (all.empty()) return outliers;
  const double usual = median(all);
  for (const Point& point : points)
    if (const auto times = times_predicted(point); times && *times > kOutlier * usual)
      outliers.push_back(&point);
  return outliers;
}

std::string what_of(const Point& point) {
  return fmt::format("{}{} on {}", name_of(point.collective),
                     point.collective == Collective::barrier ? "" : " of " + size_text(point.bytes),
                     counted(point.P, "rank"));
}

std::string shown_name(const Candidate* one) { return one ? with_units(one->name) : "-"; }

// Width of the column of algorithms: that of the longest name in it.
template <class Best>
std::size_t width_of_names(const std::vector<Point>& points, Best&& best_at) {
  std::size_t width = 34;
  for (const Point& point : points) width = std::max(width, shown_name(best_at(point)).size());
  return width;
}

// Each model's choices, and the loss by them if the first model is right.
void print_predicted(const std::vector<Point>& points, const std::vector<Oracle>& oracles) {
  for (std::size_t i = 0; i < oracles.size(); ++i) {
    const auto best_at = [i](const Point& point) {
      const int best = point.best_predicted(i);
      return best < 0 ? nullptr : &point.candidates[static_cast<std::size_t>(best)];
    };
    const std::size_t width = width_of_names(points, best_at);
    const Point* before = nullptr;
    for (const Point& point : points) {
      if (!before || before->collective != point.collective)
        fmt::print("\n{}, best by {}\n{:>6} {:>4} {:>9}  {:<{}} {:>11} {:>8}\n",
                   name_of(point.collective), oracles[i].label, "ranks", "ppn", "bytes",
                   "algorithm", width, "us", i == 0 ? "" : "penalty");
      before = &point;
      const Candidate* const best = best_at(point);
      if (!best) continue;
      const auto penalty = i == 0 ? std::nullopt : point.penalty(i, 0);
      fmt::print("{:>6} {:>4} {:>9}  {:<{}} {:>11} {}\n", point.P, point.ranks_per_node,
                 point.collective == Collective::barrier ? "-" : size_text(point.bytes),
                 shown_name(best), width, fmt::format("{:.3f}", best->predicted[i]),
                 penalty_text(penalty));
    }
  }
}

}  // namespace

// Points are in the order of collectives, then P, then sizes.
std::string table_of(const std::vector<Point>& points, bool measured) {
  json rules = json::array();
  const auto outliers = far_points_of(points);
  bool goes_on = false;  // the last rule ends where this point begins
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const Candidate* const best = best_of(point, measured);
    const bool first = i == 0 || !same_row(points[i - 1], point);
    const bool counts =
        best &&
        (!measured || (point.decided() && std::ranges::find(outliers, &point) == outliers.end()));
    const bool follows = std::exchange(goes_on, counts) && !first;
    if (!goes_on) continue;
    const bool last = i + 1 == points.size() || !same_row(points[i + 1], point);
    // The next larger number of ranks of this collective begins another rule.
    int next = point.P + 1;
    for (const Point& other : points)
      if (other.collective == point.collective && other.P > point.P) {
        next = other.P;
        break;
      }
    const std::string algorithm = "prefer " + best->name;
    json bytes = {first ? 0 : point.bytes, nullptr};
    if (!last) bytes[1] = points[i + 1].bytes - 1;
    if (follows && rules.back()["algorithm"] == algorithm) {
      rules.back()["bytes"][1] = bytes[1];
      continue;
    }
    rules.push_back({{"collective", name_of(point.collective)},
                     {"ranks", {point.P, next - 1}},
                     {"ranks_per_node", point.ranks_per_node},
                     {"bytes", bytes},
                     {"algorithm", algorithm},
                     {"comment", measured ? "measured by tutti tune" : "predicted by tutti tune"}});
  }
  return models::json_text(json{{"rules", rules}}, 1);
}

std::string undecided_text(const std::vector<Point>& points) {
  std::string text;
  const auto shown = [](const Point& point, int number) {
    const Candidate& one = point.candidates[static_cast<std::size_t>(number)];
    return fmt::format("{}{} takes {:.3f} us [{:.3f}, {:.3f}]",
                       number == point.by_default ? "the model's choice " : "",
                       with_units(one.name), one.measured->value, one.measured->low,
                       one.measured->high);
  };
  for (const Point& point : points)
    if (!point.decided())
      text += fmt::format("  {}: {}, {}\n", what_of(point), shown(point, point.best_measured()),
                          shown(point, point.rival()));
  return text;
}

std::string outliers_text(const std::vector<Point>& points) {
  std::string text;
  for (const Point* const point : far_points_of(points)) {
    const Candidate& best = *best_of(*point, true);
    text +=
        fmt::format("  {}: {} takes {:.3f} us, where the model says {:.3f} us\n", what_of(*point),
                    with_units(best.name), best.measured->value, best.predicted.back());
  }
  return text;
}

void print_maps(const std::vector<Point>& points, const std::vector<Oracle>& oracles) {
  const auto measured_any = [](const Point& point) { return point.best_measured() >= 0; };
  if (!oracles.empty() && std::none_of(points.begin(), points.end(), measured_any))
    return print_predicted(points, oracles);
  const std::size_t width =
      std::max(width_of_names(points, [](const Point& point) { return best_of(point, true); }),
               width_of_names(points, [](const Point& point) { return best_of(point, false); }));
  const Point* before = nullptr;
  for (const Point& point : points) {
    if (!before || before->collective != point.collective)
      fmt::print("\n{}\n{:>6} {:>4} {:>9}  {:<{}} {:>11}  {:<{}} {:>11} {:>8}\n",
                 name_of(point.collective), "ranks", "ppn", "bytes", "best measured", width, "us",
                 oracles.empty() ? "" : "best predicted", width, oracles.empty() ? "" : "us",
                 oracles.empty() ? "" : "penalty");
    before = &point;
    const Candidate *const measured = best_of(point, true), *const predicted =
                                                                best_of(point, false);
    const auto penalty = point.penalty(0);
    fmt::print(
        "{:>6} {:>4} {:>9}  {:<{}} {:>11}{} {:<{}} {:>11} {}\n", point.P, point.ranks_per_node,
        point.collective == Collective::barrier ? "-" : size_text(point.bytes),
        shown_name(measured), width,
        measured ? fmt::format("{:.3f}", measured->measured->value) : "-",
        point.decided() ? " " : "~", predicted ? shown_name(predicted) : "", width,
        predicted ? fmt::format("{:.3f}", predicted->predicted[0]) : "", penalty_text(penalty));
  }
}

std::vector<Comparison> comparisons_of(const std::vector<Point>& points,
                                       const std::vector<Oracle>& oracles) {
  std::vector<Comparison> all;
  for (std::size_t i = 0; i < oracles.size(); ++i) {
    const Comparison one = compare(points, oracles[i], i);
    if (one.times > 0 && one.points > 0) all.push_back(one);
  }
  return all;
}

void print_comparison(const std::vector<Comparison>& comparisons) {
  const auto percent = [](const Comparison& one, double value) {
    return one.decided > 0 ? fmt::format("{:.1f} %", value) : "-";
  };
  fmt::print("\n{:<28} {:>6} {:>10} {:>9}  {:>8} {:>15} {:>14}  {}\n", "model", "rows", "median mu",
             "worst mu", "decided", "median penalty", "worst penalty", "where");
  for (const Comparison& one : comparisons)
    fmt::print("{:<28} {:>6} {:>10.2f} {:>9.2f}  {:>8} {:>15} {:>14}  {}\n", one.label, one.times,
               one.median_mu, one.worst_mu, fmt::format("{} of {}", one.decided, one.points),
               percent(one, one.median_penalty), percent(one, one.worst_penalty), one.where);
}

std::string json_of(const std::vector<Point>& points, const std::vector<Oracle>& oracles,
                    std::span<const Host> hosts) {
  json all = {{"models", json::array()},
              {"hosts", json::array()},
              {"points", json::array()},
              {"comparison", json::array()}};
  for (const Host& host : hosts) all["hosts"].push_back(json_of(host));
  for (const Oracle& oracle : oracles) all["models"].push_back(oracle.label);
  for (const Point& point : points) {
    json one = {{"collective", name_of(point.collective)},
                {"ranks", point.P},
                {"ranks_per_node", point.ranks_per_node},
                {"bytes", point.bytes},
                {"decided", point.decided()},
                {"candidates", json::array()}};
    if (point.by_default >= 0)
      one["by_default"] = point.candidates[static_cast<std::size_t>(point.by_default)].name;
    for (const Candidate& candidate : point.candidates) {
      json row = {{"algorithm", candidate.name}, {"predicted_us", json::array()}};
      for (const double time : candidate.predicted)
        row["predicted_us"].push_back(time < 0 ? json() : json(time));
      if (candidate.measured)
        row["measured"] = {{"median_us", candidate.measured->value},
                           {"low_us", candidate.measured->low},
                           {"high_us", candidate.measured->high}};
      one["candidates"].push_back(row);
    }
    all["points"].push_back(one);
  }
  for (const Comparison& one : comparisons_of(points, oracles)) {
    const auto percent = [&](double value) { return one.decided > 0 ? json(value) : json(); };
    all["comparison"].push_back({{"model", one.label},
                                 {"times", one.times},
                                 {"median_mu", one.median_mu},
                                 {"worst_mu", one.worst_mu},
                                 {"points", one.points},
                                 {"decided", one.decided},
                                 {"median_penalty_percent", percent(one.median_penalty)},
                                 {"worst_penalty_percent", percent(one.worst_penalty)},
                                 {"worst_penalty_at", one.where}});
  }
  return models::json_text(all, 1);
}

}  // namespace tutti::tools
