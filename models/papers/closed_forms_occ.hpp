// The letters of OCC's tables, and how a formula in them becomes a function of a model and a call.
// Formulas with one overhead o are read with the mean of o_s and o_r. Corrected formulas stand
// beside the print, for LogGP and PLogP alike where both have a gap of a message, g(m), and its
// way: L + 2o + (m-1)G, and L + g(m).
#pragma once

#include <bit>
#include <cmath>

#include "models/papers/closed_forms_assumptions.hpp"

namespace tutti::models::occ {

using collectives::Collective;
using Time = std::optional<double>;

inline constexpr Collective kBarrier = Collective::barrier, kBcast = Collective::bcast,
                            kReduce = Collective::reduce, kAlltoall = Collective::alltoall;

inline int ceil_log2(int P) noexcept { return std::bit_width(static_cast<unsigned>(P - 1)); }
inline int floor_log2(int P) noexcept { return std::bit_width(static_cast<unsigned>(P)) - 1; }
inline bool is_power(int P) noexcept { return std::has_single_bit(static_cast<unsigned>(P)); }
// ⌈log2(P+1)⌉ levels of a binary tree.
inline int levels(int P) noexcept { return ceil_log2(P + 1); }
inline int doubling_rounds(int P) noexcept { return floor_log2(P) + (is_power(P) ? 0 : 2); }

// The letters of the tables: of a segment, unless they say otherwise.
struct Hockneys {
  double alpha, T, half, gamma, n_s;  // T = α + β·m_s; of half a segment; γ·m_s
  int P;
};
struct LogGPs {
  double L, o, o_s, o_r, g, mG, half, gamma, n_s;  // (m_s − 1)G; (m_s/2 − 1)G
  int P;
  double gap() const { return g + mG; }
  double way() const { return L + o_s + o_r + mG; }  // of one message
};
struct PLogPs {
  double L, o_s, o_r, g, gamma, n_s;
  int P;
  double gap() const { return g; }
  double way() const { return L + g; }
};

template <auto formula>
Time hockney(const Model& model, const Asked& a) {
  const auto* const q = std::get_if<Hockney>(&model);
  if (!q || a.P < 2 || a.k != 1) return {};
  const Bytes m = a.longest();
  return formula(Hockneys{q->alpha(m), time_of(model, m), time_of(model, m / 2),
                          a.reduce_per_byte * static_cast<double>(m), a.segments(), a.P});
}

template <auto formula>
Time loggp(const Model& model, const Asked& a) {
  const auto q = logp_or_loggp(model);
  if (!q || a.P < 2 || a.k != 1) return {};
  const auto m = static_cast<double>(a.longest());
  return formula(LogGPs{q->L, (q->o_s + q->o_r) / 2, q->o_s, q->o_r, q->g,
                        m > 1 ? (m - 1) * q->G : 0, m > 2 ? (m / 2 - 1) * q->G : 0,
                        a.reduce_per_byte * m, a.segments(), a.P});
}

template <auto formula>
Time plogp(const Model& model, const Asked& a) {
  const auto* const q = std::get_if<PLogP>(&model);
  if (!q || a.P < 2 || a.k != 1) return {};
  const Bytes m = a.longest();
  return formula(PLogPs{q->L, q->o_s(m), q->o_r(m), q->g(m),
                        a.reduce_per_byte * static_cast<double>(m), a.segments(), a.P});
}

// Time under LogGP and PLogP, by what both have: T(m) = way(), gap().
template <auto formula>
Time gaps(const Model& model, const Asked& a) {
  constexpr auto both = [](const auto& q) { return formula(q); };
  return std::holds_alternative<PLogP>(model) ? plogp<both>(model, a) : loggp<both>(model, a);
}

inline constexpr auto kWhole = [](const Asked& a) { return a.segments() == 1; };
inline constexpr auto kCut = [](const Asked& a) { return a.segments() > 1; };
inline constexpr auto kPowerWhole = [](const Asked& a) {
  return is_power(a.P) && a.segments() == 1;
};
inline constexpr auto kFullAny = [](const Asked& a) { return is_power(a.P + 1); };
inline constexpr auto kPower = [](const Asked& a) { return is_power(a.P); };

inline double half_of(double n_s) noexcept { return std::ceil(n_s / 2); }

inline constexpr std::string_view kOverheadForGap =
    "wrong: a rank that has received may send at once, since g separates sends from sends; the "
    "print puts g in place of the receiver's o";

std::span<const ClosedForm> barriers_and_broadcasts() noexcept;  // tables 1 and 2
std::span<const ClosedForm> reduces_and_alltoalls() noexcept;    // tables 3 and 4
std::span<const ClosedForm> corrected() noexcept;                // beside those that are not right

}  // namespace tutti::models::occ
