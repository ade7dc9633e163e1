// Derives the times that shape a tree, through LogGP's parameters. Pure.
#include "models/platform/tree_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "models/platform/conversion.hpp"

namespace tutti::models {
namespace {

// As a choice may say it: not negative, and no longer than choices.cpp reads. A sum such as
// 0.1 + 0.2 has no digits that only a computer would write.
double as_said(double time) {
  constexpr double kLongest = 1e9;
  const auto digits = parse_decimal(fmt::format("{:.12g}", time));
  return digits ? std::clamp(*digits, 0.0, kLongest) : kLongest;  // absurd parameters: infinite
}

}  // namespace

std::optional<collectives::LogGP> tree_times(const Model& model, bool up) {
  const auto loggp = converted(model, LogGP::kName);
  if (!loggp) return {};
  const auto& [L, o_s, o_r, g, G] = std::get<LogGP>(*loggp);
  return collectives::LogGP{
      .L = as_said(o_s + L + o_r), .g = as_said(std::max(g, up ? o_r : o_s)), .G = as_said(G)};
}

collectives::Parameters with_times(const collectives::Algorithm& algorithm,
                                   collectives::Parameters parameters, const Model& model) {
  if (!algorithm.traits.times || parameters.times.all_set()) return parameters;
  const bool up = algorithm.collective == collectives::Collective::gather;
  if (const auto times = tree_times(model, up)) parameters.times = parameters.times.or_else(*times);
  return parameters;
}

const Model& model_of_trees(const Platform& platform, const collectives::Facts& facts) noexcept {
  const bool wire = facts.nodes > 1 || facts.wire_within;
  return wire || !platform.within ? platform.between : *platform.within;
}

collectives::Choice with_times(collectives::Choice choice, const Platform& platform,
                               const collectives::Facts& facts) {
  choice.parameters =
      with_times(*choice.algorithm, choice.parameters, model_of_trees(platform, facts));
  return choice;
}

}  // namespace tutti::models
