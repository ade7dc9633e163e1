// The costs of one message by a point-to-point model, and their meaning when schedules run under
// it. Pure. Times in microseconds.
//
// A rank has one processor and two ports, one for what it sends and one for what it receives. With
// two levels (messages within a node and between nodes) it has two ports for each. A step of a
// schedule may start when its predecessors are done (collectives/schedule/cursor.hpp). Then:
//
//   send            starts when the processor and the sending port are free. The processor is busy
//                   for `send`, the port for `gap`. The step is done after `held`. The last byte
//                   is at the receiver's port `send + flight` after the start. (LogP, IB figures
//                   4.1 and 4.2: o_s, g, L.)
//   receive         messages pass the receiver's port in the order in which they reach it as a
//                   whole, at least `spacing` apart. (LogP: g separates receptions as it does
//                   transmissions.) As an adapter's packets do, those of two messages mix: one that
//                   comes while a longer one is under way passes before it, which loses that time
//                   only. Then the processor is busy for `receive`, and for what combining takes.
//   copy, reduce    the processor is busy for what the platform says.
//
// If several steps of a rank could start, the one that stands first in the schedule does. A send
// that waits for the port leaves the processor to others: a message that arrives within a gap is
// received within it (IB §5.3.2, modified ring). A step that has begun is not interrupted.
//
// Messages longer than `rendezvous_above` wait for the receiver. When the receive may start, the
// receiver sends a notice, which costs what a message of no bytes costs, but nothing on its
// arrival, because it is an RDMA write; the send starts after that. (IB §5.1.2: "this adds o_s +
// L"; LogGPS.)
//
// Within a node long messages go in pieces (Platform::piece). The receiver takes and combines the
// first ones while the sender makes the next ones. So a receive that waits starts so early that it
// ends when the last piece has been taken, but not before the first piece has come. Ring slots for
// pieces are taken to be free.
//
// Nothing else is shared: messages of different ranks do not slow each other down, unless the
// ranks of a node share its ports between nodes (Platform::shared_ports). A port of several
// adapters (Platform::adapters) passes as many messages at a time. The gap of the sending port may
// depend on how many ranks its rank sends to (Platform::gap_by_destinations).
#pragma once

#include <limits>

#include "base/types.hpp"

namespace tutti::models {

struct Costs {
  double send = 0;     // the sender's processor
  double held = 0;     // from the start, until steps that wait for the send may start
  double gap = 0;      // the sender's port, from the start
  double flight = 0;   // from the end of `send`, until the last byte is at the receiver's port
  double spacing = 0;  // the receiver's port
  double receive = 0;  // the receiver's processor
  // A burst is what a port passes until it has nothing to do (LogfP): the processor is busy for
  // `send_next` and `receive_next` with every message of it but the first, and messages may be this
  // far ahead of the port's turn.
  double send_next = 0, receive_next = 0;
  double ahead = 0;
};

inline constexpr Bytes kNever = std::numeric_limits<Bytes>::max();

}  // namespace tutti::models
