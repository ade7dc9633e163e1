// Through LogGP, which all of these have in common.
#include "models/platform/conversion.hpp"

#include <algorithm>

#include "models/platform/names.hpp"

namespace tutti::models {
namespace {

// Longer messages than anybody sends: there a table of a curve that goes on straight ends.
constexpr Bytes kFar = Bytes{1} << 40;

// TAU table 7.1: L + g(1) − o_s(1) − o_r(1), g(1), and g(m)/m for the longest m that the table has.
LogGP loggp_of(const PLogP& model) {
  const double o_s = model.o_s(1), o_r = model.o_r(1), g = model.g(1);
  const Bytes longest = model.g.points().back().bytes;
  return {.L = std::max(0.0, model.L + g - o_s - o_r),
          .o_s = o_s,
          .o_r = o_r,
          .g = g,
          .G = longest > 1 ? model.g(longest) / static_cast<double>(longest) : 0};
}

std::optional<LogGP> loggp_of(const Model& model) {
  if (const auto* const some = std::get_if<LogP>(&model))
    return LogGP{some->L, some->o_s, some->o_r, some->g, 0};
  if (const auto* const some = std::get_if<LogGP>(&model)) return *some;
  if (const auto* const some = std::get_if<LogGPS>(&model))
    return LogGP{some->L, some->o_s, some->o_r, some->g, some->G};
  // Both processors take O per byte of a message, one after the other.
  if (const auto* const some = std::get_if<LogGPO>(&model))
    return LogGP{some->L, some->o_s, some->o_r, some->g, some->G + 2 * some->O};
  if (const auto* const some = std::get_if<LogfP>(&model))  // a message alone
    return LogGP{some->L, some->o_s_max, some->o_r_max, some->g, 0};
  if (const auto* const some = std::get_if<PLogP>(&model)) return loggp_of(*some);
  return {};
}

// TAU table 7.1 backwards: L − g + o_s + o_r, g + (m−1)G. PLogP's gap covers both overheads, so
// where g does not, it is the greater one of them until the bytes make up for it.
std::optional<Model> plogp_of(const LogGP& model) {
  const double least = std::max({model.g, model.o_s, model.o_r});
  const double L = model.L - least + model.o_s + model.o_r;
  if (L < 0) return {};  // a port holds a message up for longer than all of its way takes
  std::vector<Curve::Point> gap{{1, least}};
  if (model.G > 0) {
    const double until = 1 + std::min((least - model.g) / model.G, static_cast<double>(kFar - 1));
    if (until >= 2 && until < static_cast<double>(kFar - 1))
      gap.push_back({static_cast<Bytes>(until), least});
    gap.push_back({kFar, std::max(least, model.g + static_cast<double>(kFar - 1) * model.G)});
  }
  return PLogP{.L = L, .o_s = model.o_s, .o_r = model.o_r, .g = Curve{std::move(gap)}};
}

// T(m) = α + β·m.
struct Straight {
  double alpha, beta;
};
std::optional<Straight> line_of(const Model& model) {
  if (const auto* const some = std::get_if<SplitHockney>(&model))
    return Straight{some->alpha_s + some->alpha_r, some->beta_s + some->beta_r};
  if (const auto* const some = std::get_if<Hockney>(&model);
      some && some->alpha.constant() && some->beta.constant())
    return Straight{some->alpha(0), some->beta(0)};
  const auto loggp = loggp_of(model);
  if (!loggp) return {};
  // L + o_s + o_r + (m−1)G.
  return Straight{std::max(0.0, loggp->L + loggp->o_s + loggp->o_r - loggp->G), loggp->G};
}

// PLogP's time of a message is a table: L + g(m).
Hockney table_of(const PLogP& model) {
  std::vector<Curve::Point> times = model.g.points();
  for (Curve::Point& point : times) point.value += model.L;
  return {.alpha = Curve{std::move(times)}, .beta = 0};
}

}  // namespace

std::optional<Model> converted(const Model& from, std::string_view to) {
  const Model blank = model_named(to);
  if (from.index() == blank.index()) return from;
  if (std::holds_alternative<Hockney>(blank)) {
    if (const auto* const plogp = std::get_if<PLogP>(&from)) return table_of(*plogp);
    if (const auto line = line_of(from)) return Hockney{line->alpha, line->beta};
    return {};
  }
  if (std::holds_alternative<Piecewise>(blank)) {
    if (std::holds_alternative<PLogP>(from)) return {};
    if (const auto line = line_of(from))
      return Piecewise{.ranges = {{.alpha = line->alpha, .beta = line->beta}}};
    return {};
  }
  const auto loggp = loggp_of(from);
  if (!loggp) return {};
  const auto [L, o_s, o_r, g, G] = *loggp;
  if (std::holds_alternative<PLogP>(blank)) return plogp_of(*loggp);
  if (std::holds_alternative<LogP>(blank)) return LogP{L, o_s, o_r, g};
  if (std::holds_alternative<LogGP>(blank)) return *loggp;
  if (std::holds_alternative<LogGPO>(blank)) return LogGPO{L, o_s, o_r, g, G, 0};
  if (std::holds_alternative<LogfP>(blank)) return LogfP{L, o_s, o_s, o_r, o_r, g, 1};
  return {};
}

}  // namespace tutti::models
