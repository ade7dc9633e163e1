// Each formula beside the simulation of its algorithm.
#include "models/papers/closed_forms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/index.hpp"
#include "collectives/algorithms/conditions.hpp"
#include "models/papers/closed_forms_ib.hpp"
#include "models/papers/closed_forms_occ.hpp"
#include "models/platform/json.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/tree_times.hpp"
#include "models/simulation/layout.hpp"
#include "models/platform/names.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::models {
namespace {

using collectives::Problem;
using collectives::Schedule;

bool sends(const Schedule& schedule) noexcept {
  return std::ranges::any_of(
      schedule.steps, [](const auto& step) { return step.kind == collectives::StepKind::send; });
}

// The time, and the spread.
struct Played {
  double time = 0, spread = 0;
};

Played play(const collectives::Algorithm& algorithm, const Model& model, const Asked& asked) {
  Problem problem{{.collective = algorithm.collective, .bytes = asked.bytes}, asked.P};
  if (algorithm.collective == collectives::Collective::barrier) problem.bytes = 0;
  std::vector<int> node;
  if (asked.within)
    node = nodes_of(asked.mapping == Asked::Mapping::blocks ? Layout::blocks : Layout::in_turn,
                    asked.P, asked.per_node);
  problem.node = node;
  std::vector<Rank> leaves;
  const auto parameters = with_times(algorithm, {.k = asked.k, .segment = asked.segment}, model);
  const auto schedule_of = [&](Rank rank) {
    problem.rank = rank;
    Schedule schedule = algorithm.build(problem, parameters);
    if (!sends(schedule)) leaves.push_back(rank);
    return schedule;
  };
  Platform platform{.between = model, .reduce_per_byte = asked.reduce_per_byte};
  if (asked.within) platform.within = *asked.within;
  const Result result = simulate(asked.P, schedule_of, platform, {.node = node});
  Played played{.time = result.time};
  if (leaves.empty()) return played;
  const auto finished = [&](Rank rank) { return result.finished[index(rank)]; };
  const auto [first, last] = std::ranges::minmax(leaves, {}, finished);
  played.spread = finished(last) - finished(first);
  return played;
}

bool asks_nothing(const collectives::Algorithm& algorithm, const Asked& asked) {
  return (asked.segment > 0 && (!algorithm.traits.segment || asked.segment >= asked.bytes)) ||
         (asked.k > 1 && !algorithm.traits.k);
}

constexpr double kRounding = 1e-9;
constexpr Assumption kPlain{
    "that only messages and combining take time, of ranks that begin at once",
    [](const Model&, const Asked& asked) { return asked.plain; }};

bool equal(double simulated, double formula) noexcept {
  return std::abs(simulated - formula) <= kRounding * std::max(simulated, formula);
}

bool is_so(Claim claim, double simulated, double formula) noexcept {
  switch (claim) {
    case Claim::equal: return equal(simulated, formula);
    case Claim::not_above: return simulated <= formula || equal(simulated, formula);
    case Claim::not_below: return simulated >= formula || equal(simulated, formula);
    case Claim::apart: return true;
  }
  return false;
}

void add(Comparison& found, const Model& model, const Asked& asked, double time, double expected) {
  const Verdict verdict = judge(*found.form, model, asked, time, expected);
  const double ratio = equal(time, expected) ? 1 : time / expected;
  found.all.add(ratio);
  (verdict.broken ? found.others : found.assumed).add(ratio);
  if (verdict.kept || found.broken++ > 0) return;
  found.first_broken = fmt::format(
      "{} {}, P = {}, {} bytes, segments of {}, k = {}, c = {}: simulated {}, formula {}",
      name_of(model), json_text(parameters_to_json(model)), asked.P, asked.bytes, asked.segment,
      asked.k, asked.reduce_per_byte, time, expected);
}

LognP::Transfer proportional(double of_8k) {
  return {.o = Curve{{{0, 0}, {8192, of_8k}}}, .g = {}, .l = {}};
}

}  // namespace

// Models that formulas are compared under: published ones where there are some; PLogP's tables are
// only drawn in the papers.
std::vector<Model> models_to_compare() {
  std::vector<Model> all;
  for (const char* const name :
       {"boba", "frodo", "ib-figure-5.7", "ib-figure-5.8", "bunyip", "bluegene-p"})
    all.push_back(parse_platform(find_published(name)->json).between);
  all.push_back(Hockney{50, 0.01});
  all.push_back(LogP{30.40, 8.15, 8.15, 8.683});
  all.push_back(PLogP{20, Curve{{{0, 4}, {8192, 30}}}, Curve{{{0, 5}, {8192, 40}}},
                      Curve{{{0, 9}, {8192, 60}}}});
  all.push_back(PLogP{20, Curve{2}, Curve{3}, Curve{{{0, 9}, {8192, 60}}}});
  const LognP::Transfer wire{.o = Curve{{{0, 12}, {8192, 90}}}, .g = {}, .l = {}};
  all.push_back(LognP{{proportional(20), proportional(20)}});
  all.push_back(LognP{{proportional(20), wire, proportional(20)}});
  return all;
}

std::vector<Asked> calls_to_compare() {
  std::vector<Asked> all;
  for (int P : {2, 3, 4, 5, 7, 8, 9, 15, 16, 27, 31, 32})
    for (Bytes bytes : {Bytes{64}, Bytes{4096}, Bytes{96} * P})  // P divides one at least
      for (Bytes segment : {0, 512})
        for (int k : {1, 2})
          for (double gamma : {0., 0.001}) all.push_back({P, bytes, segment, k, gamma});
  static const Model loggp = *parse_platform(find_published("metropolis")->json).within;
  static const Model lognp = LognP{{proportional(4), proportional(4)}};
  for (const Model* const within : {&loggp, &lognp})
    for (int P : {4, 8, 12, 16, 32})
      for (Bytes bytes : {64, 4096})
        for (int per_node : {2, 4})
          for (const auto mapping : {Asked::Mapping::blocks, Asked::Mapping::in_turn}) {
            Asked asked{.P = P, .bytes = bytes};
            asked.within = within;
            asked.per_node = per_node;
            asked.mapping = mapping;
            all.push_back(asked);
          }
  return all;
}

void Comparison::Cases::add(double ratio) noexcept {
  least = count == 0 ? ratio : std::min(least, ratio);
  most = count == 0 ? ratio : std::max(most, ratio);
  ++count;
  equal += ratio == 1 ? 1 : 0;
}

double Asked::segments() const noexcept {
  const Bytes whole = segment > 0 && segment < bytes ? (bytes + segment - 1) / segment : 1;
  return static_cast<double>(whole);
}

std::vector<ClosedForm> closed_forms() {
  std::vector<ClosedForm> all;
  for (const auto forms : {occ::barriers_and_broadcasts(), occ::reduces_and_alltoalls(),
                           occ::corrected(), ib::scatters_and_gathers(), ib::allgathers(),
                           beo_forms(), hpm_forms(), tau_forms(), forms_of_levels()})
    all.insert(all.end(), forms.begin(), forms.end());
  return all;
}

std::optional<double> time_of(const ClosedForm& form, const Model& model, const Asked& asked) {
  if (form.of_levels != (asked.within != nullptr)) return {};
  return form.time(model, asked);
}

double simulated(const ClosedForm& form, const Model& model, const Asked& asked) {
  const auto& algorithm = *collectives::find(form.collective, form.algorithm);
  const Played played = play(algorithm, model, asked);
  if (form.quantity == Quantity::time) return played.time;
  if (form.quantity == Quantity::spread) return played.spread;
  return play(*collectives::find(form.collective, "recursive-splitting"), model, asked).time -
         played.time;
}

Verdict judge(const ClosedForm& form, const Model& model, const Asked& asked, double simulated,
              double formula) noexcept {
  Verdict verdict;
  if (!asked.plain) verdict.broken = &kPlain;
  for (const Assumption* const some : form.assumes)
    if (some && !verdict.broken && !some->holds(model, asked)) verdict.broken = some;
  const Claim said = !verdict.broken ? form.claim : asked.plain ? form.otherwise : kApart;
  verdict.kept = is_so(said, simulated, formula);
  if (equal(simulated, formula))
    verdict.claim = Claim::equal;
  else if (verdict.kept)
    verdict.claim = said;
  return verdict;
}

std::vector<Comparison> compare(std::span<const ClosedForm> forms, std::span<const Model> models,
                                std::span<const Asked> calls) {
  // Several forms are of one algorithm.
  using Play = std::tuple<const collectives::Algorithm*, Quantity, std::size_t, std::size_t>;
  std::map<Play, double> played;
  std::vector<Comparison> all;
  for (const ClosedForm& form : forms) {
    Comparison found{.form = &form};
    const auto& algorithm = *collectives::find(form.collective, form.algorithm);
    for (std::size_t m = 0; m < models.size(); ++m)
      for (std::size_t c = 0; c < calls.size(); ++c) {
        const Model& model = models[m];
        Asked what = calls[c];
        if (asks_nothing(algorithm, what)) continue;
        if (form.collective == collectives::Collective::barrier) what.bytes = what.segment = 0;
        const auto expected = time_of(form, model, what);
        const Problem problem{{.collective = form.collective, .bytes = what.bytes}, what.P};
        if (!expected || why_not(algorithm, problem, {.k = what.k})) continue;
        const auto [at, first] = played.try_emplace({&algorithm, form.quantity, m, c}, 0);
        if (first) at->second = simulated(form, model, what);
        add(found, model, what, at->second, *expected);
      }
    all.push_back(std::move(found));
  }
  return all;
}

std::string_view word_of(Claim claim) noexcept {
  switch (claim) {
    case Claim::equal: return "agrees";
    case Claim::not_above: return "an upper bound";
    case Claim::not_below: return "a lower bound";
    case Claim::apart: return "differs";
  }
  return "";
}

std::string sentence_of(const ClosedForm& form, const Verdict& verdict) {
  std::string text(word_of(verdict.claim));
  if (!verdict.kept) return text + ", which it should not";
  if (verdict.claim == Claim::equal) return text;
  if (verdict.broken)
    text += fmt::format("; it assumes {}, which is not so here", verdict.broken->text);
  if (!form.why.empty()) text += fmt::format("{} {}", verdict.broken ? ";" : ":", form.why);
  return text;
}

}  // namespace tutti::models
