// BEO equations 2 to 14. β is per byte, and n in bytes. Combining takes no time (BEO §4).
#include <algorithm>
#include <bit>
#include <cmath>

#include "models/papers/closed_forms_assumptions.hpp"

namespace tutti::models {
namespace beo {
namespace {

using namespace assumed;

using collectives::Collective;
using Time = std::optional<double>;

// α and β of a message; and S and R, if the model tells them apart.
struct BEO {
  double alpha, beta, n, S, R;  // β·n is beta·n
  int p;
  double log2p;
};

// `formula` may need S(n) and R(n): then the model is the split one. log2(p) is as printed for any
// p, or rounded up where that is another number.
enum class Log { printed, up };
template <auto formula, bool split = false, Log log = Log::printed>
Time of(const Model& model, const Asked& a) {
  const bool power = std::has_single_bit(static_cast<unsigned>(a.P));
  if (a.P < 2 || (log == Log::up && power) || a.segments() != 1 || a.k != 1) return {};
  const auto n = static_cast<double>(a.bytes);
  BEO q{0, 0, n, 0, 0, a.P, std::log2(a.P)};
  if (log == Log::up) q.log2p = std::ceil(q.log2p);
  if (const auto* const two = std::get_if<SplitHockney>(&model)) {
    q.alpha = two->alpha_s + two->alpha_r;
    q.beta = two->beta_s + two->beta_r;
    q.S = two->alpha_s + two->beta_s * n;
    q.R = two->alpha_r + two->beta_r * n;
  } else if (const auto* const one = std::get_if<Hockney>(&model); one && !split) {
    if (!one->alpha.constant() || !one->beta.constant()) return {};
    q.alpha = one->alpha(0);
    q.beta = one->beta(0);
  } else {
    return {};
  }
  return formula(q);
}

constexpr Assumption kFreeCombining{
    "that combining takes no time",
    [](const Model&, const Asked& a) { return a.reduce_per_byte == 0; }};
constexpr Collective kAllreduce = Collective::allreduce,
                     kReduceScatter = Collective::reduce_scatter;

constexpr std::string_view kTwoRanks = "exact from 4 ranks on; with 2, nobody passes anything on";
constexpr std::string_view kRoundedUp =
    "log2(p) rounded up: rounds of a p that is no power of two, whose messages differ";
constexpr std::string_view kOverlap =
    "a port carries one message at a time: no more than one adapter's worth of overlap";
constexpr auto kSteps = [](BEO q) { return (q.p - 1) * (q.alpha + q.beta * q.n); };
constexpr auto kMeasured = [](BEO q) { return (q.p - 1) * (q.alpha + q.beta * q.n) / 1.2; };
constexpr auto kAdapters = [](BEO q) { return (q.p - 1) * (q.alpha + q.beta * q.n) / 3; };
constexpr auto kPipeline = [](BEO q) { return 3 * (q.p - 1) * (q.alpha + q.beta * q.n); };
constexpr auto kFanIn = [](BEO q) { return q.p * q.S + 2 * (q.p - 1) * q.R; };
constexpr auto kPieces = [](BEO q) { return q.alpha * q.log2p + (q.p - 1) * q.beta * q.n; };
constexpr auto kWhole = [](BEO q) { return q.log2p * (q.alpha + q.beta * q.n); };
constexpr auto kTwice = [](BEO q) { return 2 * q.log2p * (q.alpha + q.beta * q.n); };
constexpr auto kHalvingDoubling = [](BEO q) {
  return q.log2p * (q.alpha + q.beta * q.n / 2) + q.alpha * q.log2p + (q.p - 1) * q.beta * q.n;
};
constexpr auto kBothWays = [](BEO q) {
  return 2 * (q.alpha * q.log2p + (q.p - 1) * q.beta * q.n / q.p);
};
constexpr auto kFanInOut = [](BEO q) {
  return q.alpha * q.log2p + (q.p - 1) * q.beta * q.n + q.log2p * (q.alpha + q.beta * q.n * q.p);
};
constexpr auto kTrees = [](BEO q) {
  return (q.p * q.log2p - (q.p - 1)) * q.S + std::min(q.log2p, 2.) * q.p * q.R;
};
constexpr auto kTreesReduced = [](BEO q) { return q.p * q.log2p * (q.alpha + q.beta * q.n); };

const ClosedForm kBeoForms[] = {
    {"BEO eq. 2",
     kAllgather,
     "recursive-doubling",
     "a·log2(p) + (p-1)b·n",
     of<kPieces>,
     kEqual,
     "",
     {&kPowerOfTwo}},
    {"BEO eq. 2", kAllgather, "recursive-doubling", "a·ceil(log2 p) + (p-1)b·n",
     of<kPieces, false, Log::up>, kNotBelow, kRoundedUp},
    {"BEO eq. 3",
     kAllreduce,
     "recursive-doubling",
     "log2(p)(a + b·n)",
     of<kWhole>,
     kEqual,
     "",
     {&kPowerOfTwo, &kFreeCombining}},
    {"BEO eq. 3", kAllreduce, "recursive-doubling", "ceil(log2 p)(a + b·n)",
     of<kWhole, false, Log::up>, kNotBelow, kRoundedUp},
    {"BEO eq. 4",
     kAllgather,
     "halving-doubling",
     "log2(p)(a + b·n/2) + a·log2(p) + (p-1)b·n",
     of<kHalvingDoubling>,
     kEqual,
     "",
     {&kPowerOfTwo, &kDivides}},
    {"BEO eq. 4", kAllgather, "halving-doubling",
     "ceil(log2 p)(a + b·n/2) + a·ceil(log2 p) + (p-1)b·n", of<kHalvingDoubling, false, Log::up>,
     kNotBelow, kRoundedUp},
    {"BEO eq. 5",
     kAllreduce,
     "halving-doubling",
     "2(a·log2(p) + (p-1)b·n/p)",
     of<kBothWays>,
     kEqual,
     "",
     {&kPowerOfTwo, &kDivides, &kFreeCombining}},
    {"BEO eq. 5",
     kAllreduce,
     "halving-doubling",
     "2(a·ceil(log2 p) + (p-1)b·n/p)",
     of<kBothWays, false, Log::up>,
     kNotBelow,
     kRoundedUp,
     {&kDivides}},
    {"BEO eq. 6",
     kReduceScatter,
     "recursive-halving",
     "a·log2(p) + (p-1)b·n",
     of<kPieces>,
     kEqual,
     "",
     {&kPowerOfTwo, &kFreeCombining}},
    {"BEO eq. 6", kReduceScatter, "recursive-halving", "a·ceil(log2 p) + (p-1)b·n",
     of<kPieces, false, Log::up>, kNotBelow, kRoundedUp},
    {"BEO eq. 7",
     kAllgather,
     "gather-bcast-binomial",
     "a·log2(p) + (p-1)b·n + log2(p)(a + b·n·p)",
     of<kFanInOut>,
     kEqual,
     "",
     {&kPowerOfTwo}},
    {"BEO eq. 7", kAllgather, "gather-bcast-binomial",
     "a·ceil(log2 p) + (p-1)b·n + ceil(log2 p)(a + b·n·p)", of<kFanInOut, false, Log::up>,
     kNotAbove, kRoundedUp},
    {"BEO eq. 8",
     kAllreduce,
     "reduce-bcast",
     "2log2(p)(a + b·n)",
     of<kTwice>,
     kEqual,
     "",
     {&kPowerOfTwo, &kFreeCombining}},
    {"BEO eq. 8",
     kAllreduce,
     "reduce-bcast",
     "2ceil(log2 p)(a + b·n)",
     of<kTwice, false, Log::up>,
     kNotAbove,
     "exact with one a and b: log2(p) rounded up; with S and R some ranks begin earlier",
     {&kFreeCombining}},
    {"BEO eq. 9", kAllgather, "ring", "(p-1)(a + b·n)", of<kSteps>, kEqual, ""},
    {"BEO eq. 9",
     kReduceScatter,
     "ring",
     "(p-1)(a + b·n)",
     of<kSteps>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 9",
     kAllreduce,
     "ring-whole",
     "(p-1)(a + b·n)",
     of<kSteps>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 10", kAllgather, "repeated-binary-tree",
     "(p·log2(p) - (p-1))S(n) + min{log2(p), 2}p·R(n)", of<kTrees, true>, kApart,
     "a best case, which 4 ranks meet: it counts two receives for every broadcast, the last one "
     "too"},
    {"BEO eq. 10", kAllgather, "repeated-binary-tree",
     "(p·ceil(log2 p) - (p-1))S(n) + min{ceil(log2 p), 2}p·R(n)", of<kTrees, true, Log::up>, kApart,
     kRoundedUp},
    {"BEO eq. 11",
     kReduceScatter,
     "repeated-binary-tree",
     "p·log2(p)(a + b·n)",
     of<kTreesReduced>,
     kEqual,
     "",
     {&kPowerOfTwo, &kFreeCombining}},
    {"BEO eq. 11",
     kReduceScatter,
     "repeated-binary-tree",
     "p·ceil(log2 p)(a + b·n)",
     of<kTreesReduced, false, Log::up>,
     kNotAbove,
     kRoundedUp,
     {&kFreeCombining}},
    {"BEO eq. 11", kAllreduce, "repeated-binary-tree-whole", "p·log2(p)(a + b·n)",
     of<kTreesReduced>, kApart, "trees of successive broadcasts overlap, or wait for each other"},
    {"BEO eq. 11", kAllreduce, "repeated-binary-tree-whole", "p·ceil(log2 p)(a + b·n)",
     of<kTreesReduced, false, Log::up>, kApart, kRoundedUp},
    {"BEO eq. 12", kAllgather, "pipeline", "3(p-1)(a + b·n)", of<kPipeline>, kNotAbove, kTwoRanks},
    {"BEO eq. 12",
     kReduceScatter,
     "pipeline",
     "3(p-1)(a + b·n)",
     of<kPipeline>,
     kNotAbove,
     kTwoRanks,
     {&kFreeCombining}},
    {"BEO eq. 12",
     kAllreduce,
     "pipeline-whole",
     "3(p-1)(a + b·n)",
     of<kPipeline>,
     kNotAbove,
     kTwoRanks,
     {&kFreeCombining}},
    {"BEO eq. 13", kAllgather, "full-fan-in", "p·S(n) + 2(p-1)R(n)", of<kFanIn, true>, kEqual, ""},
    {"BEO eq. 13",
     kReduceScatter,
     "full-fan-in",
     "p·S(n) + 2(p-1)R(n)",
     of<kFanIn, true>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 13",
     kAllreduce,
     "full-fan-in-whole",
     "p·S(n) + 2(p-1)R(n)",
     of<kFanIn, true>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 14", kAllgather, "modified-ring", "(p-1)(a + b·n)/o, overlap o = 1", of<kSteps>,
     kEqual, ""},
    {"BEO eq. 14",
     kReduceScatter,
     "full-fan-out",
     "(p-1)(a + b·n)/o, overlap o = 1",
     of<kSteps>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 14",
     kAllreduce,
     "full-fan-out-whole",
     "(p-1)(a + b·n)/o, overlap o = 1",
     of<kSteps>,
     kEqual,
     "",
     {&kFreeCombining}},
    {"BEO eq. 14", kReduceScatter, "full-fan-out", "(p-1)(a + b·n)/o, o = 1.2 as on the Bunyip",
     of<kMeasured>, kNotBelow, kOverlap},
    {"BEO eq. 14", kAllreduce, "full-fan-out-whole", "(p-1)(a + b·n)/o, o = 1.2 as on the Bunyip",
     of<kMeasured>, kNotBelow, kOverlap},
    {"BEO eq. 14", kAllgather, "modified-ring", "(p-1)(a + b·n)/o, o = 3 adapters", of<kAdapters>,
     kNotBelow, kOverlap},
    {"BEO eq. 14", kReduceScatter, "full-fan-out", "(p-1)(a + b·n)/o, o = 3 adapters",
     of<kAdapters>, kNotBelow, kOverlap},
    {"BEO eq. 14", kAllreduce, "full-fan-out-whole", "(p-1)(a + b·n)/o, o = 3 adapters",
     of<kAdapters>, kNotBelow, kOverlap},
};

}  // namespace
}  // namespace beo

std::span<const ClosedForm> beo_forms() noexcept { return beo::kBeoForms; }

}  // namespace tutti::models
