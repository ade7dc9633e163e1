// RendezvousInvites: the inviting half of rendezvous (rendezvous.hpp), with one peer.
//
// Promises: a buffer stays registered while the peer may access it, also after its transfer was
// abandoned, until that is revoked; no communicator, and no call before an earlier one, uses up the
// identifiers; an entry that the peer requests waits for no other calls. Leaves to the caller: to
// see that the peer learns of a failed communicator, so that it answers, and to call progress().
#pragma once

#include <array>
#include <bitset>

#include "protocols/control.hpp"
#include "protocols/rendezvous.hpp"

namespace tutti::protocols {

class RendezvousInvites {
 public:
  // All must outlive this object.
  RendezvousInvites(transport::Link& link, Rings& rings, Control& control, UserMemory& memory,
                    Complaint& complaint)
      : revocation_(link.capabilities().revocation),
        inquiry_(link.capabilities().inquiry),
        rings_(rings),
        control_(control),
        memory_(memory),
        complaint_(complaint) {}
  ~RendezvousInvites() {
    revoke_abandoned();
    release_abandoned();
  }

  // The peer writes into `data`.
  Answer recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes) noexcept {
    return invite(Access::write, transfer, name, data, bytes);
  }
  // The peer reads from `data`.
  Answer send(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes) noexcept {
    return invite(Access::read, transfer, name, data, bytes);
  }
  // See Channel, for these. Transfers in phases of other protocols are left alone.
  void abandon(Transfer& transfer) noexcept;
  bool withdrawing() const noexcept { return exposed_.any(); }
  transport::Writing writing_abandoned() const noexcept;
  void revoke_abandoned() noexcept;
  bool remains_exposed() const noexcept;
  void release_abandoned() noexcept;
  // Ends what was abandoned and has its outcome.
  void progress() noexcept {
    if (abandoned_.any()) end_abandoned();
  }

 private:
  Answer invite(Access access, Transfer& transfer, const MessageName& name, const void* data,
                Bytes bytes) noexcept;
  Answer send_entry(Access access, Transfer& transfer, const MessageName& name, const void* data,
                    Bytes bytes) noexcept;
  void end_abandoned() noexcept;
  void release(std::uint32_t id) noexcept;
  void free_identifier(std::uint32_t id) noexcept;
  bool may_take_identifier(const MessageName& name, Access access) const noexcept;
  // Identifiers that are left for entries that the peer requests.
  static constexpr std::uint32_t kForRequests = 8;

  transport::Revocation* const revocation_;  // null: the device knows none
  transport::Inquiry* const inquiry_;        // null: as well
  Rings& rings_;
  Control& control_;
  UserMemory& memory_;
  Complaint& complaint_;
  // By identifier. Exposed: abandoned, and the peer has not lost its right to access the buffer.
  // Revoked: abandoned, and so was its region.
  std::bitset<kMostRendezvous> used_, abandoned_, exposed_, revoked_;
  std::array<EntryRequest, kMostRendezvous> invitations_{};  // the peer may have requested them
  std::array<registration::Region*, kMostRendezvous> abandoned_regions_{};
};

}  // namespace tutti::protocols
