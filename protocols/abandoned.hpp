// Abandoned: the buffers of a channel's transfers that were given up, until nobody else accesses
// them. The peer may still be accessing the buffer of a receive; it answers once it knows that the
// communicator has failed. The adapter may still be reading the buffer of a send, and what the peer
// gets so it takes for the message.
//
// Before a caller gives buffers back it sees that the peer hears of the failure, waits a while for
// withdrawing(), longer for what writing() says is under way, and for being_read() to end, breaks
// off where the adapter reads on, and calls revoke() for all channels, then release().
#pragma once

#include "protocols/rendezvous_invites.hpp"
#include "protocols/rendezvous_moves.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

class Abandoned {
 public:
  // All must outlive this object.
  Abandoned(transport::Link& link, RendezvousInvites& invites, RendezvousMoves& moves) noexcept
      : link_(link), invites_(invites), moves_(moves) {}

  // The peer may access buffers, and has not answered.
  bool withdrawing() const noexcept { return invites_.withdrawing(); }
  // Asks the peer which of its writes are under way; `again`: once more, if it has not answered.
  void ask(bool again) noexcept {
    if (transport::Inquiry* const inquiry = link_.capabilities().inquiry) inquiry->ask(again);
  }
  // By its answer, and what has come since.
  transport::Writing writing() const noexcept { return invites_.writing_abandoned(); }
  // The adapter may read the buffer of a send.
  bool being_read() const noexcept { return moves_.reads_abandoned(); }
  // The connection is lost, and soon the adapter reads nothing more: it leaves out no single
  // message.
  void break_off() noexcept;
  // Takes away all rights to access the buffers. If the peer does so nevertheless, some transports
  // lose the connection. If others use the registration, the connection is broken off.
  void revoke() noexcept;
  void release() noexcept;
  // The peer is accessing a buffer at this moment, whether the link has failed or not. It ends
  // soon, unless the peer was stopped: whoever gives the buffer back before gives it to two.
  bool being_accessed() const noexcept {
    transport::Revocation* const revocation = link_.capabilities().revocation;
    return revocation && withdrawing() && !closed() && revocation->peer_lives();
  }

 private:
  bool closed() const noexcept { return link_.state() == transport::State::closed; }

  transport::Link& link_;
  RendezvousInvites& invites_;
  RendezvousMoves& moves_;
};

}  // namespace tutti::protocols
