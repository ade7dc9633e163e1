// Formulas of OCC's tables whose print is garbled, or says only a bound: derived from what a
// port and a processor do (models/platform/costs.hpp).
#include <algorithm>

#include "models/papers/closed_forms_occ.hpp"

namespace tutti::models::occ {
namespace {

using namespace assumed;

constexpr std::string_view kCorrected1 = "OCC table 1, corrected",
                           kCorrected2 = "OCC table 2, corrected",
                           kCorrected3 = "OCC table 3, corrected",
                           kCorrected4 = "OCC table 4, corrected";
constexpr std::string_view kBothBusy = "a processor that is late holds up its port as well";

// A rank between two others: in a chain of two there is none.
double between(int P, double both, double either) { return P > 2 ? both : either; }

constexpr auto kRounds = [](const auto& q) {
  return q.way() + (ceil_log2(q.P) - 1) * std::max(q.gap(), q.way());
};
constexpr auto kChain = [](const auto& q) {
  const double work = between(q.P, q.o_s + q.o_r, std::max(q.o_s, q.o_r));
  return (q.P - 1) * q.way() + (q.n_s - 1) * std::max(q.gap(), work);
};
// The last rank to hear. Rank v - 1 is as many levels below the root as v has bits after the first,
// and each of those that is 1 stands for a second child, which hears `next` later.
double binary_path(int P, double way, double next) {
  double last = 0;
  for (int v = 1; v <= P; ++v) {
    const int seconds = std::popcount(static_cast<unsigned>(v)) - 1;
    last = std::max(last, floor_log2(v) * way + seconds * next);
  }
  return last;
}
constexpr auto kWholeMore = [](const Asked& a) { return a.P != 2 && a.segments() == 1; };
constexpr auto kNotTwo = [](const Asked& a) { return a.P != 2; };
constexpr auto kBinary = [](const auto& q) {
  const double path = binary_path(q.P, q.way(), std::max(q.gap(), q.o_s));
  if (q.P == 2) return path + (q.n_s - 1) * std::max({q.gap(), q.o_s, q.o_r});
  const double work = q.P > 3 ? q.o_r + 2 * q.o_s : std::max(q.o_r, 2 * q.o_s);
  return path + (q.n_s - 1) * std::max(2 * q.gap(), work);
};
// The root sends each segment to all children before the next one.
constexpr auto kBinomial = [](const auto& q) {
  const int rounds = ceil_log2(q.P);
  return (q.n_s - 1) * rounds * q.gap() + kRounds(q);
};
constexpr auto kLinearReduce = [](const auto& q) {
  return q.way() + q.gamma + ((q.P - 1) * q.n_s - 1) * std::max(q.gap(), q.o_r + q.gamma);
};
constexpr auto kChainReduce = [](const auto& q) {
  const double receive = q.o_r + q.gamma;
  const double work = between(q.P, q.o_s + receive, std::max(q.o_s, receive));
  return (q.P - 1) * (q.way() + q.gamma) + (q.n_s - 1) * std::max(q.gap(), work);
};
constexpr auto kBinomialReduce = [](const auto& q) {
  const double level = q.way() + q.gamma;
  return level + (ceil_log2(q.P) - 1) * std::max(q.gap(), level);
};
// The root takes all segments of a child before those of the next one.
double binomial_reduce(int P, double n_s, double gap, double level) {
  const int rounds = ceil_log2(P);
  return (n_s - 1) * gap + std::max((rounds - 1) * n_s * gap + level, rounds * level);
}
constexpr auto kBinomialReduceCut = [](const auto& q) {
  return binomial_reduce(q.P, q.n_s, q.gap(), q.way() + q.gamma);
};
// Place v - 1 of either side of the tree is below the root of that side as in a binary tree. A rank
// sends its half to its children, and then to its partner on the other side. h: time of a half.
double splitted(int P, double h) {
  double last = 0;
  for (int rank = 1; rank < P; ++rank) {
    const int side = (rank - 1) % 2, v = (rank + 1) / 2, on_side = (P - side) / 2;
    const int hears = side + floor_log2(v) + std::popcount(static_cast<unsigned>(v));
    const int children = std::clamp(on_side - 2 * v + 1, 0, 2);
    const bool alone = rank == P - 1 && side == 0;
    last = std::max(last, (alone ? 3 : hears + children + 1) * h);
  }
  return last;
}
// The path from rank v - 1 up, as binary_path() has it downwards: a second child's message passes
// its parent's port behind that of the first. So do further segments, two of which pass that port
// for each that the path has; on the path of first children alone each passes by itself.
double binary_reduce_path(int P, double n_s, double level, double next, double gap) {
  double last = 0;
  for (int v = 1; v <= P; ++v) {
    const int seconds = std::popcount(static_cast<unsigned>(v)) - 1;
    last = std::max(
        last, floor_log2(v) * level + seconds * next + (n_s - 1) * (seconds > 0 ? 2 : 1) * gap);
  }
  return last;
}
constexpr auto kBinaryReducePath = [](const auto& q) {
  return binary_reduce_path(q.P, q.n_s, q.way() + q.gamma, std::max(q.gap(), q.o_r + q.gamma),
                            q.gap());
};
// For Hockney, where the port is busy for the whole way.
constexpr auto kBinaryReduceTimes = [](Hockneys q) {
  return binary_reduce_path(q.P, q.n_s, q.T + q.gamma, std::max(q.T, q.gamma), q.T);
};
// Each rank of either side that has two children sends three messages for each segment of its
// half, two down and one to its partner; segments begin as far behind each other from the rank of
// side 0 that hears last of the first one. Below that many ranks no rank has two children, and the
// root's port decides.
double splitted_cut(int P, double n_h, double h) {
  const int alone = P % 2 == 0 ? 0 : P / 2;
  if (P < 6) return ((P == 4 ? 3 : 2) * n_h + alone) * h;
  double last = 0;
  for (int v = 1; v <= P / 2; ++v)
    last = std::max<double>(last, floor_log2(v) + std::popcount(static_cast<unsigned>(v)));
  return (3 * n_h + last - 1) * h;
}
// Under gaps: no rank sends its last message before its port has passed all others.
constexpr auto kSplittedCut = [](const auto& q) {
  const double n_h = q.n_s / 2;
  double last = 0;
  for (int rank = 1; rank < q.P; ++rank) {
    const int side = (rank - 1) % 2, v = (rank + 1) / 2, on_side = (q.P - side) / 2;
    if (rank == q.P - 1 && side == 0) continue;  // its partner is the root
    const int children = std::clamp(on_side - 2 * v + 1, 0, 2);
    const int seconds = std::popcount(static_cast<unsigned>(v)) - 1 + side;
    const double hears = (floor_log2(v) + 1) * q.way() + seconds * q.gap();
    const double messages = std::max<double>((children + 1) * n_h, 2 * n_h - 1);
    last = std::max(last, hears + (messages - 1) * q.gap() + q.way());
  }
  return last;
};
constexpr auto kBinaryReduce = [](const auto& q) {
  const double receive = q.o_r + q.gamma;
  const double work = q.P > 3 ? 2 * receive + q.o_s : std::max(2 * receive, q.o_s);
  return (levels(q.P) - 1) * (q.way() + q.gamma + std::max(q.gap(), receive)) +
         (q.n_s - 1) * std::max(2 * q.gap(), work);
};
constexpr auto kCutInHalves = [](const Asked& a) { return a.segments() > 2 && a.P > 1; };
constexpr std::string_view kSubtreesMeet =
    "equal, as for 24 ranks, unless segments of subtrees that are not alike meet at a port";
constexpr auto kPairwise = [](const auto& q) {
  return q.way() + (q.P - 2) * std::max(q.gap(), q.way());
};

const ClosedForm kCorrectedForms[] = {
    {kCorrected1, kBarrier, "flat-tree", "2(P-1)a",
     hockney<[](Hockneys q) { return 2 * (q.P - 1) * q.alpha; }>, kEqual, ""},
    {kCorrected1, kBarrier, "flat-tree", "2T(0) + (P-2)(max{g, o_r} + max{g, o_s})",
     gaps<[](const auto& q) {
       return 2 * q.way() + (q.P - 2) * (std::max(q.gap(), q.o_r) + std::max(q.gap(), q.o_s));
     }>,
     kEqual, ""},
    {kCorrected1, kBarrier, "double-ring", "2P(L + 2o), g <= P(L + 2o)",
     loggp<[](LogGPs q) { return q.g <= q.P * q.way() ? Time(2 * q.P * q.way()) : Time{}; }>,
     kEqual, ""},
    {kCorrected1,
     kBarrier,
     "recursive-doubling",
     "T(0) + (log2(P)-1)max{g, T(0)}, P a power of two",
     where<kPower, gaps<kRounds>>,
     kEqual,
     "",
     {&kOverheadsWithinWay}},
    {kCorrected1,
     kBarrier,
     "dissemination",
     "T(0) + (ceil(log2 P)-1)max{g, T(0)}",
     gaps<kRounds>,
     kEqual,
     "",
     {&kOverheadsWithinWay}},

    {kCorrected2,
     kBcast,
     "chain",
     "(P-1)T(m_s) + (n_s-1)max{g(m_s), o_s + o_r}; for P = 2, max{g(m_s), o_s, o_r}",
     gaps<kChain>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kCorrected2, kBcast, "binomial",
     "T(m) + (log2(P)-1)max{g(m), T(m)}, P a power of two, n_s = 1",
     where<kPowerWhole, gaps<kRounds>>, kEqual, ""},
    {kCorrected2,
     kBcast,
     "binomial",
     "(n_s-1)log2(P)g(m_s) + T(m_s) + (log2(P)-1)max{g(m_s), T(m_s)}, P a power of two, n_s > 1",
     where<kCut, gaps<kBinomial>>,
     kEqual,
     "",
     {&kWholeSegments, &kGapCoversBoth, &kPowerOfTwo}},
    {kCorrected2,
     kBcast,
     "binary",
     "2(ceil(log2(P+1)) + n_s - 2)(a + b·m_s), P+1 a power of two",
     where<kFullAny, hockney<[](Hockneys q) { return 2 * (levels(q.P) + q.n_s - 2) * q.T; }>>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kCorrected2,
     kBcast,
     "binary",
     "(max_{0<v<=P}{floor(log2 v) + ones(v) - 1} + 2(n_s-1))(a + b·m_s), ones: binary digits 1",
     where<kNotTwo,
           hockney<[](Hockneys q) { return binary_path(q.P, q.T, q.T) + 2 * (q.n_s - 1) * q.T; }>>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kCorrected2,
     kBcast,
     "binary",
     "max_{0<v<=P}{floor(log2 v)T(m_s) + (ones(v)-1)max{g(m_s), o_s}} + (n_s-1)max{2g(m_s), o_r + "
     "2o_s}, ones: binary digits 1; for P = 2, (n_s-1)max{g(m_s), o_s, o_r}",
     gaps<kBinary>,
     kEqual,
     kBothBusy,
     {&kWholeSegments, &kGapCoversBoth}},

    {kCorrected2,
     kBcast,
     "splitted-binary",
     "max over ranks of (messages to the rank in turn + its children + 1)(a + b·m/2), n_s = 1",
     where<kWholeMore, hockney<[](Hockneys q) { return splitted(q.P, q.half); }>>,
     kEqual,
     "",
     {&kWholeHalves}},
    {kCorrected2,
     kBcast,
     "splitted-binary",
     "(3n_h + max_{0<v<=P/2}{floor(log2 v) + ones(v)} - 1)(a + b·m_s), n_h = n_s/2 > 1, P > 5, "
     "ones: "
     "binary digits 1; P = 2, 3, 4, 5: 2n_h, 2n_h + 1, 3n_h, 2n_h + 2",
     where<kCutInHalves, hockney<[](Hockneys q) { return splitted_cut(q.P, q.n_s / 2, q.T); }>>,
     kEqual,
     "",
     {&kWholeHalves}},
    {kCorrected2,
     kBcast,
     "splitted-binary",
     "max over ranks with a partner of T(m_s) for each message to the rank in turn, g(m_s) for "
     "each "
     "before one of these, + (max{n_h(its children + 1), 2n_h - 1} - 1)g(m_s) + T(m_s), n_h = "
     "n_s/2 > 1",
     where<kNotTwo, where<kCutInHalves, gaps<kSplittedCut>>>,
     kNotBelow,
     "as if each port had always something to send: segments for partners hold up those for "
     "children, too",
     {&kWholeHalves, &kGapCoversBoth, &kSendsInGaps}},
    {kCorrected3,
     kReduce,
     "linear",
     "a + b·m_s + c·m_s + (n_s(P-1)-1)max{a + b·m_s, c·m_s}",
     hockney<[](Hockneys q) {
       return q.T + q.gamma + (q.n_s * (q.P - 1) - 1) * std::max(q.T, q.gamma);
     }>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kCorrected3,
     kReduce,
     "linear",
     "T(m_s) + c·m_s + (n_s(P-1)-1)max{g(m_s), o_r + c·m_s}",
     gaps<kLinearReduce>,
     kEqual,
     "",
     {&kWholeSegments, &kSendsInGaps}},
    {kCorrected3,
     kReduce,
     "chain",
     "(P-1)(a + b·m_s + c·m_s) + (n_s-1)max{a + b·m_s, c·m_s}",
     hockney<[](Hockneys q) {
       return (q.P - 1) * (q.T + q.gamma) + (q.n_s - 1) * std::max(q.T, q.gamma);
     }>,
     kEqual,
     "",
     {&kWholeSegments}},
    {kCorrected3,
     kReduce,
     "chain",
     "(P-1)(T(m_s) + c·m_s) + (n_s-1)max{g(m_s), o_s + o_r + c·m_s}; for P = 2, "
     "max{g(m_s), o_s, o_r + c·m_s}",
     gaps<kChainReduce>,
     kEqual,
     "",
     {&kWholeSegments, &kSendsInGaps}},
    {kCorrected3, kReduce, "binomial",
     "T(m) + c·m + (log2(P)-1)max{g(m), T(m) + c·m}, P a power of two, n_s = 1",
     where<kPowerWhole, gaps<kBinomialReduce>>, kEqual, ""},
    {kCorrected3,
     kReduce,
     "binomial",
     "(n_s-1)g(m_s) + max{(log2(P)-1)n_s·g(m_s) + T(m_s) + c·m_s, log2(P)(T(m_s) + c·m_s)}, n_s > "
     "1, P a power of two",
     where<kCut, gaps<kBinomialReduceCut>>,
     kNotBelow,
     "equal, unless a reception holds up a send in the same moment",
     {&kWholeSegments, &kGapCoversCombining, &kSendsInGaps, &kPowerOfTwo}},
    {kCorrected3,
     kReduce,
     "binomial",
     "(n_s-1)T + max{(log2(P)-1)n_s·T + T + c·m_s, log2(P)(T + c·m_s)}, T = a + b·m_s",
     hockney<[](Hockneys q) { return binomial_reduce(q.P, q.n_s, q.T, q.T + q.gamma); }>,
     kEqual,
     "",
     {&kWholeSegments, &kGapCoversCombining, &kPowerOfTwo}},
    {kCorrected3,
     kReduce,
     "binary",
     "(ceil(log2(P+1))-1)(T(m_s) + c·m_s + max{g(m_s), o_r + c·m_s}) + (n_s-1)max{2g(m_s), o_s + "
     "2(o_r + c·m_s)}, P+1 a power of two",
     where<kFullAny, gaps<kBinaryReduce>>,
     kEqual,
     kBothBusy,
     {&kWholeSegments, &kGapCoversCombining}},

    {kCorrected3, kReduce, "binary",
     "max_{0<v<=P}{floor(log2 v)(T + c·m) + (ones(v)-1)max{T, c·m}}, T = a + b·m, n_s = 1, ones: "
     "binary digits 1",
     where<kWhole, hockney<kBinaryReduceTimes>>, kEqual, ""},
    {kCorrected3,
     kReduce,
     "binary",
     "max_{0<v<=P}{floor(log2 v)(T(m) + c·m) + (ones(v)-1)max{g(m), o_r + c·m}}, n_s = 1, ones: "
     "binary digits 1",
     where<kWhole, gaps<kBinaryReducePath>>,
     kEqual,
     kBothBusy,
     {&kGapCoversCombining}},
    {kCorrected3,
     kReduce,
     "binary",
     "max_{0<v<=P}{floor(log2 v)(T + c·m_s) + (ones(v)-1)T + (n_s-1)min{ones(v), 2}T}, T = a + "
     "b·m_s, n_s > 1, ones: binary digits 1",
     where<kCut, hockney<kBinaryReduceTimes>>,
     kNotBelow,
     kSubtreesMeet,
     {&kWholeSegments, &kGapCoversCombining}},
    {kCorrected3,
     kReduce,
     "binary",
     "max_{0<v<=P}{floor(log2 v)(T(m_s) + c·m_s) + (ones(v)-1)g(m_s) + (n_s-1)min{ones(v), "
     "2}g(m_s)}, n_s > 1, ones: binary digits 1",
     where<kCut, gaps<kBinaryReducePath>>,
     kNotBelow,
     kSubtreesMeet,
     {&kWholeSegments, &kGapCoversCombining, &kSendsInGaps}},

    {kCorrected4,
     kAlltoall,
     "pairwise",
     "T(m) + (P-2)max{g(m), T(m)}",
     gaps<kPairwise>,
     kEqual,
     "",
     {&kOverheadsWithinWay}},
};

}  // namespace

std::span<const ClosedForm> corrected() noexcept { return kCorrectedForms; }

}  // namespace tutti::models::occ
