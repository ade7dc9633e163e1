// Tries the known formulas: all points on one of them; all but a few; two of them, by cases; all
// below one; none of them, with a bound. Pure.
#include "collectives/analysis/naming.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/bits.hpp"
#include "collectives/analysis/fit.hpp"
#include "collectives/analysis/formula.hpp"

namespace tutti::collectives {
namespace {

bool lies_on(const Fit& fit, const Point& point) { return near(point.value, fit(point)); }

std::optional<Fit> exact(const std::vector<Point>& points, Naming naming) {
  std::optional<Fit> found;
  if (points.empty()) return found;
  const auto fits = [&](const Fit& fit) {
    if (!std::all_of(points.begin(), points.end(),
                     [&](const Point& point) { return lies_on(fit, point); }))
      return false;
    found = fit;
    return true;
  };
  if (!fits(Fit{.plus = points.front().value})) candidates(naming, fits);
  return found;
}

using Applies = bool (*)(const Point&);

bool power_of_next(const Point& at) {
  int rest = at.P;
  while (rest % (at.k + 1) == 0) rest /= at.k + 1;
  return rest == 1;
}

// "A if …, else B".
std::optional<std::string> by_cases(const std::vector<Point>& points, Naming naming) {
  const std::pair<const char*, Applies> cases[] = {
      {naming.one_k ? "P is a power of two" : "P is a power of k+1", power_of_next},
      {"P <= k", [](const Point& at) { return at.P <= at.k; }},
      {"P <= k+1", [](const Point& at) { return at.P <= at.k + 1; }},
      {"P <= k+2", [](const Point& at) { return at.P <= at.k + 2; }},
  };
  for (const auto& [condition, holds] : cases) {
    if (naming.one_k && holds != power_of_next) break;  // exceptions say it better
    std::vector<Point> there, elsewhere;
    for (const Point& point : points) (holds(point) ? there : elsewhere).push_back(point);
    const auto first = exact(there, naming), second = exact(elsewhere, naming);
    if (!first || !second || !(where(*first).empty() || where(*first) == where(*second))) continue;
    return fmt::format("{} if {}, else {}{}", text_of(*first, naming.bytes), condition,
                       text_of(*second, naming.bytes), where(*second));
  }
  return std::nullopt;
}

// "m (P=2, 3: 0)": a few small P lie elsewhere.
std::optional<std::string> but_for_some(const std::vector<Point>& points, Naming naming) {
  constexpr int kLargest = 6;
  const std::size_t allowed = points.size() < 10 ? 1 : 5;
  if (points.empty() || !naming.one_k) return std::nullopt;
  std::vector<Point> rest;
  std::optional<Fit> found;
  const auto try_it = [&](const Fit& fit) {
    std::vector<Point> off;
    for (const Point& point : points) {
      if (lies_on(fit, point)) continue;
      off.push_back(point);
      if (point.P > kLargest || off.size() > allowed || (found && off.size() >= rest.size()))
        return false;
    }
    found = fit;
    rest = off;
    return rest.size() == 1 || fit.known == Fit::kConstant;
  };
  if (!try_it(Fit{.plus = points.back().value})) candidates(naming, try_it);
  if (!found) return std::nullopt;
  std::string exceptions;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool same = i > 0 && near(rest[i].value, rest[i - 1].value),
               last = i + 1 == rest.size() || !near(rest[i].value, rest[i + 1].value);
    exceptions += fmt::format("{}{}", i == 0 ? "P=" : same ? ", " : "; P=", rest[i].P);
    if (last) exceptions += ": " + with_unit(plain(rest[i].value), naming.bytes);
  }
  return fmt::format("{}{} ({})", text_of(*found, naming.bytes), where(*found), exceptions);
}

// The plain text that is least above all points, and never far.
std::optional<Fit> bound(const std::vector<Point>& points, Naming naming) {
  const double far = naming.bytes ? 0.5 : 2;
  std::optional<Fit> found;
  double least = 0;
  const auto try_it = [&](const Fit& fit) {
    if (!where(fit).empty()) return false;
    double above = 0;
    int touched = 0;
    for (const Point& point : points) {
      const double more = fit(point) - point.value;
      if ((more < 0 && !lies_on(fit, point)) || more > far) return false;
      touched += lies_on(fit, point) ? 1 : 0;
      above += more;
    }
    if (touched > 1 && (!found || above < least - kNear)) found = fit, least = above;
    return false;
  };
  double most = 0;
  for (const Point& point : points) most = std::max(most, point.value);
  try_it(Fit{.plus = most});
  candidates(naming, try_it);
  return found;
}

// The simplest formula that is above all points, and below kFar times each of them. The one of
// grids is of few algorithms.
std::optional<Fit> loose_bound(const std::vector<Point>& points, Naming naming) {
  constexpr double kFar = 2;
  std::optional<Fit> found;
  const auto holds = [&](const Fit& fit) {
    const std::string text = text_of(fit, false);
    if (!where(fit).empty() || fit.plus != 0 || text.find('C') != text.npos) return false;
    for (const Point& point : points)
      if (const double is = fit(point); is < point.value - kNear || is > kFar * point.value)
        return false;
    found = fit;
    return true;
  };
  if (!points.empty()) candidates(naming, holds);
  return found;
}

std::string samples(const std::vector<Point>& points, Naming naming) {
  std::string numbers;
  for (const auto& [P, k, value] : points) {
    if ((P != 4 && P != 8 && P != 12 && P != 32) || (k != 1 && k != 3)) continue;
    const std::string fanout = k == 1 ? "" : fmt::format(", k={}", k);
    numbers += fmt::format("{}{} (P={}{})", numbers.empty() ? "" : ", ",
                           with_unit(fmt::format("{:.6g}", value), naming.bytes), P, fanout);
  }
  return "no formula: " + numbers;
}

}  // namespace

std::string name_points(const std::vector<Point>& points, Naming naming) {
  naming.powers_only = std::all_of(points.begin(), points.end(),
                                   [](const Point& at) { return is_power_of_two(at.P); });
  naming.one_k =
      std::all_of(points.begin(), points.end(), [](const Point& at) { return at.k == 1; });
  if (const auto fit = exact(points, naming))
    return text_of(*fit, naming.bytes) + std::string{where(*fit)};
  if (auto text = but_for_some(points, naming)) return *text;
  if (auto text = by_cases(points, naming)) return *text;
  if (const auto fit = bound(points, naming)) return "at most " + text_of(*fit, naming.bytes);
  if (const auto fit = naming.bytes ? std::nullopt : loose_bound(points, naming))
    return fmt::format("{}; at most {}", samples(points, naming), text_of(*fit, false));
  return samples(points, naming);
}

}  // namespace tutti::collectives
