// OCC tables 1 to 4. Their formulas with one overhead o are read with the mean of o_s and o_r.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/closed_forms.hpp"

namespace tutti::models {
namespace {

using collectives::Collective;
using Time = std::optional<double>;

int ceil_log2(int P) noexcept { return std::bit_width(static_cast<unsigned>(P - 1)); }
int floor_log2(int P) noexcept { return std::bit_width(static_cast<unsigned>(P)) - 1; }
bool is_power(int P) noexcept { return std::has_single_bit(static_cast<unsigned>(P)); }
// ⌈log2(P+1)⌉ levels of a binary tree.
int levels(int P) noexcept { return ceil_log2(P + 1); }
int doubling_rounds(int P) noexcept { return floor_log2(P) + (is_power(P) ? 0 : 2); }

// The letters of the tables: of a segment, unless they say otherwise.
struct Hockneys {
  double alpha, T, gamma, n_s;  // T = α + β·m_s; γ·m_s
  int P;
};
struct LogGPs {
  double L, o, g, mG, gamma, n_s;  // (m_s − 1)G
  int P;
};
struct PLogPs {
  double L, o_s, o_r, g, gamma, n_s;
  int P;
};

template <auto formula>
Time hockney(const Model& model, const Asked& a) {
  const auto* const q = std::get_if<Hockney>(&model);
  if (!q || a.P < 2 || a.k != 1) return {};
  const Bytes m = a.longest();
  return formula(Hockneys{q->alpha(m), q->alpha(m) + q->beta(m) * static_cast<double>(m),
                          a.reduce_per_byte * static_cast<double>(m), a.segments(), a.P});
}

template <auto formula>
Time loggp(const Model& model, const Asked& a) {
  LogGP q;
  if (const auto* const logp = std::get_if<LogP>(&model))
    q = {logp->L, logp->o_s, logp->o_r, logp->g, 0};
  else if (const auto* const given = std::get_if<LogGP>(&model))
    q = *given;
  else
    return {};
  if (a.P < 2 || a.k != 1) return {};
  const auto m = static_cast<double>(a.longest());
  return formula(LogGPs{q.L, (q.o_s + q.o_r) / 2, q.g, m > 1 ? (m - 1) * q.G : 0,
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

// `time`, where `condition` holds of what is asked.
template <auto condition, auto time>
Time where(const Model& model, const Asked& a) {
  return condition(a) ? time(model, a) : Time{};
}
constexpr auto kWhole = [](const Asked& a) { return a.segments() == 1; };
constexpr auto kCut = [](const Asked& a) { return a.segments() > 1; };
constexpr auto kPowerWhole = [](const Asked& a) { return is_power(a.P) && a.segments() == 1; };
constexpr auto kFull = [](const Asked& a) { return is_power(a.P + 1) && a.segments() == 1; };

constexpr Claim kEqual = Claim::equal, kNotAbove = Claim::not_above, kNotBelow = Claim::not_below,
                kApart = Claim::apart;
constexpr Collective kBarrier = Collective::barrier, kBcast = Collective::bcast,
                     kReduce = Collective::reduce, kAlltoall = Collective::alltoall;

constexpr std::string_view kT1 = "OCC table 1", kT2 = "OCC table 2", kT3 = "OCC table 3",
                           kT4 = "OCC table 4";
constexpr std::string_view kOverheadForGap =
    "wrong: a rank that has received may send at once, since g separates sends from sends; the "
    "print puts g in place of the receiver's o";

const ClosedForm kForms[] = {
    {kT1, kBarrier, "flat-tree", "(P-1)a", hockney<[](Hockneys q) { return (q.P - 1) * q.alpha; }>,
     kNotBelow,
     "wrong: by the paper's own text P·a, a reception and P-1 sends; a port that carries one "
     "message at a time takes 2(P-1)a"},
    {kT1, kBarrier, "flat-tree", "T_min = (P-2)g + 2(L+2o)",
     loggp<[](LogGPs q) { return (q.P - 2) * q.g + 2 * (q.L + 2 * q.o); }>, kNotBelow,
     "best case: the root receives all messages in the time of one"},
    {kT1, kBarrier, "flat-tree", "T_max = (P-2)(g+o) + 2(L+2o)",
     loggp<[](LogGPs q) { return (q.P - 2) * (q.g + q.o) + 2 * (q.L + 2 * q.o); }>, kNotBelow,
     "the root receives a message every o; LogP's g separates receptions, too"},
    {kT1, kBarrier, "flat-tree", "T_min = P·g + 2L",
     plogp<[](PLogPs q) { return q.P * q.g + 2 * q.L; }>, kNotBelow,
     "best case: the root receives all messages in the time of one"},
    {kT1, kBarrier, "flat-tree", "T_max = P(g+o_r) + 2(L-o_r)",
     plogp<[](PLogPs q) { return q.P * (q.g + q.o_r) + 2 * (q.L - q.o_r); }>, kNotBelow,
     "the root receives a message every o_r; PLogP's g separates receptions, too"},
    {kT1, kBarrier, "double-ring", "2P·a", hockney<[](Hockneys q) { return 2 * q.P * q.alpha; }>,
     kEqual, ""},
    {kT1, kBarrier, "double-ring", "2P(L+o+g)",
     loggp<[](LogGPs q) { return 2 * q.P * (q.L + q.o + q.g); }>, kNotAbove, kOverheadForGap},
    {kT1, kBarrier, "double-ring", "2P(L+g)", plogp<[](PLogPs q) { return 2 * q.P * (q.L + q.g); }>,
     kEqual, ""},
    {kT1, kBarrier, "recursive-doubling", "log2(P)·a, or (floor(log2 P) + 2)a",
     hockney<[](Hockneys q) { return doubling_rounds(q.P) * q.alpha; }>, kEqual, ""},
    {kT1, kBarrier, "recursive-doubling", "log2(P)(L+o+g), or (floor(log2 P) + 2)(L+o+g)",
     loggp<[](LogGPs q) { return doubling_rounds(q.P) * (q.L + q.o + q.g); }>, kNotAbove,
     kOverheadForGap},
    {kT1, kBarrier, "recursive-doubling", "log2(P)(L+g), or (floor(log2 P) + 2)(L+g)",
     plogp<[](PLogPs q) { return doubling_rounds(q.P) * (q.L + q.g); }>, kNotAbove,
     "equal for powers of two; else those who help no other begin at once, and their messages are "
     "there before they are needed"},
    {kT1, kBarrier, "dissemination", "ceil(log2 P)·a",
     hockney<[](Hockneys q) { return ceil_log2(q.P) * q.alpha; }>, kEqual, ""},
    {kT1, kBarrier, "dissemination", "ceil(log2 P)(L+o+g)",
     loggp<[](LogGPs q) { return ceil_log2(q.P) * (q.L + q.o + q.g); }>, kNotAbove,
     kOverheadForGap},
    {kT1, kBarrier, "dissemination", "ceil(log2 P)(L+g)",
     plogp<[](PLogPs q) { return ceil_log2(q.P) * (q.L + q.g); }>, kEqual, ""},

    {kT2, kBcast, "linear", "n_s(P-1)(a + b·m_s)",
     hockney<[](Hockneys q) { return q.n_s * (q.P - 1) * q.T; }>, kEqual, ""},
    {kT2, kBcast, "linear", "L + 2o - g + n_s(P-1)((m_s-1)G + g)",
     loggp<[](LogGPs q) { return q.L + 2 * q.o - q.g + q.n_s * (q.P - 1) * (q.mG + q.g); }>, kEqual,
     ""},
    {kT2, kBcast, "linear", "L + n_s(P-1)g(m_s)",
     plogp<[](PLogPs q) { return q.L + q.n_s * (q.P - 1) * q.g; }>, kEqual, ""},
    {kT2, kBcast, "chain", "(P+n_s-2)(a + b·m_s)",
     hockney<[](Hockneys q) { return (q.P + q.n_s - 2) * q.T; }>, kEqual, ""},
    {kT2, kBcast, "chain", "(P-1)(L + 2o + (m_s-1)G) + (n_s-1)(g + (m_s-1)G)", loggp<[](LogGPs q) {
       return (q.P - 1) * (q.L + 2 * q.o + q.mG) + (q.n_s - 1) * (q.g + q.mG);
     }>,
     kNotBelow,
     "best case: the gap of a segment covers both overheads of the ranks in between; else the "
     "processor is the bottleneck"},
    {kT2, kBcast, "chain", "(P-1)(L + g(m_s)) + (n_s-1)g(m_s)",
     plogp<[](PLogPs q) { return (q.P - 1) * (q.L + q.g) + (q.n_s - 1) * q.g; }>, kNotBelow,
     "best case: g(m_s) covers o_s + o_r; else the processor is the bottleneck"},
    {kT2, kBcast, "binomial", "ceil(log2 P)·n_s(a + b·m_s), P a power of two, n_s = 1",
     where<kPowerWhole, hockney<[](Hockneys q) { return ceil_log2(q.P) * q.n_s * q.T; }>>, kEqual,
     ""},
    {kT2, kBcast, "binomial",
     "ceil(log2 P)(L + 2o + (m_s-1)G + (n_s-1)(g + (m_s-1)G)), P a power of two, n_s = 1",
     where<kPowerWhole, loggp<[](LogGPs q) {
             return ceil_log2(q.P) * (q.L + 2 * q.o + q.mG + (q.n_s - 1) * (q.g + q.mG));
           }>>,
     kEqual, ""},
    {kT2, kBcast, "binomial", "ceil(log2 P)(L + n_s·g(m_s)), P a power of two, n_s = 1",
     where<kPowerWhole, plogp<[](PLogPs q) { return ceil_log2(q.P) * (q.L + q.n_s * q.g); }>>,
     kEqual, ""},
    {kT2, kBcast, "binomial", "ceil(log2 P)(L + 2o + (m_s-1)G + (n_s-1)(g + (m_s-1)G)), n_s > 1",
     where<kCut, loggp<[](LogGPs q) {
             return ceil_log2(q.P) * (q.L + 2 * q.o + q.mG + (q.n_s - 1) * (q.g + q.mG));
           }>>,
     kNotAbove, "worst case: a rank hands on the first segment when it has all of them"},
    {kT2, kBcast, "binomial", "ceil(log2 P)(L + n_s·g(m_s)), n_s > 1",
     where<kCut, plogp<[](PLogPs q) { return ceil_log2(q.P) * (q.L + q.n_s * q.g); }>>, kNotAbove,
     "worst case: a rank hands on the first segment when it has all of them"},
    {kT2, kBcast, "binary", "(ceil(log2(P+1)) + n_s - 2)(2a + b·m_s), P+1 a power of two, n_s = 1",
     where<kFull, hockney<[](Hockneys q) { return (levels(q.P) + q.n_s - 2) * (q.T + q.alpha); }>>,
     kNotBelow, "wrong: the message to the second child has m_s bytes, too: 2(a + b·m_s)"},
    {kT2, kBcast, "binary",
     "(ceil(log2(P+1)) - 1)(L + 2(o + (m_s-1)G + g)) + 2((m_s-1)G + g), n_s = 1",
     where<kFull, loggp<[](LogGPs q) {
             return (levels(q.P) - 1) * (q.L + 2 * (q.o + q.mG + q.g)) + 2 * (q.mG + q.g);
           }>>,
     kNotAbove,
     "garbled: the last term has lost its factor n_s - 1, and a level takes one gap, not two"},
    {kT2, kBcast, "binary",
     "(ceil(log2(P+1)) - 1)(L + 2g(m_s)) + (n_s-1)max{2g, o_r + g + o_s}, n_s = 1",
     where<kFull, plogp<[](PLogPs q) {
             return (levels(q.P) - 1) * (q.L + 2 * q.g) +
                    (q.n_s - 1) * std::max(2 * q.g, q.o_r + q.g + q.o_s);
           }>>,
     kEqual, ""},

    {kT3, kReduce, "linear", "n_s(P-1)(a + b·m_s + c·m_s)",
     hockney<[](Hockneys q) { return q.n_s * (q.P - 1) * (q.T + q.gamma); }>, kNotAbove,
     "worst case: here the root combines a message while the next one arrives"},
    {kT3, kReduce, "linear", "o + (m_s-1)G + L + n_s·max{g, (P-1)(o + (m_s-1)G + c·m_s)}",
     loggp<[](LogGPs q) {
       return q.o + q.mG + q.L + q.n_s * std::max(q.g, (q.P - 1) * (q.o + q.mG + q.gamma));
     }>,
     kApart,
     "garbled: P-1 belongs before the max, as in PLogP's line; and the bytes of the first message "
     "count twice"},
    {kT3, kReduce, "linear", "L + (P-1)n_s·max{g(m_s), o_r(m_s) + c·m_s}",
     plogp<[](PLogPs q) { return q.L + (q.P - 1) * q.n_s * std::max(q.g, q.o_r + q.gamma); }>,
     kNotBelow, "leaves out the first message's way up to the root's processor, o_r and g apart"},
    {kT3, kReduce, "chain", "(P+n_s-2)(a + b·m_s + c·m_s)",
     hockney<[](Hockneys q) { return (q.P + q.n_s - 2) * (q.T + q.gamma); }>, kNotAbove,
     "worst case: here a rank combines a segment while the next one arrives"},
    {kT3, kReduce, "chain", "(P-1)(L + 2o + (m_s-1)G + c·m_s), n_s = 1",
     where<kWhole, loggp<[](LogGPs q) { return (q.P - 1) * (q.L + 2 * q.o + q.mG + q.gamma); }>>,
     kEqual, ""},
    {kT3, kReduce, "chain",
     "(P-1)(L + 2o + (m_s-1)G + c·m_s) + (n_s-1)max{g, 2o + (m_s-1)G + c·m_s}, n_s > 1",
     where<kCut, loggp<[](LogGPs q) {
             return (q.P - 1) * (q.L + 2 * q.o + q.mG + q.gamma) +
                    (q.n_s - 1) * std::max(q.g, 2 * q.o + q.mG + q.gamma);
           }>>,
     kApart,
     "wrong: the bytes belong to the gap, max{g + (m_s-1)G, 2o + c·m_s}: the port passes a segment "
     "while the processor works on another"},
    {kT3, kReduce, "binomial", "ceil(log2 P)·n_s(a + b·m_s + c·m_s)",
     hockney<[](Hockneys q) { return q.n_s * ceil_log2(q.P) * (q.T + q.gamma); }>, kNotAbove,
     "worst case: here a rank combines a message while the next one arrives"},
    {kT3, kReduce, "binomial", "ceil(log2 P)(o + L + n_s((m_s-1)G + max{g, o + c·m_s})), n_s = 1",
     where<kPowerWhole, loggp<[](LogGPs q) {
             return ceil_log2(q.P) * (q.o + q.L + q.n_s * (q.mG + std::max(q.g, q.o + q.gamma)));
           }>>,
     kNotAbove,
     "worst case: a rank's messages come a round apart, so that g does not hold them up"},
    {kT3, kReduce, "binomial",
     "ceil(log2 P)(L + n_s·max{g(m_s), o_r(m_s) + c·m_s + o_s(m_s)}), n_s = 1",
     where<kPowerWhole, plogp<[](PLogPs q) {
             return ceil_log2(q.P) * (q.L + q.n_s * std::max(q.g, q.o_r + q.gamma + q.o_s));
           }>>,
     kApart,
     "wrong: a level takes L + g(m_s), and after that combining; the max is of the interval of "
     "segments"},

    {kT4, kAlltoall, "pairwise", "(P-1)(a + b·m)",
     hockney<[](Hockneys q) { return (q.P - 1) * q.T; }>, kEqual, ""},
    {kT4, kAlltoall, "pairwise", "(P-1)(L + o + (m-1)G + g)",
     loggp<[](LogGPs q) { return (q.P - 1) * (q.L + q.o + q.mG + q.g); }>, kNotAbove,
     kOverheadForGap},
    {kT4, kAlltoall, "pairwise", "(P-1)(L + g(m))",
     plogp<[](PLogPs q) { return (q.P - 1) * (q.L + q.g); }>, kEqual, ""},
};

}  // namespace

std::span<const ClosedForm> occ_forms() noexcept { return kForms; }

}  // namespace tutti::models
