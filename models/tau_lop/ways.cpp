// Finds the hops of a message, by its length and its protocol: copies, and the wire.
#include <utility>

#include "models/tau_lop/evaluation.hpp"

namespace tutti::models::tau_lop {

using protocols::Limits;
using protocols::Protocol;
using protocols::Use;

Ways ways_of_thesis(Bytes above, Bytes segment) {
  return [=](Bytes bytes, Use, int channel) {
    if (channel == kNetwork) return Way{{Hop::by_sender, Hop::on_wire, Hop::by_receiver}};
    return Way{{Hop::by_sender, Hop::by_receiver}, bytes > above ? segment : 0};
  };
}

Ways ways_of_tutti(const Limits& within, const Limits& between) {
  return [=](Bytes bytes, Use use, int channel) {
    const Limits& limits = channel == kMemory ? within : between;
    const Protocol protocol = protocols::protocol_for(bytes, use, limits);
    const bool wire = channel == kNetwork;
    if (protocol == Protocol::rendezvous) return Way{{wire ? Hop::on_wire : Hop::by_sender}};
    // The sender measures whether two copies take less time; they are said to take no more.
    if (protocols::may_be_fetched(protocol)) return Way{{wire ? Hop::on_wire : Hop::by_receiver}};
    Way way{{Hop::by_sender}, 0, 1};
    if (wire) way.hops.push_back(Hop::on_wire);
    // Operands that are combined out of the ring are read by combining.
    if (use != Use::combined || !protocols::combines_on_arrival(bytes, 1, use, limits))
      way.hops.push_back(Hop::by_receiver);
    if (protocol == Protocol::pieces) way.segment = protocols::piece_bytes(limits);
    return way;
  };
}

}  // namespace tutti::models::tau_lop
