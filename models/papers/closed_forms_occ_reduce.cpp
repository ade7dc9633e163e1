// OCC tables 3 and 4.
#include <algorithm>

#include "models/papers/closed_forms_occ.hpp"

namespace tutti::models::occ {
namespace {

using namespace assumed;

constexpr std::string_view kT3 = "OCC table 3", kT4 = "OCC table 4";

constexpr std::string_view kTextOrder =
    "worst case: ranks send in text order, so that r + 1 waits for r + 1 messages of r; here r "
    "begins with r + 1";
// (P − 1)(n_s·P + 1 − P/2)
double steps(int P, double n_s) noexcept { return (P - 1) * (n_s * P + 1 - P / 2.0); }

const ClosedForm kReducesAndAlltoalls[] = {
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
    {kT3,
     kReduce,
     "linear",
     "L + (P-1)n_s·max{g(m_s), o_r(m_s) + c·m_s}",
     plogp<[](PLogPs q) { return q.L + (q.P - 1) * q.n_s * std::max(q.g, q.o_r + q.gamma); }>,
     kNotBelow,
     "leaves out the first message's way up to the root's processor, o_r and g apart",
     {&kWholeSegments}},
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
    {kT3,
     kReduce,
     "binomial",
     "ceil(log2 P)(o + L + n_s((m_s-1)G + max{g, o + c·m_s}))",
     loggp<[](LogGPs q) {
       return ceil_log2(q.P) * (q.o + q.L + q.n_s * (q.mG + std::max(q.g, q.o + q.gamma)));
     }>,
     kNotAbove,
     "worst case: a rank's messages come a round apart, so that g does not hold them up",
     {&kUncut}},
    {kT3, kReduce, "binomial", "ceil(log2 P)(L + n_s·max{g(m_s), o_r(m_s) + c·m_s + o_s(m_s)})",
     plogp<[](PLogPs q) {
       return ceil_log2(q.P) * (q.L + q.n_s * std::max(q.g, q.o_r + q.gamma + q.o_s));
     }>,
     kApart,
     "wrong: a level takes L + g(m_s), and after that combining; the max is of the interval of "
     "segments"},

    {kT3, kReduce, "chain", "(P-1)(L + max{g, o_r + c·m_s}) + (n_s-1)(max{g, o_r + c·m_s} + o_s)",
     plogp<[](PLogPs q) {
       const double each = std::max(q.g, q.o_r + q.gamma);
       return (q.P - 1) * (q.L + each) + (q.n_s - 1) * (each + q.o_s);
     }>,
     kApart,
     "wrong: a message is there after L + g(m_s), and combining comes after that, not beside it; "
     "segments follow each other by max{g, o_r + c·m_s + o_s}"},
    {kT3,
     kReduce,
     "binary",
     "2(ceil(log2(P+1)) + n_s - 2)(a + b·m_s + c·m_s)",
     hockney<[](Hockneys q) { return 2 * (levels(q.P) + q.n_s - 2) * (q.T + q.gamma); }>,
     kNotAbove,
     "worst case: here a rank combines a message while the next one arrives",
     {&kFullTree}},
    {kT3, kReduce, "binary",
     "(ceil(log2(P+1)) - 1)((L + 3o + (m_s-1)G + 2c·m_s) + (n_s-1)((m_s-1)G + max{g, 3o + "
     "2c·m_s}))",
     loggp<[](LogGPs q) {
       return (levels(q.P) - 1) * (q.L + 3 * q.o + q.mG + 2 * q.gamma +
                                   (q.n_s - 1) * (q.mG + std::max(q.g, 3 * q.o + 2 * q.gamma)));
     }>,
     kApart, "garbled: the segments follow each other once, not at each level"},
    {kT3, kReduce, "binary",
     "(ceil(log2(P+1)) - 1)(L + 2max{g, o_r + c·m_s}) + (n_s-1)(o_s + 2max{g, o_r + c·m_s})",
     plogp<[](PLogPs q) {
       const double each = std::max(q.g, q.o_r + q.gamma);
       return (levels(q.P) - 1) * (q.L + 2 * each) + (q.n_s - 1) * (q.o_s + 2 * each);
     }>,
     kApart, "wrong as that of the chain is"},

    {kT4, kAlltoall, "linear", "P(a + b·m_s) + (P-1)(n_s·P + 1 - P/2)a",
     hockney<[](Hockneys q) { return q.P * q.T + steps(q.P, q.n_s) * q.alpha; }>, kApart,
     "garbled: each of the (P-1)(n_s·P + 1 - P/2) messages takes a + b·m_s; and see below"},
    {kT4,
     kAlltoall,
     "linear",
     "P(L + 2o) + (P-1)(n_s·P + 1 - P/2)(g + (m_s-1)G)",
     loggp<[](LogGPs q) { return q.P * (q.L + 2 * q.o) + steps(q.P, q.n_s) * (q.g + q.mG); }>,
     kNotAbove,
     kTextOrder,
     {&kGapCoversBoth}},
    {kT4,
     kAlltoall,
     "linear",
     "P·L + (P-1)(n_s·P + 1 - P/2)g(m_s)",
     plogp<[](PLogPs q) { return q.P * q.L + steps(q.P, q.n_s) * q.g; }>,
     kNotAbove,
     kTextOrder,
     {&kGapCoversBoth}},
    {kT4, kAlltoall, "pairwise", "(P-1)(a + b·m)",
     hockney<[](Hockneys q) { return (q.P - 1) * q.T; }>, kEqual, ""},
    {kT4,
     kAlltoall,
     "pairwise",
     "(P-1)(L + o + (m-1)G + g)",
     loggp<[](LogGPs q) { return (q.P - 1) * (q.L + q.o + q.mG + q.g); }>,
     kNotAbove,
     kOverheadForGap,
     {&kGapNotLess}},
    {kT4,
     kAlltoall,
     "pairwise",
     "(P-1)(L + g(m))",
     plogp<[](PLogPs q) { return (q.P - 1) * (q.L + q.g); }>,
     kEqual,
     "",
     {&kOverheadsWithinWay}},
};

}  // namespace

std::span<const ClosedForm> reduces_and_alltoalls() noexcept { return kReducesAndAlltoalls; }

}  // namespace tutti::models::occ
