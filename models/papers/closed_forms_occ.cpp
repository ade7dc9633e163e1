// OCC tables 1 and 2.
#include <algorithm>

#include "models/papers/closed_forms_occ.hpp"

namespace tutti::models::occ {
namespace {

using namespace assumed;

constexpr std::string_view kT1 = "OCC table 1", kT2 = "OCC table 2";
constexpr std::string_view kFewerRanks =
    "the tree is not full: its last ranks hear later than those of the lowest level would";
constexpr std::string_view kAllSegmentsFirst =
    "worst case: a rank hands on the first segment when it has all of them";

constexpr auto kBinomialLogGP = [](LogGPs q) {
  return ceil_log2(q.P) * (q.L + 2 * q.o + q.mG + (q.n_s - 1) * (q.g + q.mG));
};
constexpr auto kBinomialPLogP = [](PLogPs q) { return ceil_log2(q.P) * (q.L + q.n_s * q.g); };
constexpr auto kBinaryPLogP = [](PLogPs q) {
  return (levels(q.P) - 1) * (q.L + 2 * q.g) + (q.n_s - 1) * std::max(2 * q.g, q.o_r + q.g + q.o_s);
};

const ClosedForm kBarriersAndBroadcasts[] = {
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
    {kT1,
     kBarrier,
     "double-ring",
     "2P(L+o+g)",
     loggp<[](LogGPs q) { return 2 * q.P * (q.L + q.o + q.g); }>,
     kNotAbove,
     kOverheadForGap,
     {&kGapNotLess}},
    {kT1, kBarrier, "double-ring", "2P(L+g)", plogp<[](PLogPs q) { return 2 * q.P * (q.L + q.g); }>,
     kEqual, ""},
    {kT1, kBarrier, "recursive-doubling", "log2(P)·a, or (floor(log2 P) + 2)a",
     hockney<[](Hockneys q) { return doubling_rounds(q.P) * q.alpha; }>, kEqual, ""},
    {kT1,
     kBarrier,
     "recursive-doubling",
     "log2(P)(L+o+g), or (floor(log2 P) + 2)(L+o+g)",
     loggp<[](LogGPs q) { return doubling_rounds(q.P) * (q.L + q.o + q.g); }>,
     kNotAbove,
     kOverheadForGap,
     {&kGapNotLess}},
    {kT1,
     kBarrier,
     "recursive-doubling",
     "log2(P)(L+g), or (floor(log2 P) + 2)(L+g)",
     plogp<[](PLogPs q) { return doubling_rounds(q.P) * (q.L + q.g); }>,
     kNotAbove,
     "equal for powers of two; else those who help no other begin at once, and their messages are "
     "there before they are needed",
     {&kOverheadsWithinWay}},
    {kT1, kBarrier, "dissemination", "ceil(log2 P)·a",
     hockney<[](Hockneys q) { return ceil_log2(q.P) * q.alpha; }>, kEqual, ""},
    {kT1,
     kBarrier,
     "dissemination",
     "ceil(log2 P)(L+o+g)",
     loggp<[](LogGPs q) { return ceil_log2(q.P) * (q.L + q.o + q.g); }>,
     kNotAbove,
     kOverheadForGap,
     {&kGapNotLess}},
    {kT1,
     kBarrier,
     "dissemination",
     "ceil(log2 P)(L+g)",
     plogp<[](PLogPs q) { return ceil_log2(q.P) * (q.L + q.g); }>,
     kEqual,
     "",
     {&kOverheadsWithinWay}},

    {kT2,
     kBcast,
     "linear",
     "n_s(P-1)(a + b·m_s)",
     hockney<[](Hockneys q) { return q.n_s * (q.P - 1) * q.T; }>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kT2,
     kBcast,
     "linear",
     "L + 2o - g + n_s(P-1)((m_s-1)G + g)",
     loggp<[](LogGPs q) { return q.L + 2 * q.o - q.g + q.n_s * (q.P - 1) * (q.mG + q.g); }>,
     kEqual,
     "",
     {&kWholeSegments, &kGapCoversEither}},
    {kT2,
     kBcast,
     "linear",
     "L + n_s(P-1)g(m_s)",
     plogp<[](PLogPs q) { return q.L + q.n_s * (q.P - 1) * q.g; }>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kT2,
     kBcast,
     "chain",
     "(P+n_s-2)(a + b·m_s)",
     hockney<[](Hockneys q) { return (q.P + q.n_s - 2) * q.T; }>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kT2,
     kBcast,
     "chain",
     "(P-1)(L + 2o + (m_s-1)G) + (n_s-1)(g + (m_s-1)G)",
     loggp<[](LogGPs q) {
       return (q.P - 1) * (q.L + 2 * q.o + q.mG) + (q.n_s - 1) * (q.g + q.mG);
     }>,
     kNotBelow,
     "best case: the gap of a segment covers both overheads of the ranks in between; else the "
     "processor is the bottleneck",
     {&kWholeSegments}},
    {kT2,
     kBcast,
     "chain",
     "(P-1)(L + g(m_s)) + (n_s-1)g(m_s)",
     plogp<[](PLogPs q) { return (q.P - 1) * (q.L + q.g) + (q.n_s - 1) * q.g; }>,
     kNotBelow,
     "best case: g(m_s) covers o_s + o_r; else the processor is the bottleneck",
     {&kWholeSegments}},
    {kT2,
     kBcast,
     "binomial",
     "ceil(log2 P)·n_s(a + b·m_s)",
     hockney<[](Hockneys q) { return ceil_log2(q.P) * q.n_s * q.T; }>,
     kEqual,
     "",
     {&kWholeSegments},
     kNotAbove},
    {kT2,
     kBcast,
     "binomial",
     "ceil(log2 P)(L + 2o + (m_s-1)G + (n_s-1)(g + (m_s-1)G)), n_s = 1",
     where<kWhole, loggp<kBinomialLogGP>>,
     kEqual,
     kFewerRanks,
     {&kGapWithinWay, &kPowerOfTwo}},
    {kT2,
     kBcast,
     "binomial",
     "ceil(log2 P)(L + n_s·g(m_s)), n_s = 1",
     where<kWhole, plogp<kBinomialPLogP>>,
     kEqual,
     kFewerRanks,
     {&kPowerOfTwo},
     kNotAbove},
    {kT2,
     kBcast,
     "binomial",
     "ceil(log2 P)(L + 2o + (m_s-1)G + (n_s-1)(g + (m_s-1)G)), n_s > 1",
     where<kCut, loggp<kBinomialLogGP>>,
     kNotAbove,
     kAllSegmentsFirst,
     {&kGapCoversBoth, &kGapWithinWay}},
    {kT2,
     kBcast,
     "binomial",
     "ceil(log2 P)(L + n_s·g(m_s)), n_s > 1",
     where<kCut, plogp<kBinomialPLogP>>,
     kNotAbove,
     kAllSegmentsFirst,
     {&kGapCoversBoth}},
    {kT2,
     kBcast,
     "binary",
     "(ceil(log2(P+1)) + n_s - 2)(2a + b·m_s)",
     hockney<[](Hockneys q) { return (levels(q.P) + q.n_s - 2) * (q.T + q.alpha); }>,
     kNotBelow,
     "wrong: the messages to the second child have m_s bytes, too: 2(a + b·m_s)",
     {&kWholeSegments, &kFullTree}},
    {kT2,
     kBcast,
     "binary",
     "(ceil(log2(P+1)) - 1)(L + 2(o + (m_s-1)G + g)) + 2((m_s-1)G + g)",
     loggp<[](LogGPs q) {
       return (levels(q.P) - 1) * (q.L + 2 * (q.o + q.mG + q.g)) + 2 * (q.mG + q.g);
     }>,
     kNotAbove,
     "garbled: the last term has lost its factor n_s - 1, and a level takes one gap, not two",
     {&kUncut, &kGapCoversSend}},
    {kT2, kBcast, "binary",
     "(ceil(log2(P+1)) - 1)(L + 2(o + (m_s-1)G + g)) + 2(n_s-1)((m_s-1)G + g)", loggp<[](LogGPs q) {
       return (levels(q.P) - 1) * (q.L + 2 * (q.o + q.mG + q.g)) + 2 * (q.n_s - 1) * (q.mG + q.g);
     }>,
     kApart,
     "the print, with the factor n_s - 1 that it has lost; a level takes one gap, not two, and a "
     "processor that takes longer over one reception and two sends than the port holds up the "
     "segments"},
    {kT2,
     kBcast,
     "binary",
     "(ceil(log2(P+1)) - 1)(L + 2g(m_s)) + (n_s-1)max{2g, o_r + g + o_s}, n_s = 1",
     where<kWhole, plogp<kBinaryPLogP>>,
     kEqual,
     kFewerRanks,
     {&kFullTree},
     kNotAbove},
    {kT2,
     kBcast,
     "binary",
     "(ceil(log2(P+1)) - 1)(L + 2g(m_s)) + (n_s-1)max{2g, o_r + g + o_s}, n_s > 1",
     where<kCut, plogp<kBinaryPLogP>>,
     kNotAbove,
     "worst case: the root, which receives nothing, is never held up by o_r",
     {&kWholeSegments, &kGapCoversBoth}},
    {kT2,
     kBcast,
     "splitted-binary",
     "(ceil(log2(P+1)) + ceil(n_s/2) - 2)(2a + b·m_s) + a + b·m_s/2",
     hockney<[](Hockneys q) {
       return (levels(q.P) + half_of(q.n_s) - 2) * (q.T + q.alpha) + q.half;
     }>,
     kNotBelow,
     "equal for n_s = 1; else a segment of m_s bytes goes to either child, and what is exchanged "
     "at the end is half of the message, not of a segment",
     {&kWholeHalves, &kFullTree}},
    {kT2, kBcast, "splitted-binary",
     "2(ceil(n_s/2) - 1)(L + g + 2(o + (m_s-1)G)) + (ceil(log2(P+1)) - 1)(g + (m_s-1)G) + L + 2o + "
     "(m_s/2 - 1)G",
     loggp<[](LogGPs q) {
       return 2 * (half_of(q.n_s) - 1) * (q.L + q.g + 2 * (q.o + q.mG)) +
              (levels(q.P) - 1) * (q.g + q.mG) + q.L + 2 * q.o + q.half;
     }>,
     kApart,
     "garbled: the factors of the first two terms have changed places, as the line of binary "
     "shows"},
    {kT2, kBcast, "splitted-binary",
     "(ceil(log2(P+1)) - 1)(L + g + 2(o + (m_s-1)G)) + 2(ceil(n_s/2) - 1)(g + (m_s-1)G) + L + 2o + "
     "(m_s/2 - 1)G",
     loggp<[](LogGPs q) {
       return (levels(q.P) - 1) * (q.L + q.g + 2 * (q.o + q.mG)) +
              2 * (half_of(q.n_s) - 1) * (q.g + q.mG) + q.L + 2 * q.o + q.half;
     }>,
     kApart,
     "the print, with its factors in their places; it leaves out that inner ranks send three "
     "messages a segment, the third to their partner"},
    {kT2, kBcast, "splitted-binary",
     "(ceil(log2(P+1)) - 1)(L + 2g(m_s)) + (n_s/2 - 1)max{2g, o_r + g + o_s}", plogp<[](PLogPs q) {
       return (levels(q.P) - 1) * (q.L + 2 * q.g) +
              (q.n_s / 2 - 1) * std::max(2 * q.g, q.o_r + q.g + q.o_s);
     }>,
     kApart, "leaves out the exchange of halves at the end"},
};

}  // namespace

std::span<const ClosedForm> barriers_and_broadcasts() noexcept { return kBarriersAndBroadcasts; }

}  // namespace tutti::models::occ
