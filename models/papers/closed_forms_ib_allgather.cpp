// IB §5.3.
#include "models/papers/closed_forms_ib.hpp"

namespace tutti::models::ib {
namespace {

using namespace assumed;

constexpr Assumption kOnePort{"k = 1", [](const Model&, const Asked& a) { return a.k == 1; }};

constexpr auto kOtherRanks = [](const Asked& a) { return a.k == 1 && !kPower(a); };

constexpr auto kRoundsOfBlocks = [](LogGPs q) {
  const double overheads = (q.k - 1) * (q.o_s + q.o_r);
  return rounds(q.P, q.k) * (q.o_s + q.o_r + q.sG + std::max((q.k - 1) * q.g + q.L, overheads));
};

constexpr auto kRoundsOfBruck = [](const LogfP& q, const Asked& a) {
  const double both = q.o_s(a.k) + q.o_r(a.k);
  return rounds(a.P, a.k) * (both + std::max((a.k - 1) * q.o_s(a.k) + q.L, (a.k - 1) * both));
};

constexpr auto kDoublingRounds = [](LogGPs q) {
  return rounds(q.P, 1) * q.way() + q.bytes(q.P - 1, rounds(q.P, 1));
};

double modified_ring(const LogfP& q, int P) {
  const int n = P - 1;
  const double o = q.o_s(n) + q.o_r(n);
  const double last = n <= q.f ? (n - 1) * q.o_s(n) : (n - q.f) * q.g;
  return o + std::max(last + q.L, (n - 1) * o);
}

constexpr std::string_view kOneBlock =
    "wrong for long blocks: messages grow from round to round, and the print has one block a "
    "round";

constexpr std::string_view kOneRound = "one message of each burst, which costs o_s(1) and o_r(1)";

constexpr std::string_view kCorrectedRing = "IB 5.3.2, corrected";

const ClosedForm kAllgathers[] = {
    {"IB 5.3.2",
     kAllgather,
     "ring",
     "(P-1)(o_s + L + o_r + (s-1)G)",
     loggp<[](LogGPs q) { return (q.P - 1) * (q.way() + q.sG); }>,
     kEqual,
     "",
     {&kGapWithinWay},
     kNotBelow},
    {kCorrectedRing, kAllgather, "ring",
     "o_s + L + o_r + (s-1)G + (P-2)(max{g, o_s + L + o_r} + (s-1)G)",
     loggp<[](LogGPs q) { return q.way() + q.sG + (q.P - 2) * (std::max(q.g, q.way()) + q.sG); }>,
     kEqual, ""},
    {"IB 5.3.2",
     kAllgather,
     "ring",
     "(P-1)(o_s(1) + L + o_r(1))",
     logfp<[](const LogfP& q, const Asked& a) { return (a.P - 1) * (q.o_s(1) + q.L + q.o_r(1)); }>,
     kEqual,
     kOneRound,
     {&kGapWithinWay}},
    {"IB 5.3.2", kAllgather, "modified-ring",
     "o_s + o_r + (P-1)(s-1)G + max{(P-2)g + L, (P-2)(o_s+o_r)}", loggp<[](LogGPs q) {
       return q.o_s + q.o_r + (q.P - 1) * q.sG +
              std::max((q.P - 2) * q.g + q.L, (q.P - 2) * (q.o_s + q.o_r));
     }>,
     kApart,
     "a bound for the ends: L may lie beside the overheads, and a receive that begins within a "
     "gap holds up the next send"},
    {kCorrectedRing,
     kAllgather,
     "modified-ring",
     "o_s + L + o_r + (P-1)(s-1)G + (P-2)g",
     loggp<[](LogGPs q) { return q.way() + (q.P - 1) * q.sG + (q.P - 2) * q.g; }>,
     kEqual,
     "",
     {&kReceivesInGaps}},
    {"IB 5.3.2", kAllgather, "modified-ring",
     "o_s(P-1) + o_r(P-1) + max{(P-2)o_s(P-1) + L, (P-2)(o_s(P-1) + o_r(P-1))}, P-1 <= f; "
     "(P-1-f)g for (P-2)o_s(P-1), P-1 > f",
     logfp<[](const LogfP& q, const Asked& a) { return modified_ring(q, a.P); }>, kApart,
     "the print takes mean overheads of P-1 messages; a receiver whose messages come g apart has "
     "no bursts"},
    {"IB 5.3.2", kAllgather, "neighbor-exchange", "P/2(o_s + L + o_r) + (P-1)(s-1)G",
     where<[](const Asked& a) { return a.P % 2 == 0; },
           loggp<[](LogGPs q) { return q.P / 2.0 * q.way() + (q.P - 1) * q.sG; }>>,
     kNotBelow, kShort},
    {"IB 5.3.2",
     kAllgather,
     "neighbor-exchange",
     "P/2(o_s(1) + L + o_r(1))",
     where<[](const Asked& a) { return a.P % 2 == 0; }, logfp<[](const LogfP& q, const Asked& a) {
             return a.P / 2.0 * (q.o_s(1) + q.L + q.o_r(1));
           }>>,
     kEqual,
     "",
     {&kGapWithinWay}},
    {kCorrectedRing,
     kAllgather,
     "neighbor-exchange",
     "P/2(o_s + L + o_r) + ((P-1)s - P/2)G, P even",
     where<[](const Asked& a) { return a.P % 2 == 0; },
           loggp<[](LogGPs q) { return q.P / 2.0 * q.way() + q.bytes(q.P - 1, q.P / 2.0); }>>,
     kEqual,
     "",
     {&kGapWithinWay},
     kNotBelow},
    {kCorrectedRing,
     kAllgather,
     "recursive-doubling",
     "log2(P)(o_s + L + o_r) + ((P-1)s - log2(P))G",
     where<kPower, loggp<[](LogGPs q) {
             return rounds(q.P, 1) * q.way() + q.bytes(q.P - 1, rounds(q.P, 1));
           }>>,
     kEqual,
     "",
     {&kGapWithinWay},
     kNotBelow},
    {"IB 5.3.2",
     kAllgather,
     "recursive-doubling",
     "log2(P)(o_s + L + o_r) + (P-1)(s-1)G",
     where<kNoK, loggp<kSplitting>>,
     kNotBelow,
     kShort,
     {&kPowerOfTwo}},
    {"IB 5.3.2",
     kAllgather,
     "recursive-doubling",
     "log2(P)(o_s(1) + L + o_r(1))",
     where<kNoK, logfp<kRoundsOfOne>>,
     kEqual,
     "",
     {&kGapWithinWay, &kPowerOfTwo}},
    {"IB 5.3.2", kAllgather, "recursive-doubling",
     "2ceil(log2 P)(o_s(1) + L + o_r(1)), P no power of two",
     where<kOtherRanks, logfp<[](const LogfP& q, const Asked& a) {
             return 2 * rounds(a.P, 1) * (q.o_s(1) + q.L + q.o_r(1));
           }>>,
     kApart, "steps of another extension; here two more than those of the power of two below P"},
    {kCorrectedRing,
     kAllgather,
     "bruck",
     "ceil(log2 P)(o_s + L + o_r) + ((P-1)s - ceil(log2 P))G, k = 1",
     where<kNoK, loggp<kDoublingRounds>>,
     kEqual,
     "a last round that sends own blocks only need not wait for the one before",
     {&kGapWithinWay, &kPowerOfTwo}},
    {"IB 5.3.2",
     kAllgather,
     "bruck",
     "ceil(log_{k+1} P)(o_s + o_r + (s-1)G + max{(k-1)g + L, (k-1)(o_s+o_r)})",
     loggp<kRoundsOfBlocks>,
     kNotBelow,
     "wrong for long blocks: the messages grow from round to round, (P-1)s bytes in all, and the "
     "print has one block a round",
     {&kGapCoversBoth, &kPowerOfNext}},
    {"IB 5.3.2",
     kAllgather,
     "bruck",
     "ceil(log_{k+1} P)(o_s(k) + o_r(k) + max{(k-1)o_s(k) + L, (k-1)(o_s(k) + o_r(k))})",
     logfp<kRoundsOfBruck>,
     kEqual,
     "with more ports, messages of a burst arrive while others are still to be sent",
     {&kGapWithinWay, &kOnePort, &kPowerOfTwo}},
    {"IB 5.3.2", kAllgather, "dissemination", "ceil(log2 P)(o_s + o_r + (s-1)G + L)",
     where<kNoK, loggp<kRoundsOfBlocks>>, kApart, kOneBlock},
    {"IB 5.3.2", kAllgather, "dissemination", "ceil(log2 P)(o_s(1) + L + o_r(1))",
     where<kNoK, logfp<kRoundsOfBruck>>, kApart,
     "blocks on either side of rank 0 are two messages"},
};

}  // namespace

std::span<const ClosedForm> allgathers() noexcept { return kAllgathers; }

}  // namespace tutti::models::ib
