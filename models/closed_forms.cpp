// Each formula beside the simulation of its algorithm.
#include "models/closed_forms.hpp"

#include <algorithm>
#include <cmath>

#include "collectives/algorithms/conditions.hpp"
#include "models/closed_forms_occ.hpp"
#include "models/json.hpp"
#include "models/names.hpp"
#include "models/simulator.hpp"

namespace tutti::models {
namespace {

using collectives::Problem;

// What formulas are compared under: published where there is something published; PLogP's tables
// are only drawn in the papers.
std::vector<Model> models_to_compare() {
  std::vector<Model> all;
  for (const char* const name : {"boba", "frodo", "ib-figure-5.7", "ib-figure-5.8", "bunyip"})
    all.push_back(parse_platform(find_published(name)->json).between);
  all.push_back(Hockney{50, 0.01});
  all.push_back(LogP{30.40, 8.15, 8.15, 8.683});
  all.push_back(PLogP{20, Curve{{{0, 4}, {8192, 30}}}, Curve{{{0, 5}, {8192, 40}}},
                      Curve{{{0, 9}, {8192, 60}}}});
  return all;
}

std::vector<Asked> cases() {
  std::vector<Asked> all;
  for (int P : {2, 3, 4, 5, 7, 8, 9, 15, 16, 27, 31, 32})
    for (Bytes bytes : {64, 4096})
      for (Bytes segment : {0, 512})
        for (int k : {1, 2})
          for (double gamma : {0., 0.001}) all.push_back({P, bytes, segment, k, gamma});
  return all;
}

double simulated(const collectives::Algorithm& algorithm, const Model& model, const Asked& asked) {
  Problem problem{{.collective = algorithm.collective, .bytes = asked.bytes}, asked.P};
  if (algorithm.collective == collectives::Collective::barrier) problem.bytes = 0;
  const auto schedule_of = [&](Rank rank) {
    problem.rank = rank;
    return algorithm.build(problem, {.k = asked.k, .segment = asked.segment});
  };
  const Platform platform{.between = model, .reduce_per_byte = asked.reduce_per_byte};
  return simulate(asked.P, schedule_of, platform).time;
}

bool asks_nothing(const collectives::Algorithm& algorithm, const Asked& asked) {
  return (asked.segment > 0 && (!algorithm.traits.segment || asked.segment >= asked.bytes)) ||
         (asked.k > 1 && !algorithm.traits.k);
}

bool holds(Claim claim, double ratio) {
  constexpr double kRounding = 1e-9;
  switch (claim) {
    case Claim::equal: return std::abs(ratio - 1) <= kRounding;
    case Claim::not_above: return ratio <= 1 + kRounding;
    case Claim::not_below: return ratio >= 1 - kRounding;
    case Claim::apart: return true;
  }
  return false;
}

}  // namespace

double Asked::segments() const noexcept {
  const Bytes whole = segment > 0 && segment < bytes ? (bytes + segment - 1) / segment : 1;
  return static_cast<double>(whole);
}

std::vector<ClosedForm> closed_forms() {
  std::vector<ClosedForm> all;
  for (const auto forms :
       {occ::barriers_and_broadcasts(), occ::reduces_and_alltoalls(), ib_forms(), beo_forms()})
    all.insert(all.end(), forms.begin(), forms.end());
  return all;
}

std::vector<Comparison> compare(std::span<const ClosedForm> forms) {
  const std::vector<Model> models = models_to_compare();
  std::vector<Comparison> all;
  for (const ClosedForm& form : forms) {
    Comparison found{.form = &form};
    const auto& algorithm = *collectives::find(form.collective, form.algorithm);
    for (const Model& model : models)
      for (const Asked& asked : cases()) {
        if (asks_nothing(algorithm, asked)) continue;
        Asked what = asked;
        if (form.collective == collectives::Collective::barrier) what.bytes = what.segment = 0;
        const auto expected = form.time(model, what);
        const Problem problem{{.collective = form.collective, .bytes = what.bytes}, what.P};
        if (!expected || why_not(algorithm, problem, {.k = what.k})) continue;
        const double ratio = simulated(algorithm, model, what) / *expected;
        found.least = found.cases == 0 ? ratio : std::min(found.least, ratio);
        found.most = found.cases == 0 ? ratio : std::max(found.most, ratio);
        found.holds &= holds(form.claim, ratio);
        if (found.cases++ == 0) found.model = name_of(model);
      }
    all.push_back(found);
  }
  return all;
}

std::string_view sentence_of(Claim claim) noexcept {
  switch (claim) {
    case Claim::equal: return "agrees";
    case Claim::not_above: return "an upper bound";
    case Claim::not_below: return "a lower bound";
    case Claim::apart: return "differs";
  }
  return "";
}

}  // namespace tutti::models
