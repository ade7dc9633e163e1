// One send or receive while it proceeds: the state that the caller keeps for the channel, and the
// channel's answer to each attempt. Plain data.
#pragma once

#include <cstdint>

#include "base/types.hpp"

namespace tutti {
class PackedView;
}
namespace tutti::registration {
struct Region;
}

namespace tutti::protocols {

enum class Answer : std::uint8_t {
  done,    // sent (the local bytes may be reused), or received
  again,   // not yet: progress everything, then ask again with the same arguments
  failed,  // never: Channel::failure() says why
};

// Zeroed by the caller at the start, but for `view` and what is lent, and kept at one address until
// it is done or abandoned: waiting transfers are told apart by their addresses.
struct Transfer {
  // How far a rendezvous has come, or a receive from a ring whose sender has no credit (asks.hpp);
  // other transfers stay at `begin`.
  enum class Phase : std::uint8_t {
    begin,
    starved,            // nothing was consumed since `ticket`, and the message may not come
    asked,              // the peer was told that this transfer waits
    writes_parts,       // a part of the data was written, and its end was not
    awaits_outcome,     // the peer was invited, and may access the buffer until it answers
    owes_finished,      // the data was moved, and the peer has not been told
    awaits_completion,  // the adapter may still read the buffer
  };
  Phase phase = Phase::begin;
  bool lent = false;             // set by the caller at the start: the region is not the transfer's
  std::uint32_t rendezvous = 0;  // its identifier, by who invited
  // For a send: the value that Link::completed() must reach. For a starved receive: how many
  // messages of its ring were consumed; once it asked: how many must have come until it asks again.
  std::uint64_t ticket = 0;
  Bytes moved = 0;    // bytes that have gone in pieces, or in parts
  Bytes brought = 0;  // bytes to be sent that are in the room of the view, from the first on
  // It covers the buffer, once that is registered. A region that is lent stays the caller's, who
  // keeps it until the transfer is done or abandoned.
  registration::Region* region = nullptr;
  // Set by the caller at the start: the bytes are addresses in the room of this view. Null: they
  // are what they are.
  PackedView* view = nullptr;

  // Nothing of a send has been moved. One that goes_alone() waits for its receiver, and each
  // attempt looks whether that has invited it.
  bool is_to_be_moved() const noexcept { return phase <= Phase::asked; }
};

}  // namespace tutti::protocols
