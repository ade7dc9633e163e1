// TAU's formulas under LogGP and log_nP (chapters 2, 4 and 6), and under LogGPH and mlog_nP, which
// have numbers of their own for each level (chapters 5 and 6). Its own model is in tau_lop/.
//
// m is the whole message: of a broadcast or a reduction, or the block of an allgather; a scatter's
// is P blocks. The library below carries it in k segments of S bytes, one if not said. o is the
// mean of o_s and o_r; in log_nP a message of n transfers costs n·o = T(m); d is δ, a byte's copy.
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/papers/closed_forms_assumptions.hpp"

namespace tutti::models {
namespace tau {
namespace {

using namespace assumed;
using collectives::Collective;
using Time = std::optional<double>;

struct Letters {
  double L = 0, o = 0, g = 0, G = 0;
  double d = 0, c = 0;  // δ, γ: us per byte
  int P = 1;
  double m = 0, most = 0;  // bytes; the longest segment

  double log2P() const { return std::bit_width(static_cast<unsigned>(P - 1)); }
  // Segment and number of segments of a message.
  double S(double bytes) const { return std::min(bytes, most); }
  double k(double bytes) const { return std::ceil(bytes / S(bytes)); }
  double first(double bytes) const { return L + 2 * o + (S(bytes) - 1) * G; }
  double next(double bytes) const { return g + (S(bytes) - 1) * G; }
  double message(double bytes) const {  // eq. 2.2
    return first(bytes) + (k(bytes) - 1) * next(bytes);
  }
};

Time letters_of(const Model& model, const Asked& a, Letters& q) {
  const auto loggp = logp_or_loggp(model);
  if (!loggp) return {};
  q = {.L = loggp->L, .o = (loggp->o_s + loggp->o_r) / 2, .g = loggp->g, .G = loggp->G};
  q.d = a.copy_per_byte;
  q.c = a.reduce_per_byte;
  q.P = a.P;
  q.m = static_cast<double>(a.bytes);
  q.most = a.segments() > 1 ? static_cast<double>(a.segment) : HUGE_VAL;
  if (a.cut_below > 0) q.most = std::min(q.most, static_cast<double>(a.cut_below));
  return 0;
}

template <auto formula>
Time loggp(const Model& model, const Asked& a) {
  Letters q;
  if (a.P < 2 || a.k != 1 || a.bytes < 1 || !letters_of(model, a, q)) return {};
  return formula(q);
}

// formula(T, a): T(bytes) is 2o.
template <auto formula>
Time lognp(const Model& model, const Asked& a) {
  if (!std::holds_alternative<LognP>(model)) return {};
  if (a.P < 2 || a.k != 1 || a.bytes < 1 || a.segments() > 1) return {};
  return formula([&](Bytes bytes) { return time_of(model, bytes); }, a);
}

double log2_of(int P) { return std::bit_width(static_cast<unsigned>(P - 1)); }
double copied(const Asked& a) { return a.copy_per_byte * static_cast<double>(a.bytes); }
double combined(const Asked& a) { return a.reduce_per_byte * static_cast<double>(a.bytes); }

// A level of the tree of degree 2, ⌈log_g((g-1)P + 1)⌉ with g = 2.
double height(int P) { return std::bit_width(static_cast<unsigned>(P)); }

constexpr Assumption kUncutBelow{"that the library below does not cut messages",
                                 [](const Model&, const Asked& a) { return a.cut_below == 0; }};
constexpr Assumption kProportional{
    "o(m) proportional to m", [](const Model& model, const Asked& a) {
      const double one = time_of(model, a.bytes);
      for (int n = 2; n < 2 * a.P; n *= 2) {
        const double many = time_of(model, std::min(n, a.P) * a.bytes);
        if (std::abs(many - std::min(n, a.P) * one) > 1e-9 * many) return false;
      }
      return true;
    }};

constexpr Collective kBcast = Collective::bcast, kReduce = Collective::reduce,
                     kScatter = Collective::scatter, kAlltoall = Collective::alltoall;

constexpr std::string_view kTree =
    "the tree is not full: its last ranks hear earlier, after fewer messages";
constexpr std::string_view kStages =
    "wrong: stage i has 2^i·k segments, so that (P-1)k - log2(P) follow the first ones, and not "
    "(P-1)(k-1)";
constexpr std::string_view kAllBytes =
    "a whole message counts in every stage, though it halves from stage to stage";
constexpr std::string_view kGrowing = "o grows as m does, which no start-up of a message does";

constexpr auto kTreeOfMessages = [](Letters q) { return q.log2P() * q.message(q.m); };
constexpr auto kTreeOfTransfers = [](auto T, const Asked& a) { return log2_of(a.P) * T(a.bytes); };
constexpr auto kDoubling = [](Letters q) {
  return q.log2P() * q.first(q.m) + (q.P - 1) * (q.k(q.m) - 1) * q.next(q.m);
};
constexpr auto kAllBlocks = [](auto T, const Asked& a) {
  return copied(a) + (a.P - 1) * T(a.bytes);
};
constexpr auto kReduceTree = [](Letters q) { return q.log2P() * (q.message(q.m) + q.c * q.m); };
constexpr auto kReduceTransfers = [](auto T, const Asked& a) {
  return log2_of(a.P) * (T(a.bytes) + combined(a));
};
constexpr auto kShared = [](Letters q) { return height(q.P) * q.message(q.m); };

const ClosedForm kTauForms[] = {
    {"TAU eq. 4.5",
     kBcast,
     "tau-binomial",
     "ceil(log2 P)(2o + L + (S-1)G + (k-1)(g + (S-1)G))",
     loggp<kTreeOfMessages>,
     kEqual,
     kTree,
     {&kUncut, &kGapWithinWay, &kPowerOfTwo, &kUncutBelow}},
    {"TAU eq. 4.5",
     kBcast,
     "binomial",
     "ceil(log2 P)(2o + L + (S-1)G + (k-1)(g + (S-1)G))",
     loggp<kTreeOfMessages>,
     kEqual,
     kTree,
     {&kUncut, &kGapWithinWay, &kPowerOfTwo, &kUncutBelow}},
    {"TAU eq. 4.6",
     kBcast,
     "tau-binomial",
     "ceil(log2 P)·2o",
     lognp<kTreeOfTransfers>,
     kEqual,
     kTree,
     {&kPowerOfTwo},
     kNotAbove},
    {"TAU eq. 4.6",
     kBcast,
     "binomial",
     "ceil(log2 P)·2o",
     lognp<kTreeOfTransfers>,
     kEqual,
     kTree,
     {&kPowerOfTwo},
     kNotAbove},
    {"TAU 4.6", kBcast, "binary", "ceil(log2(P+1))(2o + L + (S-1)G + (k-1)(g + (S-1)G))",
     loggp<kShared>, kApart,
     "an approximation of Open MPI's tree, whose ranks copy and hand on at once"},
    {"TAU 4.6", kBcast, "binary", "ceil(log2(P+1))·2o",
     lognp<[](auto T, const Asked& a) { return height(a.P) * T(a.bytes); }>, kApart,
     "an approximation of Open MPI's tree, whose ranks copy and hand on at once"},

    {"TAU eq. 4.10",
     kAllgather,
     "recursive-doubling",
     "log2(P)(L + 2o - G) + (P-1)m·G",
     loggp<[](Letters q) { return q.log2P() * (q.L + 2 * q.o - q.G) + (q.P - 1) * q.m * q.G; }>,
     kEqual,
     "",
     {&kGapWithinWay, &kPowerOfTwo}},
    {"TAU eq. 4.11",
     kAllgather,
     "recursive-doubling",
     "d·m + log2(P)(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G)",
     loggp<[](Letters q) { return q.d * q.m + kDoubling(q); }>,
     kNotBelow,
     kStages,
     {&kPowerOfTwo, &kUncutBelow}},
    {"TAU eq. 4.12",
     kAllgather,
     "recursive-doubling",
     "o_m + (P-1)2o",
     lognp<kAllBlocks>,
     kEqual,
     kGrowing,
     {&kProportional, &kPowerOfTwo}},
    {"TAU eq. 4.16",
     kAllgather,
     "ring",
     "d·m + (P-1)(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G)",
     loggp<[](Letters q) { return q.d * q.m + (q.P - 1) * q.message(q.m); }>,
     kEqual,
     "",
     {&kGapWithinWay, &kUncutBelow}},
    {"TAU eq. 4.17", kAllgather, "ring", "o_m + (P-1)2o", lognp<kAllBlocks>, kEqual, ""},
    {"TAU eq. 4.23",
     kScatter,
     "recursive-splitting",
     "log2(P)(L + 2o + (S-1)G) + (P-1)/P·(k-1)(g + (S-1)G)",
     loggp<[](Letters q) {
       const double m = q.P * q.m;
       return q.log2P() * q.first(m) + (q.P - 1.0) / q.P * (q.k(m) - 1) * q.next(m);
     }>,
     kNotAbove,
     kAllBytes,
     {&kUncutBelow, &kGapWithinWay}},
    {"TAU table 6.1",
     kScatter,
     "recursive-splitting",
     "log2(P)(L + 2o + S·G) + (P-1)/P·(k-1)(g + S·G)",
     loggp<[](Letters q) {
       const double m = q.P * q.m;
       return q.log2P() * (q.first(m) + q.G) + (q.P - 1.0) / q.P * (q.k(m) - 1) * (q.next(m) + q.G);
     }>,
     kNotAbove,
     kAllBytes,
     {&kUncutBelow, &kGapWithinWay}},
    {"TAU eq. 4.24",
     kScatter,
     "recursive-splitting",
     "(P-1)/P·2o",
     lognp<[](auto T, const Asked& a) { return (a.P - 1.0) / a.P * T(a.P * a.bytes); }>,
     kEqual,
     kGrowing,
     {&kProportional, &kPowerOfTwo}},
    {"TAU table 6.2",
     kAllgather,
     "recursive-doubling",
     "log2(P)(L + 2o + S·G) + (P-1)/P·(k-1)(g + S·G), of P blocks",
     loggp<[](Letters q) {
       const double m = q.P * q.m;
       return q.log2P() * (q.first(m) + q.G) + (q.P - 1.0) / q.P * (q.k(m) - 1) * (q.next(m) + q.G);
     }>,
     kNotAbove,
     kAllBytes,
     {&kUncutBelow, &kGapWithinWay, &kPowerOfTwo}},
    {"TAU eq. 4.28",
     kAllgather,
     "neighbor-exchange",
     "d·m + P/2·(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G)",
     loggp<[](Letters q) {
       return q.d * q.m + q.P / 2.0 * q.first(q.m) + (q.P - 1) * (q.k(q.m) - 1) * q.next(q.m);
     }>,
     kNotBelow,
     "wrong: a message of two blocks has 2k segments, so that (P-1)k - P/2 follow the first ones",
     {&kUncutBelow}},
    {"TAU eq. 4.29",
     kAllgather,
     "neighbor-exchange",
     "o_m + (P-1)2o",
     lognp<kAllBlocks>,
     kEqual,
     kGrowing,
     {&kProportional}},
    {"TAU eq. 4.33",
     kAllgather,
     "dissemination",
     "P·d·m + log2(P)(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G)",
     loggp<[](Letters q) { return q.P * q.d * q.m + kDoubling(q); }>,
     kNotBelow,
     kStages,
     {&kUncutBelow, &kPowerOfTwo}},
    {"TAU eq. 4.34", kAllgather, "dissemination", "(P-1)2o + (P-1)o_m",
     lognp<[](auto T, const Asked& a) { return (a.P - 1) * (T(a.bytes) + copied(a)); }>, kApart,
     "equal with proportional o but for blocks on either side of rank 0, which are two messages"},
    {"TAU eq. 4.38",
     kAllgather,
     "bruck",
     "(P+1)d·m + log2(P)(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G)",
     loggp<[](Letters q) { return (q.P + 1) * q.d * q.m + kDoubling(q); }>,
     kNotBelow,
     kStages,
     {&kUncutBelow, &kPowerOfTwo}},
    {"TAU eq. 4.39",
     kAllgather,
     "bruck",
     "P·o_m + (P-1)2o",
     lognp<[](auto T, const Asked& a) { return a.P * copied(a) + (a.P - 1) * T(a.bytes); }>,
     kEqual,
     kGrowing,
     {&kProportional, &kPowerOfTwo}},
    {"TAU eq. 4.43",
     kAlltoall,
     "pairwise",
     "d·m/P + (P-1)(L + 2o + (S-1)G) + (P-1)(k-1)(g + (S-1)G), of blocks m/P",
     loggp<[](Letters q) { return q.d * q.m + (q.P - 1) * q.message(q.m); }>,
     kEqual,
     "",
     {&kGapWithinWay, &kUncutBelow}},
    {"TAU eq. 4.44", kAlltoall, "pairwise", "o_m + (P-1)2o, of blocks m/P", lognp<kAllBlocks>,
     kEqual, ""},

    {"TAU eq. 4.46",
     kReduce,
     "tau-binomial",
     "log2(P)(2o + c·m)",
     lognp<kReduceTransfers>,
     kEqual,
     kTree,
     {&kPowerOfTwo},
     kNotAbove},
    {"TAU eq. 4.46",
     kReduce,
     "binomial",
     "log2(P)(2o + c·m)",
     lognp<kReduceTransfers>,
     kEqual,
     kTree,
     {&kPowerOfTwo},
     kNotAbove},
    {"TAU eq. 4.47",
     kReduce,
     "tau-binomial",
     "log2(P)(L + 2o + (m-1)G + c·m)",
     loggp<kReduceTree>,
     kEqual,
     kTree,
     {&kUncut, &kGapWithinWay, &kPowerOfTwo, &kUncutBelow}},
    {"TAU eq. 4.47",
     kReduce,
     "binomial",
     "log2(P)(L + 2o + (m-1)G + c·m)",
     loggp<kReduceTree>,
     kEqual,
     kTree,
     {&kUncut, &kGapWithinWay, &kPowerOfTwo, &kUncutBelow}},
    {"TAU eq. 4.53",
     kReduce,
     "reduce-scatter-gather",
     "2log2(P)(L + 2o + (S-1)G) + 2(P-1)/P·(k-1)(g + (S-1)G) + (P-1)/P·c·m",
     loggp<[](Letters q) {
       return 2 * q.log2P() * q.first(q.m) +
              (q.P - 1.0) / q.P * (2 * (q.k(q.m) - 1) * q.next(q.m) + q.c * q.m);
     }>,
     kNotAbove,
     kAllBytes,
     {&kUncutBelow, &kGapWithinWay, &kPowerOfTwo, &kDivides}},
    {"TAU eq. 4.54", kReduce, "reduce-scatter-gather", "o_m + (P-1)(2o + c·m) + (P-1)/P·2o",
     lognp<[](auto T, const Asked& a) {
       return copied(a) + (a.P - 1) * (T(a.bytes) + combined(a)) + (a.P - 1.0) / a.P * T(a.bytes);
     }>,
     kApart,
     "wrong: of recursive halving it counts all P-1 vectors, of which each rank sends (P-1)/P"},
    {"TAU eq. 4.57", kReduce, "linear", "2(2o + L + (S-1)G + (k-1)(g + (S-1)G)) + (P-1)c·m",
     loggp<[](Letters q) { return 2 * q.message(q.m) + (q.P - 1) * q.c * q.m; }>, kApart,
     "of Open MPI's reduction in shared memory, whose ranks put their operands there at once"},
    {"TAU eq. 4.56", kReduce, "linear", "2o + (P-1)c·m",
     lognp<[](auto T, const Asked& a) { return T(a.bytes) + (a.P - 1) * combined(a); }>, kApart,
     "of Open MPI's reduction in shared memory, whose ranks put their operands there at once"},
};

}  // namespace
}  // namespace tau

std::span<const ClosedForm> tau_forms() noexcept { return tau::kTauForms; }

}  // namespace tutti::models
