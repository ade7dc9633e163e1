// How many rounds the schedules of all ranks take, counted for `tutti list` and for tests. Pure.
#pragma once

#include <functional>
#include <span>

#include "collectives/analysis/world.hpp"

namespace tutti::collectives {

inline constexpr int kAnyPorts = 0;

// Which messages of a rank may go: all that are ready, the earliest step first; or each only after
// those that were written before it.
enum class Order { ready, written };

// In a round every rank sends at most `ports` messages and gets at most as many, of those that
// could go when the round began; all of them arrive at its end. With kAnyPorts this is the length
// of the longest chain of messages each of which waits for the one before. −1: some rank never
// finishes, or the messages do not pair off.
int rounds(World& world, int ports = kAnyPorts, Order order = Order::ready);
int rounds(std::span<const Schedule> all_ranks, int ports = kAnyPorts, Order order = Order::ready);

struct Message {
  Place send, receive;
};
// Called for the events of each round, in this order: the steps of all ranks that need no message
// any more, which combine or copy, one by one; then the messages of the round, together.
struct RoundObserver {
  std::function<void(Place)> local;
  std::function<void(std::span<const Message>)> messages;
};
int rounds(World& world, int ports, Order order, const RoundObserver& observer);

}  // namespace tutti::collectives
