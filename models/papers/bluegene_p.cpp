// The constants of HPM for BlueGene/P, and the bounds that follow from them.
#include "models/papers/bluegene_p.hpp"

#include <algorithm>
#include <cmath>

#include "models/platform/json.hpp"
#include "models/platform/names.hpp"

namespace tutti::models {
namespace {

constexpr double kG = 0.00267;       // us per byte of one link, eq. 1
constexpr double kTree = 13;         // α_T: start-up of the tree network
constexpr double kTreeBcast = 0.31;  // a stage of it
constexpr double kTreeSum = 0.37;
constexpr double kLeastSum = 17.77;          // measured up to 4096 ranks
constexpr double kAllreduceInBcasts = 2.68;  // large ones, in units of a broadcast
constexpr double kGap = 0.84;                // of an alltoall
constexpr double kAlpha = 4.5;               // L + 2o, eq. 1
constexpr int kLinks = 6;                    // of a node

double one_message(int, Bytes bytes) {
  static const Model model = parse_platform(find_published("bluegene-p")->json).between;
  return time_of(model, bytes);
}
double worst_message(int P, Bytes bytes) {
  return one_message(P, bytes) +
         kG * static_cast<double>(bytes) * (std::max(1.0, torus_congestion(P)) - 1);
}

double bcast(int P, Bytes bytes) {
  const double small = kTree + kTreeBcast * std::log2(P);
  return bytes <= 8 ? small : small + kG / kLinks * static_cast<double>(bytes);
}

double allreduce(int P, Bytes bytes) {
  if (bytes > 8) return kAllreduceInBcasts * bcast(P, bytes);
  return std::max(kLeastSum, kTree + kTreeSum * std::log2(P));
}

// S is what each rank has for each other.
double alltoall_to_each(int P, double each, double load) {
  return kGap * (P - 1) + each * kG * std::max((P - 1) / double{kLinks}, load);
}
double alltoall_with(int P, Bytes bytes, double load) {
  const double small = kAlpha + kGap * (P - 1);
  if (bytes <= 8 * static_cast<Bytes>(P)) return small;
  return alltoall_to_each(P, static_cast<double>(bytes) / P, load);
}
double alltoall(int P, Bytes bytes) { return alltoall_with(P, bytes, torus_alltoall_load(P)); }
double worst_alltoall(int P, Bytes bytes) {
  return alltoall_with(P, bytes, torus_alltoall_load_printed(P));
}

double alltoall_each(int P, Bytes bytes) {
  return alltoall_to_each(P, static_cast<double>(bytes), torus_alltoall_load(P));
}
double worst_alltoall_each(int P, Bytes bytes) {
  return alltoall_to_each(P, static_cast<double>(bytes), torus_alltoall_load_printed(P));
}

double barrier(int, Bytes) { return 0.95; }
double no_match(int, Bytes) { return 0; }
double matching(int requests, Bytes) { return 0.1 * requests; }

constexpr Statement kStatements[] = {
    {"barrier", "HPM §2", "\u0398(1)", "0.95 us", "", barrier, barrier},
    {"matching", "HPM §3", "O(R)", "at most 0.1 us R, a queue of R requests; here R = P",
     "a bound from above: the message that is matched comes last in the queue", no_match, matching},
    {"message", "HPM eqs. 1, 2", "\u0398(S), O(S P^1/3)",
     "4.5 us (S <= 256), 5.7 us (S <= 1024) or 9.8 us, + 2.67 ns/B S; at most 3/2 P^1/3 as much "
     "for "
     "the bytes",
     "", one_message, worst_message},
    {"bcast", "HPM \u00a74", "\u0398(S + log P)", "13 us + 0.31 us log2 P + 2.67/6 ns/B S (S > 8)",
     "", bcast, bcast},
    {"allreduce", "HPM \u00a74", "\u0398(S + log P)",
     "max{17.77 us, 13 us + 0.37 us log2 P} for 8 bytes; else 2.68 times a broadcast",
     "its own start-up is not printed: that of the broadcast is taken, and what was measured up to "
     "4096 ranks",
     allreduce, allreduce},
    {"alltoall", "HPM \u00a74", "\u0398(P + S P^1/3)",
     "4.5 us + 0.84 us (P-1) for 8 bytes to each; else 0.84 us (P-1) + S/P 2.67 ns/B "
     "max{(P-1)/6, load}",
     "printed as a lower bound, but the load it takes is one from above: a rank at distance 0 in a "
     "dimension is counted twice; and its S is the bytes to each",
     alltoall, worst_alltoall},
    {"alltoall-each", "HPM §4", "\u0398(P + S P^4/3)",
     "0.84 us (P-1) + S 2.67 ns/B max{(P-1)/6, load}, S bytes to each",
     "as printed, with the load from above: (P^1/3)(P^1/3/2 + 1)^3", alltoall_each,
     worst_alltoall_each},
};

}  // namespace

std::span<const Statement> bluegene_p() noexcept { return kStatements; }

double torus_congestion(int P) noexcept { return 1.5 * std::cbrt(P); }

// Σ |x| + |y| + |z| over all nodes, for each of k³ senders, on 6 k³ links: k²(k² − 1)/8.
double torus_alltoall_load(int P) noexcept {
  const double k = std::cbrt(P);
  return k * k * (k * k - 1) / 8;
}
double torus_alltoall_load_printed(int P) noexcept {
  const double k = std::cbrt(P);
  return k * std::pow(k / 2 + 1, 3);
}

}  // namespace tutti::models
