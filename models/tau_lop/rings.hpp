// From what rings of messages and broadcasts took to the parameters of τ-Lop. TAU §7.3, §7.4. Pure.
// Microseconds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/platform/costs.hpp"
#include "models/tau_lop/parameters.hpp"

namespace tutti::models::tau_lop {

// The time of `tau` processes of a node at once, each with `bytes`.
struct AtOnce {
  Bytes bytes;
  int tau;
  double time;
};

// A broadcast down the binomial tree of P processes of a node, or over the network of P that are in
// turn on two nodes, until the last one has it.
struct TreeTime {
  Bytes bytes;
  int P;
  double time;
};

// Readings of a channel.
struct Rings {
  double round_trip = 0;  // of messages without bytes, RTT(0)
  // Each process has sent a message and has one; tau 1: half a round trip. At least one.
  std::vector<AtOnce> rings;
  Bytes eager = kNever;                // longer messages wait for their receiver
  std::vector<TreeTime> broadcasts{};  // of sizes that rings have; may be none
};

struct RingReadings {
  std::optional<Rings> within, between;  // one of them at least
  std::vector<AtOnce> combining;         // each process combines two operands
  double copy_per_byte = 0;              // without `within`: what processes copy with
  std::optional<Parameters::Protocols> protocols{};
};

// o(m) = RTT(0)/2 (7.2); for what waits for its receiver RTT(0), which is what a synchronous
// message without bytes takes (7.3): the message, and the other way the word that it is wanted.
// L(m,τ) = (Ring − o)/h, where h copies of a message follow each other within a node: 2 in (7.4),
// 1 where the protocol copies once. Over the network what copies take comes off first (7.6). A
// ring's time for more bytes or more processes is never less: L grows with m and with τ (§3.3).
//
// Broadcasts are more equations for the same L(m,τ), such as 2o + 2L(m,1) + 2L(m,2) for four
// processes: those that τ-Lop has for their schedules. Then L(m,τ) has the least sum of squares
// over rings and broadcasts of m bytes (§7.4).
//
// A channel that was not measured has the numbers of the other one.
Parameters derive(const RingReadings& readings);

}  // namespace tutti::models::tau_lop
