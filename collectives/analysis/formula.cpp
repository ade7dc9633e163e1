// Reading formulas, and finding the one that fits. Pure.
#include "collectives/analysis/formula.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace tutti::collectives {
namespace {

constexpr double kNear =
    1e-6;  // what rounding to whole bytes and cache lines of a long message does, and logarithms

bool near(double a, double b) { return std::abs(a - b) <= kNear * std::max(1.0, std::abs(b)); }

// Reads one formula from left to right, and computes it at once.
class Reader {
 public:
  Reader(std::string_view text, std::map<char, double>& letters) : text_(text), letters_(letters) {}

  double sum() {
    double value = product();
    for (;;) {
      if (take("+"))
        value += product();
      else if (take("-"))
        value -= product();
      else
        return value;
    }
  }

 private:
  double product() {
    double value = power();
    for (;;) {
      if (take("/"))
        value /= power();
      else if (starts_factor())
        value *= power();
      else
        return value;
    }
  }

  double power() {
    const double base = factor();
    return take("^") ? std::pow(base, factor()) : base;
  }

  double factor() {
    if (take("ceil(")) return std::ceil(closed() - kNear);
    if (take("floor(")) return std::floor(closed() + kNear);
    if (take("log2")) return std::log2(factor());
    if (take("log_{k+1}")) return std::log(factor()) / std::log(letters_['k'] + 1);
    if (take("d(")) return digits(closed());
    if (take("min(")) {
      const double first = sum();
      take(",");
      return std::min(first, closed());
    }
    if (take("sum_{i<")) {
      const double end = sum();
      take("}");
      return repeated(end);
    }
    if (take("(")) return closed();
    if (std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) return number();
    return letters_[text_[at_++]];
  }

  double repeated(double end) {
    const std::size_t body = at_;
    double value = 0;
    for (int i = 0; i < end - kNear; ++i) {
      at_ = body;
      letters_['i'] = i;
      value += product();
    }
    return value;
  }

  double digits(double of) {
    int count = 0;
    const int base = static_cast<int>(letters_['k']) + 1;
    for (int rest = static_cast<int>(of); rest != 0; rest /= base)
      count += rest % base != 0 ? 1 : 0;
    return count;
  }

  double number() {
    double value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0; ++at_)
      value = 10 * value + (text_[at_] - '0');
    return value;
  }

  double closed() {
    const double value = sum();
    take(")");
    return value;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool starts_factor() {
    skip_blanks();
    return at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '(');
  }
  bool take(std::string_view word) {
    skip_blanks();
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    skip_blanks();
    return true;
  }

  const std::string_view text_;
  std::map<char, double>& letters_;
  std::size_t at_ = 0;
};

// From simple to less so: the first that fits is printed. What is one algorithm's own comes last.
struct Known {
  std::string_view text, where = {};
};
constexpr std::string_view kPowerBelow = ", g = 2^f, f = floor(log2 P)";
constexpr Known kKnown[] = {
    {"P"},
    {"P-1"},
    {"P(P-1)"},
    {"P/2"},
    {"P^2/2"},
    {"P(P-1)/2"},
    {"(P-1)/P"},
    {"P^2 - 1"},
    {"log2 P"},
    {"P log2 P"},
    {"P/2 log2 P"},
    {"ceil(log2 P)"},
    {"floor(log2 P)"},
    {"P ceil(log2 P)"},
    {"log_{k+1} P"},
    {"ceil(log_{k+1} P)"},
    {"P ceil(log_{k+1} P)"},
    {"floor(log_{k+1} P)"},
    {"k floor(log_{k+1} P)"},
    {"ceil((P-1)/k)"},
    {"k"},
    {"min(k, P-1)"},
    {"floor(P/2)"},
    {"ceil(P/2)"},
    {"floor(3P/2)"},
    {"floor(log2 P) + 2"},
    {"2 floor(log2 P) + 2"},
    {"floor(log_{k+1} P) + 2"},
    {"floor(log2(P-1))"},
    {"ceil(log2(P/3))"},
    {"2^ceil(log2(P/3))"},
    {"ceil((P-1)/(k+1))"},
    {"P - 1 + ceil(log2 P)"},
    {"P - 1 + floor(log2 P)"},
    {"floor(log2(P+1)) + floor(log2((P+1)/3))"},
    {"(P-1)(ceil(log2 P) + 1)"},
    {"P + (P-2) log2 P"},
    {"3/2 - 1/P"},
    // grids; 4 ranks a node
    {"C + P/C - 2"},
    {"P(C + P/C - 2)"},
    {"N"},
    {"P-N"},
    {"ceil(log2 N)"},
    {"floor(log2 N)"},
    {"P(N+2)"},
    {"2(P-N) + N ceil(log2 N)"},
    {"2(P-N) + N(N-1)"},
    {"(P-N)(P+1) + P(N-1)"},
    {"2(P-N) + f g + 2(N-g)", ", g = 2^f, f = floor(log2 N)"},
    // n-way binomial trees, dissemination, Bruck
    {"sum_{i<c} min(k, floor((P-1)/(k+1)^i))", ", c = ceil(log_{k+1} P)"},
    {"P sum_{i<c} min(k, floor((P-1)/(k+1)^i))", ", c = ceil(log_{k+1} P)"},
    {"min(h, u ceil((P-h)/u))", ", u = h/(k+1), h = (k+1)^(c-1), c = ceil(log_{k+1} P)"},
    // halving and doubling of whole blocks
    {"P(P-1) + P/2 log2 P"},
    {"P - 1 + 1/2 log2 P"},
    // trees that cut the ranks into equal parts: a block travels as many times as its rank's number
    // has digits other than 0
    {"sum_{i<P} d(i)"},
    {"P sum_{i<P} d(i)"},
    {"P + 2 sum_{i<P} d(i)"},
    {"P(P-1) + sum_{i<P} d(i)"},
    {"P - 1 + 1/P sum_{i<P} d(i)"},
    // recursive doubling of any number of ranks, and prefixes
    {"f g + 2(P-g)", kPowerBelow},
    {"P - 1 + f g + 2(P-g)", kPowerBelow},
    {"k f g + 2(P-g)", ", g = (k+1)^f, f = floor(log_{k+1} P)"},
    {"P^2 - 2^floor(log2 P)"},
    {"P - 1/P 2^floor(log2 P)"},
    {"P - 1/P 2^floor(log2 P) + 1/P sum_{i<P} d(i)"},
    {"P + g - 1 + sum_{i<f} min(P-g, 2^i)", kPowerBelow},
    {"(2P + g - 2 + sum_{i<f} min(P-g, 2^i))/P", kPowerBelow},
    {"P c - 2^c + 1", ", c = ceil(log2 P)"},
};
constexpr std::size_t kAll = std::size(kKnown);

double known_value(std::size_t known, int P, int k) {
  static thread_local std::map<std::tuple<std::size_t, int, int>, double> values;
  const auto [place, is_new] = values.try_emplace({known, P, k}, 0);
  if (is_new)
    place->second =
        evaluate(std::string{kKnown[known].text} + std::string{kKnown[known].where}, P, k);
  return place->second;
}

// times a known text, plus a number; the number alone where known is kAll.
struct Fit {
  std::size_t known = kAll;
  int times = 1;
  double plus = 0;
  double operator()(const Point& at) const {
    return plus + (known < kAll ? times * known_value(known, at.P, at.k) : 0);
  }
};

bool is_sum(std::string_view text) {
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (depth == 0 && (c == '+' || c == '-')) return true;
  }
  return false;
}

std::string plain(double number) {
  for (const int below : {2, 3, 4})
    if (!near(number, std::round(number)) && near(number * below, std::round(number * below)))
      return fmt::format("{:.0f}/{}", number * below, below);
  return fmt::format("{:.6g}", number);
}

std::string with_unit(std::string text, bool bytes) {
  if (!bytes || text == "0") return text;
  if (text == "1") return "m";
  return is_sum(text) ? "(" + text + ") m" : text + " m";
}

std::string text_of(const Fit& fit, bool bytes) {
  if (fit.known == kAll) return with_unit(plain(fit.plus), bytes);
  std::string text{kKnown[fit.known].text};
  if (fit.times != 1 && is_sum(text)) text = "(" + text + ")";
  if (fit.times != 1)
    text = fmt::format("{}{}{}", fit.times,
                       text.front() == 'P' || text.front() == '(' || text.front() == 'N' ? "" : " ",
                       text);
  if (fit.plus != 0)
    text = fmt::format("{} {} {}", text, fit.plus < 0 ? '-' : '+', plain(std::abs(fit.plus)));
  return with_unit(text, bytes);
}
std::string_view where(const Fit& fit) {
  return fit.known == kAll ? std::string_view{} : kKnown[fit.known].where;
}

// No rounded logarithms where all are whole, no k where it is 1, and not "P + 2 + 1".
bool may_try(const Fit& fit, Naming naming) {
  const std::string_view text = kKnown[fit.known].text;
  if (!naming.nodes && text.find('N') != text.npos) return false;
  if (naming.powers_only && (text.find("ceil") != text.npos || text.find("floor") != text.npos))
    return false;
  if (naming.one_k && text.find('k') != text.npos) return false;
  const bool ends_in_number =
      is_sum(text) && std::isdigit(static_cast<unsigned char>(text.back())) != 0;
  return !ends_in_number || near(fit.plus, 0);
}

// Calls visit with every candidate, the simple ones first, until it returns true.
template <class Visit>
void candidates(Naming naming, const Visit& visit) {
  constexpr std::array kTimes{1, 2, 3, 4};
  constexpr std::array kPlus{0, 1, -1, 2, -2, 3, -3, 4, 5, 6};
  for (const int plus : kPlus)
    for (const int times : kTimes)
      for (std::size_t known = 0; known < kAll; ++known) {
        const Fit fit{known, times, static_cast<double>(plus)};
        if (may_try(fit, naming) && visit(fit)) return;
      }
}

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

using Holds = bool (*)(const Point&);

bool power_of_next(const Point& at) {
  int rest = at.P;
  while (rest % (at.k + 1) == 0) rest /= at.k + 1;
  return rest == 1;
}

// "A if …, else B".
std::optional<std::string> by_cases(const std::vector<Point>& points, Naming naming) {
  const std::pair<const char*, Holds> cases[] = {
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
    return rest.size() == 1 || fit.known == kAll;
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

double evaluate(std::string_view text, int P, int k) {
  std::map<char, double> letters{{'P', P}, {'k', k}, {'N', P / 4.}, {'m', 1}};
  double side = 1;
  while (side * side < P || P % static_cast<int>(side) != 0) ++side;
  letters['C'] = side;
  // What follows is computed first, the last before all.
  for (std::size_t equals = text.rfind(" = "); equals != text.npos; equals = text.rfind(" = ")) {
    letters[text[equals - 1]] = Reader{text.substr(equals + 3), letters}.sum();
    text = text.substr(0, equals - 3);
  }
  return Reader{text, letters}.sum();
}

std::string_view legend() noexcept {
  return "m: bytes of a rank's block (scatter, gather, allgather, alltoall, reduce_scatter), else "
         "of the message.\n"
         "N = P/4: the nodes. C: the smallest divisor of P that is not below its square root.\n"
         "d(i): the digits of i other than 0, in base k+1 (2 without a k). sum_{i<n}: the sum over "
         "i = 0, 1, ... below n.\n";
}

std::string name_points(const std::vector<Point>& points, Naming naming) {
  naming.powers_only = std::all_of(points.begin(), points.end(),
                                   [](const Point& at) { return (at.P & (at.P - 1)) == 0; });
  naming.one_k =
      std::all_of(points.begin(), points.end(), [](const Point& at) { return at.k == 1; });
  if (const auto fit = exact(points, naming))
    return text_of(*fit, naming.bytes) + std::string{where(*fit)};
  if (auto text = but_for_some(points, naming)) return *text;
  if (auto text = by_cases(points, naming)) return *text;
  if (const auto fit = bound(points, naming)) return "at most " + text_of(*fit, naming.bytes);
  return samples(points, naming);
}

}  // namespace tutti::collectives
