// HPM §2 to §4. Its constants are those of BlueGene/P's hardware, which has no schedules
// (bluegene_p.hpp); the formulas stand here under the models that they are written in: a stage of
// its tree network is a message, without the network's start-up, and a node has one link for six.
#include "models/papers/closed_forms_occ.hpp"

namespace tutti::models {
namespace {

using namespace assumed;
using collectives::Collective;
using occ::hockney, occ::Hockneys, occ::LogGPs, occ::kWhole, occ::kCut;

constexpr Assumption kBytesWithinGap{"(P-1)(m-1)G <= g, small data",
                                     [](const Model& model, const Asked& a) {
                                       const double gap = costs_of(model, 1).gap;
                                       const double bytes = costs(model, a).gap - gap;
                                       return not_less(gap, (a.P - 1) * bytes);
                                     }};
constexpr Assumption kGapWithinStart{"g + (P-1)G <= o_s + L + o_r",
                                     [](const Model& model, const Asked& a) {
                                       const Costs c = costs_of(model, 1);
                                       const double G = costs_of(model, 2).gap - c.gap;
                                       return not_less(time_of(model, 1), c.gap + (a.P - 1) * G);
                                     }};

// Ranges of sizes have an α and a β each.
std::optional<double> messages_in_turn(const Model& model, const Asked& a) {
  const bool is =
      std::holds_alternative<Hockney>(model) || std::holds_alternative<Piecewise>(model);
  if (!is || a.P < 2 || a.segments() > 1) return {};
  return (a.P - 1) * time_of(model, a.bytes);
}

// The part β·m of T = α + β·m.
double bytes_of(const Hockneys& q) { return q.T - q.alpha; }

std::optional<double> long_alltoall(const Model& model, const Asked& a) {
  const auto* const q = std::get_if<LogGP>(&model);
  if (!q || a.P < 2 || a.k != 1 || a.segments() > 1) return {};
  return (a.P - 1) * (q->g + q->G * static_cast<double>(a.bytes));
}

const ClosedForm kForms[] = {
    {"HPM eq. 1", Collective::bcast, "linear", "(P-1)(a + b·m), of the range that m is in",
     messages_in_turn, kEqual, ""},
    {"HPM 2 ([13])",
     Collective::bcast,
     "circulant",
     "ceil(log2 P)a + b·m, n_s > 1",
     where<kCut,
           hockney<[](Hockneys q) { return occ::ceil_log2(q.P) * q.alpha + q.n_s * bytes_of(q); }>>,
     kNotBelow,
     "the dominant terms of an optimal broadcast: a segment more is a start-up more, and the last "
     "one passes all levels",
     {&kWholeSegments}},
    {"HPM 2 ([5])",
     Collective::bcast,
     "scatter-recursive-doubling",
     "2 log2(P)a + 2b·m",
     hockney<[](Hockneys q) { return 2 * std::log2(q.P) * q.alpha + 2 * bytes_of(q); }>,
     kNotAbove,
     "the dominant terms: all but one of P pieces go through a port twice",
     {&kPowerOfTwo, &kDivides}},
    {"HPM 4",
     Collective::bcast,
     "binomial",
     "log2(P)(a + b·m)",
     hockney<[](Hockneys q) { return std::log2(q.P) * q.T; }>,
     kEqual,
     "where P is no power of two, the last ranks are a whole message later",
     {&kUncut, &kPowerOfTwo},
     kNotBelow},
    {"HPM 4",
     Collective::allreduce,
     "recursive-doubling",
     "log2(P)(a + b·m + c·m)",
     hockney<[](Hockneys q) { return std::log2(q.P) * (q.T + q.gamma); }>,
     kEqual,
     "the ranks beyond a power of two send before the first round and get after the last one",
     {&kUncut, &kPowerOfTwo},
     kNotBelow},
    {"HPM 4",
     Collective::alltoall,
     "at-once",
     "L + 2o + (P-1)g",
     where<kWhole, occ::loggp<[](LogGPs q) { return q.L + 2 * q.o + q.g * (q.P - 1); }>>,
     kNotAbove,
     "the last of P-1 messages leaves after P-2 gaps",
     {&kReceivesInGaps, &kBytesWithinGap}},
    {"HPM 4",
     Collective::alltoall,
     "at-once",
     "(P-1)g + (P-1)m·G",
     long_alltoall,
     kNotBelow,
     "the dominant terms: without the way of the last message, L + 2o",
     {&kGapWithinStart}},
    {"HPM 4, corrected",
     Collective::alltoall,
     "at-once",
     "L + 2o + (P-2)g + (P-1)(m-1)G, n_s = 1",
     where<kWhole,
           occ::loggp<[](LogGPs q) { return q.L + 2 * q.o + (q.P - 2) * q.g + (q.P - 1) * q.mG; }>>,
     kEqual,
     "",
     {&kReceivesInGaps}},
};

}  // namespace

std::span<const ClosedForm> hpm_forms() noexcept { return kForms; }

}  // namespace tutti::models
