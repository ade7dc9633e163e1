// The letters of IB chapter 5, and how a formula in them becomes a function of a model and a call.
// A scatter's or an allgather's block has s bytes. IB prints n(s−1)G for n blocks, which are one
// message of ns bytes; the formulas are as printed where they are not said to be corrected.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/index.hpp"
#include "collectives/algorithms/trees.hpp"
#include "models/papers/closed_forms_assumptions.hpp"

namespace tutti::models::ib {

using collectives::Collective;
using Time = std::optional<double>;

struct LogGPs {
  double L, o_s, o_r, g, G, sG;  // (s−1)G
  int P, k;
  double s;
  double way() const { return o_s + L + o_r; }
  // n blocks in so many messages, each of which has a byte without G.
  double bytes(double n, double messages) const { return (n * s - messages) * G; }
};

template <auto formula>
Time loggp(const Model& model, const Asked& a) {
  const auto q = logp_or_loggp(model);
  if (!q || a.P < 2 || a.bytes < 1 || a.segments() != 1) return {};
  return formula(LogGPs{q->L, q->o_s, q->o_r, q->g, q->G, static_cast<double>(a.bytes - 1) * q->G,
                        a.P, a.k, static_cast<double>(a.bytes)});
}

template <auto formula>
Time logfp(const Model& model, const Asked& a) {
  const auto* const q = std::get_if<LogfP>(&model);
  if (!q || a.P < 2) return {};
  return formula(*q, a);
}

inline constexpr auto kPower = [](const Asked& a) {
  return a.k == 1 && std::has_single_bit(static_cast<unsigned>(a.P));
};
inline constexpr auto kPowerOfK = [](const Asked& a) {
  int P = 1;
  while (P < a.P) P *= a.k + 1;
  return P == a.P;
};
inline constexpr auto kNoK = [](const Asked& a) { return a.k == 1; };
inline int rounds(int P, int k) { return collectives::rounds_to_reach(P, k + 1); }

inline constexpr Assumption kPowerOfNext{"P is a power of k+1",
                                         [](const Model&, const Asked& a) { return kPowerOfK(a); }};

inline constexpr auto kSplitting = [](LogGPs q) {
  return rounds(q.P, 1) * q.way() + (q.P - 1) * q.sG;
};

inline constexpr auto kRoundsOfOne = [](const LogfP& q, const Asked& a) {
  return rounds(a.P, 1) * (q.o_s(1) + q.L + q.o_r(1));
};

inline constexpr Assumption kOverheadFalls{
    "o_s_min <= o_s_max, o_r_min <= o_r_max", [](const Model& model, const Asked&) {
      const auto& q = std::get<LogfP>(model);
      return q.o_s_min <= q.o_s_max && q.o_r_min <= q.o_r_max;
    }};

inline constexpr std::string_view kShort =
    "n blocks are one message of ns bytes, so its G counts ns - 1 times; the print has n(s-1)";

std::span<const ClosedForm> scatters_and_gathers() noexcept;  // 5.1 and 5.2
std::span<const ClosedForm> allgathers() noexcept;            // 5.3

}  // namespace tutti::models::ib
