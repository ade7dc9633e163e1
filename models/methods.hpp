// LogGP's parameters by the methods of measuring that IB §4.3.3 describes. Pure. Microseconds.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace tutti::models {

// Times that the methods measure between two ranks, of one message each, of the least size but
// where it says so.
struct MethodTimes {
  Bytes least = 1, longest = 1;
  double round_trip = 0;  // with an answer as long
  // Culler et al.: sends in a row, until the sender may go on: few of them, and many; and a round
  // trip in which the sender waits for `delay`, until the answer is there, before it receives.
  double few = 0, many = 0, delay = 0, delayed_round_trip = 0;
  // Kielmann et al.: many messages and one answer without bytes; one send, and one receive of what
  // is there; a round trip without bytes.
  double answered = 0, send = 0, receive = 0, empty_round_trip = 0;
  // Bell et al.: as before, but never more than so many sends under way; the same of the longest
  // size; and with a pause between the begin and the end of each send, or of each receive.
  double window = 0, longest_window = 0, pause = 0, paused_sends = 0, paused_receives = 0;
  // Hoefler et al.: by PRTT(n, d, s).
  double overhead = 0, gap = 0, gap_per_byte = 0;
};

// Nothing: the method does not say.
struct ByMethod {
  std::string_view whose;
  std::optional<double> o_s{}, o_r{}, g{}, L{}, G{};
};

// In the order of the years in which they were published. L is LogP's, of Kielmann PLogP's, RTT/2 −
// g, and of the last two half a round trip, end to end. Differences are given as they are: below
// zero where the machine is not what the method takes it to be.
std::vector<ByMethod> by_methods(const MethodTimes& times);

}  // namespace tutti::models
