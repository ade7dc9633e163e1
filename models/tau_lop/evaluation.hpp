// The cost of a collective under τ-Lop, found from the schedules of all ranks and the mapping of
// ranks to nodes. TAU §3 to §5. Pure.
//
// Stages follow each other (§4): in each, a rank sends at most one message and receives at most
// one, of those that it could by then (§A.2, A4). A message is a sequence of transfers; of long
// ones each is cut into segments, which follow each other through the transfers (3.4). In a step of
// a stage each process copies at most once, and each message is at most once on the network. A step
// costs what its slowest channel takes: the memory of a node with all copies of its processes, or
// the network to a node with all messages to it (§3.5). Ranks combine and copy by themselves
// between stages.
//
// If a stage has segmented messages in memory and others over the network, the former come first
// (§5.3: "two separate transmissions, which do not intersperse their transfers").
#pragma once

#include <functional>
#include <vector>

#include "collectives/analysis/world.hpp"
#include "models/tau_lop/cost.hpp"
#include "protocols/protocol_for.hpp"

namespace tutti::models::tau_lop {

// A transfer of a message, and who is busy with it.
enum class Hop : std::uint8_t {
  by_sender,    // a copy within the sender's node
  on_wire,      // through the network
  by_receiver,  // a copy within the receiver's node
};

// How a message travels.
struct Way {
  std::vector<Hop> hops;  // at least one
  Bytes segment = 0;      // 0: whole
  Bytes least = 0;        // length that a shorter message is transferred as
};
using Ways = std::function<Way(Bytes bytes, protocols::Use use, int channel)>;

// The thesis': within a node two copies, from `above` bytes on in segments; over the network a
// copy, the network, and a copy (3.1 to 3.3).
Ways ways_of_thesis(Bytes above, Bytes segment);
// Tutti's own, as its channel has them (protocols/protocol_for.hpp): a slot of an eager ring is
// written by the sender, goes over the network, and is read by the receiver, unless combining reads
// it; a message without bytes takes as long as one of a byte. A rendezvous is one copy, by the
// sender or the receiver, or one write over the network.
Ways ways_of_tutti(const protocols::Limits& within, const protocols::Limits& between);

struct Evaluation {
  Cost cost;
  int stages = 0;
};

// `node`: of each rank. Throws Error{internal} if messages do not pair off.
Evaluation evaluate(collectives::World& world, const std::vector<int>& node, const Ways& ways);

}  // namespace tutti::models::tau_lop
