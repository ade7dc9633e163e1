// Assumptions of the papers' formulas, each with its condition. The letters are those of a
// message as the call sends it, a segment if it is cut: g(m) is g + (m-1)G in LogGP.
#pragma once

#include <bit>
#include <cmath>
#include <optional>

#include "models/papers/closed_forms.hpp"

namespace tutti::models {

// The letters of LogGP, of which LogP lacks G. nullopt: it is neither model.
inline std::optional<LogGP> logp_or_loggp(const Model& model) noexcept {
  if (const auto* const q = std::get_if<LogP>(&model))
    return LogGP{.L = q->L, .o_s = q->o_s, .o_r = q->o_r, .g = q->g, .G = 0};
  if (const auto* const q = std::get_if<LogGP>(&model)) return *q;
  return {};
}

// `time`, where `condition` holds of what is asked.
template <auto condition, auto time>
std::optional<double> where(const Model& model, const Asked& a) {
  return condition(a) ? time(model, a) : std::optional<double>();
}

}  // namespace tutti::models

namespace tutti::models::assumed {

inline Costs costs(const Model& model, const Asked& a) noexcept {
  return costs_of(model, a.longest());
}
inline double combining(const Asked& a) noexcept {
  return a.reduce_per_byte * static_cast<double>(a.longest());
}
// Numbers that are equal but for rounding are not less.
inline bool not_less(double a, double b) noexcept { return a >= b * (1 - 1e-12); }

inline constexpr Assumption kWholeSegments{
    "n_s m_s = m, no segment is shorter",
    [](const Model&, const Asked& a) { return a.segments() == 1 || a.bytes % a.segment == 0; }};
inline constexpr Assumption kGapNotLess{"g >= o", [](const Model& model, const Asked&) {
                                          const Costs c = costs_of(model, 1);
                                          return not_less(c.gap, (c.send + c.receive) / 2);
                                        }};
inline constexpr Assumption kGapCoversSend{"g(m) >= o_s", [](const Model& model, const Asked& a) {
                                             const Costs c = costs(model, a);
                                             return not_less(c.gap, c.send);
                                           }};
inline constexpr Assumption kGapCoversEither{
    "g(m) >= o_s, o_r", [](const Model& model, const Asked& a) {
      const Costs c = costs(model, a);
      return not_less(c.gap, c.send) && not_less(c.gap, c.receive);
    }};
inline constexpr Assumption kGapCoversBoth{"g(m) >= o_s + o_r",
                                           [](const Model& model, const Asked& a) {
                                             const Costs c = costs(model, a);
                                             return not_less(c.gap, c.send + c.receive);
                                           }};
// With what combining takes.
inline constexpr Assumption kGapCoversCombining{
    "g(m) >= o_s + o_r + c·m", [](const Model& model, const Asked& a) {
      const Costs c = costs(model, a);
      return not_less(c.gap, c.send + c.receive + combining(a));
    }};
// The steps that wait for a send do not hold up the next one: g >= o_s in LogGP.
inline constexpr Assumption kSendsInGaps{"g(m) is not less than a send takes",
                                         [](const Model& model, const Asked& a) {
                                           const Costs c = costs(model, a);
                                           return not_less(c.gap, c.held);
                                         }};
// A port is free again when the message has arrived. Less for rounding, and because LogfP has a
// burst where it is equal.
inline constexpr Assumption kGapWithinWay{"g < o_s + L + o_r",
                                          [](const Model& model, const Asked& a) {
                                            const Costs c = costs(model, a);
                                            return c.gap < c.send + c.flight + c.receive;
                                          }};
// A rank that sends and receives at once has time for both. (PLogP's overheads may overlap.)
inline constexpr Assumption kOverheadsWithinWay{
    "o_s + o_r <= T(m)", [](const Model& model, const Asked& a) {
      const Costs c = costs(model, a);
      return not_less(c.send + c.flight + c.receive, c.send + c.receive);
    }};
// Messages arrive o_s + L + (s−1)G after the start of a send, one in each gap.
inline constexpr Assumption kReceivesInGaps{
    "that each reception ends within the gap in which it begins",
    [](const Model& model, const Asked& a) {
      const Costs c = costs(model, a);
      if (a.P == 2) return true;
      if (!not_less(c.gap, c.send + c.receive)) return false;
      const double arrives = c.send + c.flight;
      return arrives >= (a.P - 2) * c.gap || std::fmod(arrives, c.gap) + c.receive <= c.gap;
    }};
inline constexpr Assumption kWholeHalves{
    "both halves of the message are as long, in whole segments", [](const Model&, const Asked& a) {
      return a.bytes % (a.segments() == 1 ? 2 : 2 * a.segment) == 0;
    }};
inline constexpr Assumption kDivides{
    "P divides m", [](const Model&, const Asked& a) { return a.bytes % a.P == 0; }};

inline constexpr Assumption kPowerOfTwo{"P is a power of two", [](const Model&, const Asked& a) {
                                          return std::has_single_bit(static_cast<unsigned>(a.P));
                                        }};
inline constexpr Assumption kFullTree{"a full binary tree, P + 1 is a power of two",
                                      [](const Model&, const Asked& a) {
                                        return std::has_single_bit(static_cast<unsigned>(a.P + 1));
                                      }};
inline constexpr Assumption kUncut{"n_s = 1",
                                   [](const Model&, const Asked& a) { return a.segments() == 1; }};

}  // namespace tutti::models::assumed
