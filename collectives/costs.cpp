// Counting, and naming what was counted. Pure.
#include "collectives/costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "collectives/rounds.hpp"
#include "collectives/topology.hpp"

namespace tutti::collectives {
namespace {

std::vector<Schedule> build_all(const Algorithm& algorithm, Problem problem, const Parameters& parameters) {
  std::vector<Schedule> all;
  for (problem.rank = 0; problem.rank < problem.P; ++problem.rank) all.push_back(algorithm.build(problem, parameters));
  return all;
}

// A function of P, k and log2 P's relatives that papers write down.
struct Known {
  const char* text;
  std::function<double(int P, int k)> value;
};

double log_of(int P, int base) { return rounds_to_reach(P, base); }
double floor_log2(int P) {
  int log = 0;
  while ((2 << log) <= P) ++log;
  return log;
}
bool power_of_two(int P) { return (P & (P - 1)) == 0; }

const std::vector<Known>& known_functions() {
  static const std::vector<Known> all{
      {"0", [](int, int) { return 0.; }},
      {"1", [](int, int) { return 1.; }},
      {"2", [](int, int) { return 2.; }},
      {"k", [](int, int k) { return k; }},
      {"P", [](int P, int) { return P; }},
      {"P-1", [](int P, int) { return P - 1.; }},
      {"P/2", [](int P, int) { return P / 2.; }},
      {"2P", [](int P, int) { return 2. * P; }},
      {"2P-1", [](int P, int) { return 2. * P - 1; }},
      {"2(P-1)", [](int P, int) { return 2. * (P - 1); }},
      {"3(P-1)", [](int P, int) { return 3. * (P - 1); }},
      {"P(P-1)", [](int P, int) { return P * (P - 1.); }},
      {"2P(P-1)", [](int P, int) { return 2. * P * (P - 1.); }},
      {"P^2/2", [](int P, int) { return P * P / 2.; }},
      {"P(P-1)/2", [](int P, int) { return P * (P - 1.) / 2; }},
      {"ceil(log2 P)", [](int P, int) { return log_of(P, 2); }},
      {"floor(log2 P)", [](int P, int) { return floor_log2(P); }},
      {"2 floor(log2 P)", [](int P, int) { return 2 * floor_log2(P); }},
      {"2 ceil(log2 P)", [](int P, int) { return 2 * log_of(P, 2); }},
      {"floor(log2 P) + 1", [](int P, int) { return floor_log2(P) + 1; }},
      {"floor(log2 P) + 2", [](int P, int) { return floor_log2(P) + 2; }},
      {"ceil(log_{k+1} P)", [](int P, int k) { return log_of(P, k + 1); }},
      {"2 ceil(log_{k+1} P)", [](int P, int k) { return 2 * log_of(P, k + 1); }},
      {"ceil(log2 P) + P - 1", [](int P, int) { return log_of(P, 2) + P - 1; }},
      {"P ceil(log2 P)", [](int P, int) { return P * log_of(P, 2); }},
      {"sum over rounds i of P min(k, floor((P-1)/(k+1)^i))",
       [](int P, int k) {
         double sum = 0;
         for (long long held = 1; held < P; held *= k + 1)
           sum += static_cast<double>(P) * static_cast<double>(std::min<long long>(k, (P - 1) / held));
         return sum;
       }},
      {"ceil((P-1)/k)", [](int P, int k) { return (P - 1 + k - 1) / k; }},
      {"2 ceil((P-1)/k)", [](int P, int k) { return 2 * ((P - 1 + k - 1) / k); }},
      {"ceil(P/(k+1))", [](int P, int k) { return (P + k) / (k + 1); }},
      {"min(k, P-1)", [](int P, int k) { return std::min(k, P - 1); }},
      {"floor(P/2)", [](int P, int) { return P / 2; }},
      {"ceil(P/2)", [](int P, int) { return (P + 1) / 2; }},
      {"min(2, P-1)", [](int P, int) { return std::min(2, P - 1); }},
      {"(P-1)/P", [](int P, int) { return (P - 1.) / P; }},
      {"2(P-1)/P", [](int P, int) { return 2. * (P - 1) / P; }},
      {"P^2-1", [](int P, int) { return P * P - 1.; }},
      {"log2 P if P is a power of two, else floor(log2 P) + 2", [](int P, int) { return floor_log2(P) + (power_of_two(P) ? 0 : 2); }},
      {"2 log2 P if P is a power of two, else 2 floor(log2 P) + 2",
       [](int P, int) { return 2 * floor_log2(P) + (power_of_two(P) ? 0 : 2); }},
      {"P log2 P if P is a power of two, else 2^floor(log2 P) (floor(log2 P) - 2) + 2P",
       [](int P, int) {
         const double partners = static_cast<double>(1 << static_cast<int>(floor_log2(P)));
         return partners * floor_log2(P) + 2 * (P - partners);
       }},
      {"2P log2 P if P is a power of two, else 2^floor(log2 P) (2 floor(log2 P) - 4) + 4P",
       [](int P, int) {
         const double partners = static_cast<double>(1 << static_cast<int>(floor_log2(P)));
         return 2 * partners * floor_log2(P) + 4 * (P - partners);
       }},
  };
  return all;
}

// The text of the first function that all points lie on (within what rounding to whole bytes of a long message does).
std::string name_points(const std::vector<std::pair<int, double>>& points, int k, bool at_most) {
  for (const Known& known : known_functions()) {
    bool fits = !points.empty();
    for (const auto& [P, value] : points) {
      const double expected = known.value(P, k);
      fits = fits && std::abs(value - expected) <= 0.002 * std::max(1.0, expected);
    }
    if (fits) return known.text;
  }
  // The number of rounds may be smaller for some P, where a last round need not wait.
  if (at_most) {
    for (const Known& known : known_functions()) {
      bool fits = !points.empty(), touched = false;
      for (const auto& [P, value] : points) {
        const double expected = known.value(P, k);
        fits = fits && value <= expected && expected <= value + 1;
        touched = touched || value == expected;
      }
      if (fits && touched) return fmt::format("at most {}", known.text);
    }
  }
  if (std::all_of(points.begin(), points.end(), [&](const auto& point) { return point.second == points.back().second; }))
    return fmt::format("{:g}", points.back().second);
  std::string numbers;
  for (const auto& [P, value] : points) {
    if (P != 4 && P != 8 && P != 12 && P != 32) continue;
    numbers += fmt::format("{}{:.6g} (P={})", numbers.empty() ? "" : ", ", value, P);
  }
  return numbers;
}

}  // namespace

Costs count(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters) {
  const std::vector<Schedule> all = build_all(algorithm, problem, parameters);
  Costs costs;
  // An algorithm with a fanout has that many messages of a rank in one round; of the others the papers count the longest chain.
  costs.rounds = rounds(all, algorithm.has_k ? parameters.k : kAnyPorts);
  for (const Schedule& schedule : all) {
    Bytes sent = 0;
    for (const Step& step : schedule.steps) {
      if (step.kind != StepKind::send) continue;
      ++costs.messages;
      sent += step.source.length;
    }
    costs.total += sent;
    costs.sent = std::max(costs.sent, sent);
    costs.scratch = std::max(costs.scratch, schedule.scratch_bytes);
  }
  return costs;
}

Formulas formulas(const Algorithm& algorithm, const Parameters& parameters) {
  constexpr Bytes m = Bytes{1} << 24;  // so long that what rounds to whole bytes and cache lines is lost
  std::vector<std::pair<int, double>> rounds, messages, sent, scratch;
  for (int P = 2; P <= 33; ++P) {
    const Problem problem{.collective = algorithm.collective, .P = P, .bytes = algorithm.collective == Collective::barrier ? 0 : m};
    if (algorithm.not_applicable(problem, parameters)) continue;
    const Costs costs = count(algorithm, problem, parameters);
    rounds.emplace_back(P, costs.rounds);
    messages.emplace_back(P, static_cast<double>(costs.messages));
    sent.emplace_back(P, static_cast<double>(costs.sent) / m);
    scratch.emplace_back(P, static_cast<double>(costs.scratch) / m);
  }
  const auto times_m = [](std::string text) {
    if (text == "0" || text.find('=') != text.npos) return text;
    if (text == "1") return std::string{"m"};
    return text.find_first_of(" -+") == text.npos || text.back() == ')' ? text + " m" : "(" + text + ") m";
  };
  const int k = parameters.k;
  return {name_points(rounds, k, true), name_points(messages, k, false), times_m(name_points(sent, k, false)),
          times_m(name_points(scratch, k, false))};
}

}  // namespace tutti::collectives
