// IB §5.1 and §5.2.
#include "models/papers/closed_forms_ib.hpp"

namespace tutti::models::ib {
namespace {

using namespace assumed;

constexpr Assumption kWithinBurst{
    "k <= f", [](const Model& model, const Asked& a) { return a.k <= std::get<LogfP>(model).f; }};

constexpr auto kFourRanks = [](const Asked& a) { return a.k == 1 && a.P >= 4; };

// t(1) = 0; t(P) = min over n of { n(s−1)G + max{ L' + t(n), g + t(P−n) } }.
double optimal(const LogGPs& q) {
  std::vector<double> t(index(q.P) + 1);
  for (int P = 2; P <= q.P; ++P) {
    t[index(P)] = HUGE_VAL;
    for (int n = 1; n < P; ++n)
      t[index(P)] =
          std::min(t[index(P)], n * q.sG + std::max(q.way() + t[index(n)], q.g + t[index(P - n)]));
  }
  return t[index(q.P)];
}

// Down a tree whose subtrees are ranges of ranks: a child hears after its message's way, the next
// one's leaves when the port and the processor are free.
template <auto tree_of>
Time down_tree(const Model& model, const Asked& a) {
  constexpr int kMostRanks = 1 << 14;
  const bool alike = std::holds_alternative<Hockney>(model) ||
                     std::holds_alternative<LogP>(model) || std::holds_alternative<LogGP>(model) ||
                     std::holds_alternative<PLogP>(model);
  if (!alike || a.P < 2 || a.P > kMostRanks || a.bytes < 1 || a.segments() != 1) return {};
  std::vector<double> hears(index(a.P));
  for (Rank rank = 0; rank < a.P; ++rank) {
    const collectives::Tree tree = tree_of(a, rank);
    double begin = hears[index(rank)];
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      const Costs c = costs_of(model, tree.subtrees[i].count * a.bytes);
      hears[index(tree.children[i])] = begin + c.send + c.flight + c.receive;
      begin += std::max(c.gap, c.send);
    }
  }
  return *std::max_element(hears.begin(), hears.end());
}
constexpr auto kSplittingTree = [](const Asked& a, Rank rank) {
  return collectives::splitting(a.P, rank, 0);
};
constexpr auto kBinomialTree = [](const Asked& a, Rank rank) {
  return collectives::binomial(a.P, rank, 0, a.k);
};

constexpr auto kFastest = [](LogGPs q) {
  return (rounds(q.P, 1) - 1) * q.g + q.way() + (q.P - 1) * q.sG;
};

// Nothing if there is no gain.
constexpr auto kPaths = [](LogGPs q) {
  const double gain = (rounds(q.P, 1) - 1) * (q.way() - q.g);
  return gain <= 0 ? Time{} : Time(gain);
};

constexpr auto kSpeedUp = [](LogGPs q) {
  const Time gain = kPaths(q);
  return gain ? Time(*gain / 2) : gain;
};

constexpr auto kNWay = [](LogGPs q) {
  return rounds(q.P, q.k) * (q.o_s + (q.k - 1) * q.g + q.L + q.o_r) + (q.P - 1) * q.sG;
};

constexpr auto kLinear = [](LogGPs q) {
  return q.o_s + (q.P - 1) * (std::max(q.o_s, q.g) + q.sG) + q.L + q.o_r;
};

double linear(const LogfP& q, int messages) {
  const int n = messages;
  if (n <= q.f) return n * q.o_s(n) + q.L + q.o_r(1);
  return q.o_s(n) + q.L + q.o_r(1) + std::max((n - 1) * q.o_s(n), (n - q.f) * q.g);
}

constexpr Assumption kFirstInGap{"o_s_max <= g", [](const Model& model, const Asked&) {
                                   const auto& q = std::get<LogfP>(model);
                                   return q.o_s_max <= q.g;
                                 }};

// The port of a rank that has sent k messages is free when the last of them has arrived.
constexpr Assumption kBurstsWithinWay{"k·g < k·o_s(k) + L + o_r(1)",
                                      [](const Model& model, const Asked& a) {
                                        const auto& q = std::get<LogfP>(model);
                                        return a.k * q.g < a.k * q.o_s(a.k) + q.L + q.o_r(1);
                                      }};

constexpr Collective kScatter = Collective::scatter, kGather = Collective::gather;

constexpr std::string_view kCorrected = "IB 5.1.2, corrected",
                           kCorrectedTree = "IB 5.1.3, corrected";

const ClosedForm kScattersAndGathers[] = {
    {"IB 5.1.2", kScatter, "linear", "o_s + (P-1)(max{o_s, g} + (s-1)G) + L + o_r",
     loggp<[](LogGPs q) {
       return q.o_s + (q.P - 1) * (std::max(q.o_s, q.g) + q.sG) + q.L + q.o_r;
     }>,
     kNotAbove, "wrong: before the last of P-1 messages there are P-2 gaps, as in figure 4.2"},
    {kCorrected, kScatter, "linear", "o_s + L + o_r + (s-1)G + (P-2)max{o_s, g + (s-1)G}",
     loggp<[](LogGPs q) { return q.way() + q.sG + (q.P - 2) * std::max(q.o_s, q.g + q.sG); }>,
     kEqual, ""},
    {"IB 5.1.2",
     kScatter,
     "linear",
     "(P-1)o_s(P-1) + L + o_r(1), P-1 <= f; "
     "o_s(P-1) + L + o_r(1) + max{(P-2)o_s(P-1), (P-1-f)g}, P-1 > f",
     where<[](const Asked& a) { return a.segments() == 1; },
           logfp<[](const LogfP& q, const Asked& a) { return linear(q, a.P - 1); }>>,
     kNotAbove,
     "equal for P-1 <= f; beyond it the print takes the mean overhead for the last message, which "
     "costs o_s_min",
     {&kOverheadFalls, &kFirstInGap}},
    {"IB 5.1.3",
     kScatter,
     "recursive-splitting",
     "ceil(log2 P)(o_s + L + o_r) + (P-1)(s-1)G",
     where<kNoK, loggp<kSplitting>>,
     kNotBelow,
     kShort,
     {&kPowerOfTwo}},
    {"IB 5.1.3, min",
     kScatter,
     "recursive-splitting",
     "(log2(P)-1)g + L' + (P-1)(s-1)G, L' = o_s + L + o_r",
     where<kNoK, loggp<kFastest>>,
     kNotBelow,
     "of the root's last message, while others still go on",
     {&kPowerOfTwo, &kGapWithinWay}},
    {"IB 5.1.3, max",
     kScatter,
     "recursive-splitting",
     "(log2(P)-1)L' + L' + (P-1)(s-1)G, L' = o_s + L + o_r",
     where<kNoK, loggp<kSplitting>>,
     kNotBelow,
     kShort,
     {&kPowerOfTwo}},
    {"IB 5.1.3, max-min",
     kScatter,
     "recursive-splitting",
     "(log2(P)-1)(L' - g), P >= 4",
     where<kFourRanks, loggp<kPaths>>,
     kEqual,
     "of the ranks that pass nothing on, between the first and the last one",
     {&kPowerOfTwo, &kGapWithinWay, &kGapCoversSend},
     kApart,
     false,
     Quantity::spread},
    {"IB 5.1.4",
     kScatter,
     "loggp",
     "(log2(P)-1)((o_s + L + o_r) - g)/2, P >= 4",
     where<kFourRanks, loggp<kSpeedUp>>,
     kApart,
     "by how much it is faster than recursive splitting, at most; wrong: with g = 0 it gains twice "
     "as much, as the root sends all blocks at once",
     {},
     kApart,
     false,
     Quantity::gain},
    {kCorrectedTree, kScatter, "recursive-splitting",
     "max over ranks v of t(v), t of a child = t(v) + T(n·s) + what was sent before to others, "
     "each "
     "max{o_s, g(n·s)}; any P",
     where<kNoK, down_tree<kSplittingTree>>, kEqual, ""},
    {kCorrectedTree, kScatter, "binomial",
     "max over ranks v of t(v), t of a child = t(v) + T(n·s) + what was sent before to others, "
     "each "
     "max{o_s, g(n·s)}; any P and k",
     down_tree<kBinomialTree>, kEqual, ""},
    {"IB 5.2.2", kGather, "linear", "o_s + (P-1)(max{o_s, g} + (s-1)G) + L + o_r", loggp<kLinear>,
     kApart, "that of the scatter, whose mirror it is: there are P-2 gaps, of receptions"},
    {"IB 5.2.2",
     kGather,
     "recursive-splitting",
     "ceil(log2 P)(o_s + L + o_r) + (P-1)(s-1)G",
     where<kNoK, loggp<kSplitting>>,
     kNotBelow,
     kShort,
     {&kPowerOfTwo}},
    {"IB 5.2.2",
     kGather,
     "binomial",
     "ceil(log_{k+1} P)(o_s + (k-1)g + L + o_r) + (P-1)(s-1)G",
     loggp<kNWay>,
     kNotBelow,
     kShort,
     {&kPowerOfNext}},
    {kCorrectedTree,
     kScatter,
     "recursive-splitting",
     "log2(P)(o_s + L + o_r) + ((P-1)s - log2(P))G, P a power of two",
     where<kPower, loggp<[](LogGPs q) {
             return rounds(q.P, 1) * q.way() + q.bytes(q.P - 1, rounds(q.P, 1));
           }>>,
     kEqual,
     "",
     {&kGapWithinWay},
     kNotBelow},
    {"IB 5.1.3",
     kScatter,
     "recursive-splitting",
     "ceil(log2 P)(o_s(1) + L + o_r(1))",
     where<kNoK, logfp<kRoundsOfOne>>,
     kEqual,
     "",
     {&kGapWithinWay, &kOverheadFalls, &kPowerOfTwo}},
    {"IB 5.1.3", kScatter, "loggp", "t(P) = min_n{n(s-1)G + max{L'+t(n), g+t(P-n)}}",
     where<kNoK, loggp<[](LogGPs q) { return optimal(q); }>>, kApart,
     "the print has n(s-1) for ns - 1, and a sender's processor is not in it"},
    {"IB 5.1.3",
     kScatter,
     "binomial",
     "ceil(log_{k+1} P)(o_s + (k-1)g + L + o_r) + (P-1)(s-1)G",
     loggp<kNWay>,
     kNotBelow,
     kShort,
     {&kPowerOfNext}},
    {kCorrectedTree,
     kScatter,
     "binomial",
     "log_{k+1}(P)(o_s + (k-1)g + L + o_r) + ((P-1)s - k·log_{k+1}(P))G, P a power of k+1",
     where<kPowerOfK, loggp<[](LogGPs q) {
             return rounds(q.P, q.k) * (q.way() + (q.k - 1) * q.g) +
                    q.bytes(q.P - 1, q.k * rounds(q.P, q.k));
           }>>,
     kEqual,
     "",
     {&kGapWithinWay, &kGapCoversSend},
     kNotBelow},
    {"IB 5.1.3",
     kScatter,
     "binomial",
     "ceil(log_{k+1} P)(k·o_s(k) + L + o_r(1))",
     logfp<[](const LogfP& q, const Asked& a) {
       return rounds(a.P, a.k) * (a.k * q.o_s(a.k) + q.L + q.o_r(1));
     }>,
     kEqual,
     "",
     {&kBurstsWithinWay, &kOverheadFalls, &kPowerOfNext, &kWithinBurst}},
};

}  // namespace

std::span<const ClosedForm> scatters_and_gathers() noexcept { return kScattersAndGathers; }

}  // namespace tutti::models::ib
