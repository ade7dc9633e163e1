// How many rounds the schedules of all ranks take: the one counter of `tutti list` and of the
// tests. Pure.
#pragma once

#include <span>

#include "collectives/schedule/schedule.hpp"

namespace tutti::collectives {

inline constexpr int kAnyPorts = 0;

// Which of a rank's messages may go: all that are ready, the earliest step first; or each only
// after those written before it.
enum class Order { ready, written };

// In a round every rank sends at most `ports` messages and gets at most as many, of those that
// could go when the round began; all arrive at its end. With kAnyPorts it is the longest chain of
// messages each of which waits for the one before. −1: it does not end, or the messages do not pair
// off.
int rounds(std::span<const Schedule> all_ranks, int ports = kAnyPorts, Order order = Order::ready);

}  // namespace tutti::collectives
