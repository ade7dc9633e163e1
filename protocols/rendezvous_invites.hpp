// RendezvousInvites: the inviting half of rendezvous (rendezvous.hpp), with one peer.
//
// Promises: a buffer stays registered while the peer may write to it, also after its receive was
// abandoned; no communicator, and no call before an earlier one, uses up the identifiers. Leaves to
// the caller: to see that the peer learns of a failed communicator, so that it answers, and to call
// progress().
#pragma once

#include <array>
#include <bitset>

#include "protocols/control.hpp"
#include "protocols/rendezvous.hpp"

namespace tutti::protocols {

class RendezvousInvites {
 public:
  // All must outlive this object.
  RendezvousInvites(Rings& rings, Control& control, UserMemory& memory, Complaint& complaint)
      : rings_(rings), control_(control), memory_(memory), complaint_(complaint) {}
  ~RendezvousInvites() { revoke_abandoned(); }

  Answer recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes) noexcept;
  // See Channel, for these three. Transfers in phases of other protocols are left alone.
  void abandon(Transfer& transfer) noexcept;
  bool withdrawing() const noexcept { return abandoned_ != revoked_; }
  void revoke_abandoned() noexcept;
  // Ends what was abandoned and has its outcome.
  void progress() noexcept {
    if (abandoned_.any()) end_abandoned();
  }

 private:
  Answer invite(Transfer& transfer, const MessageName& name, void* data, Bytes bytes) noexcept;
  void end_abandoned() noexcept;
  bool may_take_identifier(const MessageName& name) const noexcept;

  Rings& rings_;
  Control& control_;
  UserMemory& memory_;
  Complaint& complaint_;
  // By identifier.
  std::bitset<kMostRendezvous> used_, abandoned_;
  std::bitset<kMostRendezvous> revoked_;  // abandoned, and the peer has lost its right to write
  std::array<MessageName, kMostRendezvous> names_{};
  std::array<registration::Region*, kMostRendezvous> abandoned_regions_{};
};

}  // namespace tutti::protocols
