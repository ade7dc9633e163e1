// TAU's formulas of two levels, M nodes of Q ranks: LogGPH, which is LogGP with other numbers for
// each level, and mlog_nP, which is log_nP so. Chapters 5 and 6. T0 is of a message within a node,
// T1 of one between nodes; o_mw = T0 and o'_mw + o'_net = T1 in mlog_nP.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "models/papers/closed_forms_assumptions.hpp"

namespace tutti::models {
namespace levels {
namespace {

using namespace assumed;
using collectives::Collective;
using Time = std::optional<double>;
using Mapping = Asked::Mapping;

struct Levels {
  const Model& between;
  const Asked& a;
  int M() const { return a.P / a.per_node; }
  int Q() const { return a.per_node; }
  double T1(Bytes bytes) const { return time_of(between, bytes); }
  double T0(Bytes bytes) const { return time_of(*a.within, bytes); }
};

double log2_of(int n) { return n > 1 ? std::bit_width(static_cast<unsigned>(n - 1)) : 0; }

// The formula's time for whole nodes, for models of `Kind`, by `mapping`.
template <class Kind, Mapping mapping, auto formula>
Time of(const Model& model, const Asked& a) {
  if (!std::holds_alternative<Kind>(model) || !std::holds_alternative<Kind>(*a.within)) return {};
  if (a.mapping != mapping || a.k != 1 || a.bytes < 1 || a.segments() > 1) return {};
  if (a.per_node < 2 || a.P % a.per_node != 0 || a.P == a.per_node) return {};
  return formula(Levels{model, a});
}

bool gap_within_way(const Model& model, Bytes bytes) {
  const Costs c = costs_of(model, bytes);
  return c.gap <= c.send + c.flight + c.receive;
}
constexpr Assumption kGapsWithinWays{
    "g <= L + 2o of either level", [](const Model& model, const Asked& a) {
      return gap_within_way(model, a.bytes) && gap_within_way(*a.within, a.bytes);
    }};
bool proportional(const Model& model, const Asked& a) {
  const double one = time_of(model, a.bytes);
  for (int n = 2; n < a.P; n *= 2) {
    const double many = time_of(model, n * a.bytes);
    if (std::abs(many - n * one) > 1e-9 * many) return false;
  }
  return true;
}
constexpr Assumption kProportionalBoth{
    "o(m) proportional to m, on either level", [](const Model& model, const Asked& a) {
      return proportional(model, a) && proportional(*a.within, a);
    }};

constexpr Collective kBcast = Collective::bcast;
constexpr std::string_view kOneAfterAnother =
    "worst case: a rank sends and receives at once, and few blocks pass both levels in each stage";
constexpr std::string_view kDepthFirst =
    "of TAU's tree, which reaches all nodes first; IB's numbers its ranks depth first";
constexpr std::string_view kNotFull = "the tree of nodes or of ranks is not full";

constexpr auto kTree = [](Levels q) {
  return log2_of(q.M()) * q.T1(q.a.bytes) + log2_of(q.Q()) * q.T0(q.a.bytes);
};
constexpr auto kRing = [](Levels q) { return (q.a.P - 1) * (q.T0(q.a.bytes) + q.T1(q.a.bytes)); };
constexpr auto kRingInTurn = [](Levels q) { return (q.a.P - 1) * 2 * q.T1(q.a.bytes); };
constexpr auto kRingInTurnOnce = [](Levels q) { return (q.a.P - 1) * q.T1(q.a.bytes); };
constexpr auto kDoubling = [](Levels q) {
  const auto part = [&](const Model& model, int n, int blocks) {
    const auto& level = std::get<LogGP>(model);
    return log2_of(n) * (level.L + level.o_s + level.o_r - level.G) +
           (n - 1) * static_cast<double>(blocks * q.a.bytes) * level.G;
  };
  return part(*q.a.within, q.Q(), 1) + part(q.between, q.M(), q.Q());
};
constexpr auto kDoublingTransfers = [](Levels q) {
  return (q.Q() - 1) * q.T0(q.a.bytes) + (q.M() - 1) * q.Q() * q.T1(q.a.bytes);
};

constexpr Mapping kBlocks = Mapping::blocks, kInTurn = Mapping::in_turn;

const ClosedForm kForms[] = {
    {"TAU eq. 5.4",
     kBcast,
     "tau-binomial",
     "log2(M)T1 + log2(Q)T0, T = L + 2o + (m-1)G",
     of<LogGP, kBlocks, kTree>,
     kEqual,
     kNotFull,
     {&kGapsWithinWays, &kPowerOfTwo}},
    {"TAU eq. 5.4", kBcast, "binomial", "log2(M)T1 + log2(Q)T0, T = L + 2o + (m-1)G",
     of<LogGP, kBlocks, kTree>, kApart, kDepthFirst},
    {"TAU eq. 5.5",
     kBcast,
     "tau-binomial",
     "log2(M)(o'_mw + o'_net) + log2(Q)o_mw",
     of<LognP, kBlocks, kTree>,
     kEqual,
     kNotFull,
     {&kPowerOfTwo}},
    {"TAU eq. 5.5", kBcast, "binomial", "log2(M)(o'_mw + o'_net) + log2(Q)o_mw",
     of<LognP, kBlocks, kTree>, kApart, kDepthFirst},
    {"TAU eqs. 5.8, 6.6",
     kAllgather,
     "ring",
     "(P-1)(T0 + T1), T = L + 2o + (m-1)G, ranks by nodes",
     of<LogGP, kBlocks, kRing>,
     kNotAbove,
     kOneAfterAnother,
     {&kGapsWithinWays}},
    {"TAU eqs. 5.9, 6.8", kAllgather, "ring", "(P-1)(o_mw + o'_mw + o'_net), ranks by nodes",
     of<LognP, kBlocks, kRing>, kNotAbove, kOneAfterAnother},
    {"TAU eq. 6.7",
     kAllgather,
     "ring",
     "2(P-1)T1, T1 = L + 2o + (m-1)G, ranks in turn",
     of<LogGP, kInTurn, kRingInTurn>,
     kNotAbove,
     kOneAfterAnother,
     {&kGapsWithinWays}},
    {"TAU eq. 6.7, corrected",
     kAllgather,
     "ring",
     "(P-1)T1, T1 = L + 2o + (m-1)G, ranks in turn",
     of<LogGP, kInTurn, kRingInTurnOnce>,
     kEqual,
     "",
     {&kGapsWithinWays}},
    {"TAU eq. 6.9", kAllgather, "ring", "2(P-1)(o'_mw + o'_net), ranks in turn",
     of<LognP, kInTurn, kRingInTurn>, kNotAbove, kOneAfterAnother},
    {"TAU eq. 6.9, corrected", kAllgather, "ring", "(P-1)(o'_mw + o'_net), ranks in turn",
     of<LognP, kInTurn, kRingInTurnOnce>, kEqual, ""},
    {"TAU eqs. 5.13, 5.14",
     kAllgather,
     "recursive-doubling",
     "log2(Q)(L0 + 2o0 - G0) + (Q-1)m·G0 + log2(M)(L1 + 2o1 - G1) + (M-1)Q·m·G1",
     of<LogGP, kBlocks, kDoubling>,
     kEqual,
     "",
     {&kGapsWithinWays, &kPowerOfTwo}},
    {"TAU eq. 5.15",
     kAllgather,
     "recursive-doubling",
     "(Q-1)o_mw + (M-1)Q(o'_mw + o'_net)",
     of<LognP, kBlocks, kDoublingTransfers>,
     kEqual,
     "o grows as m does, which no start-up of a message does",
     {&kProportionalBoth, &kPowerOfTwo}},
};

}  // namespace
}  // namespace levels

std::span<const ClosedForm> forms_of_levels() noexcept {
  static const auto all = [] {
    auto some = std::to_array(levels::kForms);
    for (ClosedForm& form : some) form.of_levels = true;
    return some;
  }();
  return all;
}

}  // namespace tutti::models
