// BEO equations 2 to 14. β is per byte, and n in bytes. Combining takes no time (BEO §4).
#include <algorithm>
#include <bit>

#include "models/closed_forms_assumptions.hpp"

namespace tutti::models {
namespace {

using collectives::Collective;
using Time = std::optional<double>;

// α and β of a message; and S and R, if the model tells them apart.
struct BEO {
  double alpha, beta, n, S, R;  // β·n is beta·n
  int p;
  double log2p;
};

// `formula` may need S(n) and R(n): then the model is the split one. What has log2(p) is of powers
// of two.
enum class Ranks { any, power_of_two };
template <auto formula, bool split = false, Ranks ranks = Ranks::power_of_two>
Time beo(const Model& model, const Asked& a) {
  const bool power = std::has_single_bit(static_cast<unsigned>(a.P));
  if (a.P < 2 || (ranks == Ranks::power_of_two && !power) || a.segments() != 1 || a.k != 1 ||
      a.reduce_per_byte != 0)
    return {};
  const auto n = static_cast<double>(a.bytes);
  BEO q{0, 0, n, 0, 0, a.P, static_cast<double>(std::bit_width(static_cast<unsigned>(a.P)) - 1)};
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

constexpr Collective kAllreduce = Collective::allreduce,
                     kReduceScatter = Collective::reduce_scatter;

constexpr std::string_view kTwoRanks = "exact from 4 ranks on; with 2, nobody passes anything on";
constexpr auto kSteps = [](BEO q) { return (q.p - 1) * (q.alpha + q.beta * q.n); };
constexpr auto kPipeline = [](BEO q) { return 3 * (q.p - 1) * (q.alpha + q.beta * q.n); };
constexpr auto kFanIn = [](BEO q) { return q.p * q.S + 2 * (q.p - 1) * q.R; };

const ClosedForm kBeoForms[] = {
    {"BEO eq. 2", kAllgather, "recursive-doubling", "a·log2(p) + (p-1)b·n",
     beo<[](BEO q) { return q.alpha * q.log2p + (q.p - 1) * q.beta * q.n; }>, kEqual, ""},
    {"BEO eq. 3", kAllreduce, "recursive-doubling", "log2(p)(a + b·n)",
     beo<[](BEO q) { return q.log2p * (q.alpha + q.beta * q.n); }>, kEqual, ""},
    {"BEO eq. 4",
     kAllgather,
     "halving-doubling",
     "log2(p)(a + b·n/2) + a·log2(p) + (p-1)b·n",
     beo<[](BEO q) {
       return q.log2p * (q.alpha + q.beta * q.n / 2) + q.alpha * q.log2p + (q.p - 1) * q.beta * q.n;
     }>,
     kEqual,
     "",
     {&assumed::kDivides}},
    {"BEO eq. 5",
     kAllreduce,
     "halving-doubling",
     "2(a·log2(p) + (p-1)b·n/p)",
     beo<[](BEO q) { return 2 * (q.alpha * q.log2p + (q.p - 1) * q.beta * q.n / q.p); }>,
     kEqual,
     "",
     {&assumed::kDivides}},
    {"BEO eq. 6", kReduceScatter, "recursive-halving", "a·log2(p) + (p-1)b·n",
     beo<[](BEO q) { return q.alpha * q.log2p + (q.p - 1) * q.beta * q.n; }>, kEqual, ""},
    {"BEO eq. 7", kAllgather, "gather-bcast-binomial", "a·log2(p) + (p-1)b·n + log2(p)(a + b·n·p)",
     beo<[](BEO q) {
       return q.alpha * q.log2p + (q.p - 1) * q.beta * q.n +
              q.log2p * (q.alpha + q.beta * q.n * q.p);
     }>,
     kEqual, ""},
    {"BEO eq. 8", kAllreduce, "reduce-bcast", "2log2(p)(a + b·n)",
     beo<[](BEO q) { return 2 * q.log2p * (q.alpha + q.beta * q.n); }>, kEqual, ""},
    {"BEO eq. 9", kAllgather, "ring", "(p-1)(a + b·n)", beo<kSteps, false, Ranks::any>, kEqual, ""},
    {"BEO eq. 9", kReduceScatter, "ring", "(p-1)(a + b·n)", beo<kSteps, false, Ranks::any>, kEqual,
     ""},
    {"BEO eq. 9", kAllreduce, "ring-whole", "(p-1)(a + b·n)", beo<kSteps, false, Ranks::any>,
     kEqual, ""},
    {"BEO eq. 10", kAllgather, "repeated-binary-tree",
     "(p·log2(p) - (p-1))S(n) + min{log2(p), 2}p·R(n)",
     beo<[](BEO q) {
       return (q.p * q.log2p - (q.p - 1)) * q.S + std::min(q.log2p, 2.) * q.p * q.R;
     },
         true>,
     kApart,
     "a best case, which 4 ranks meet: it counts two receives for every broadcast, the last one "
     "too"},
    {"BEO eq. 11", kReduceScatter, "repeated-binary-tree", "p·log2(p)(a + b·n)",
     beo<[](BEO q) { return q.p * q.log2p * (q.alpha + q.beta * q.n); }>, kEqual, ""},
    {"BEO eq. 11", kAllreduce, "repeated-binary-tree-whole", "p·log2(p)(a + b·n)",
     beo<[](BEO q) { return q.p * q.log2p * (q.alpha + q.beta * q.n); }>, kApart,
     "trees of successive broadcasts overlap, or wait for each other"},
    {"BEO eq. 12", kAllgather, "pipeline", "3(p-1)(a + b·n)", beo<kPipeline, false, Ranks::any>,
     kNotAbove, kTwoRanks},
    {"BEO eq. 12", kReduceScatter, "pipeline", "3(p-1)(a + b·n)", beo<kPipeline, false, Ranks::any>,
     kNotAbove, kTwoRanks},
    {"BEO eq. 12", kAllreduce, "pipeline-whole", "3(p-1)(a + b·n)",
     beo<kPipeline, false, Ranks::any>, kNotAbove, kTwoRanks},
    {"BEO eq. 13", kAllgather, "full-fan-in", "p·S(n) + 2(p-1)R(n)", beo<kFanIn, true, Ranks::any>,
     kEqual, ""},
    {"BEO eq. 13", kReduceScatter, "full-fan-in", "p·S(n) + 2(p-1)R(n)",
     beo<kFanIn, true, Ranks::any>, kEqual, ""},
    {"BEO eq. 13", kAllreduce, "full-fan-in-whole", "p·S(n) + 2(p-1)R(n)",
     beo<kFanIn, true, Ranks::any>, kEqual, ""},
    {"BEO eq. 14", kAllgather, "modified-ring", "(p-1)(a + b·n)/o, overlap o = 1",
     beo<kSteps, false, Ranks::any>, kEqual, ""},
    {"BEO eq. 14", kReduceScatter, "full-fan-out", "(p-1)(a + b·n)/o, overlap o = 1",
     beo<kSteps, false, Ranks::any>, kEqual, ""},
    {"BEO eq. 14", kAllreduce, "full-fan-out-whole", "(p-1)(a + b·n)/o, overlap o = 1",
     beo<kSteps, false, Ranks::any>, kEqual, ""},
};

}  // namespace

std::span<const ClosedForm> beo_forms() noexcept { return kBeoForms; }

}  // namespace tutti::models
