// From what was measured between ranks to the parameters of each model. Pure. Times in
// microseconds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "models/platform/fitting.hpp"
#include "models/platform/point_to_point.hpp"

namespace tutti::models {

// PRTT(n, d, s) is the time of n messages of s bytes with a delay of d between them, and of one
// message of s bytes back after the last. IB §4.3.3.
struct Readings {
  struct Size {
    Bytes bytes = 0;
    double round_trip = 0;    // PRTT(1, 0, s)
    double gap = 0;           // (PRTT(n, 0, s) − PRTT(1, 0, s)) / (n − 1)
    double o_s = 0, o_r = 0;  // the processor's part of a send, and of a receive
    double sent = 0;          // from the start of a send until its bytes may be reused
  };
  std::vector<Size> sizes;  // ascending
  // For n = 1, 2, … distinct peers, with the least size: the mean overhead of a send and of a
  // receive, and the time until the last peer has its message.
  struct Peers {
    double o_s = 0, o_r = 0, time = 0;
  };
  std::vector<Peers> peers;
  // The gap of a long burst with the least size whose messages go to n ranks in turn, for some n,
  // ascending from 1; it lies from `low` to `high` with 95 %.
  struct Destinations {
    int n = 1;
    double gap = 0, low = 0, high = 0;
  };
  std::vector<Destinations> destinations;
  // Times of collectives of P ranks, for some P: barriers, in which all signal the root, which
  // answers each; and broadcasts of `bytes` from rank to rank, not cut.
  struct Collective {
    int P = 2;
    Bytes bytes = 0;
    double time = 0;
  };
  std::vector<Collective> flat_barriers, chains;
  Bytes eager = kNever;  // the longest message that does not wait for its receiver

  std::vector<Sample> times() const;  // of one message: half a round trip
  std::vector<Sample> gaps() const;
};

// Half a round trip without the overheads, IB §4.3.3; 0 if they are all of it, as they are where
// processors carry the bytes.
double latency_of(const Readings& readings) noexcept;

inline constexpr std::string_view kFittedPLogP = "plogp-fitted";

// Models that can be derived: those of point_to_point.hpp by name, "hockney-table", and
// "plogp-fitted": PLogP as OCC §6.1 fits it. L and g(0) are those of the flat tree's formula
// P·g + 2L (table 1) over several P, and g(m) that of a chain of P ranks, (P-1)(L + g(m)) (table
// 2); overheads are those of messages.
std::vector<std::string_view> derivable();
// Throws Error{bad_configuration}: there is no such model, or its fit does not converge, and for
// which sizes. logfp needs two peers at least, plogp-fitted barriers of two numbers of ranks and
// one chain.
Model derive(std::string_view model, const Readings& readings);

// The factor on the gap by the number of destinations (GapByDestinations): the gap to n of them,
// as a share of that to one. A factor that noise may have made out of 1 is 1. Nothing: all are, or
// fewer than two numbers of destinations were measured.
std::optional<Curve> gap_by_destinations(const Readings& readings);

}  // namespace tutti::models
