// The inviting half of rendezvous: identifiers, from the ready entry to the outcome.
#include "protocols/rendezvous_invites.hpp"

#include <algorithm>
#include <utility>

namespace tutti::protocols {

using Phase = Transfer::Phase;
using transport::Ring;

Answer RendezvousInvites::invite(Access access, Transfer& transfer, const MessageName& name,
                                 const void* data, Bytes bytes) noexcept {
  if (transfer.phase == Phase::begin)
    if (const Answer answer = send_entry(access, transfer, name, data, bytes);
        answer != Answer::done)
      return answer;
  control_.read();
  const Outcome outcome = control_.outcome(transfer.rendezvous);
  if (outcome.kind == Outcome::Kind::pending) return Answer::again;
  free_identifier(transfer.rendezvous);
  transfer.phase = Phase::begin;
  memory_.release(transfer);
  if (outcome.kind == Outcome::Kind::finished) return Answer::done;
  return complaint_.about_exchange(
      outcome.code, access == Access::write
                        ? "it gave up the call in which it was to send; see the error it returned"
                        : "it gave up the call in which it was to receive; see the error it "
                          "returned");
}

Answer RendezvousInvites::send_entry(Access access, Transfer& transfer, const MessageName& name,
                                     const void* data, Bytes bytes) noexcept {
  if (!may_take_identifier(name, access) || !rings_.may_put(Ring::ready, &transfer))
    return rings_.not_yet();
  if (memory_.hold(transfer, data, bytes, access == Access::write) == UserMemory::Hold::failed)
    return Answer::failed;
  std::uint32_t id = 0;
  while (used_[id]) ++id;
  const ReadyEntry entry{{reinterpret_cast<std::uint64_t>(data), static_cast<std::uint64_t>(bytes),
                          UserMemory::registration(transfer).remote_keys},
                         id,
                         access};
  const Answer answer =
      rings_.put(Ring::ready, &transfer, name, &entry, transport::Length(sizeof entry));
  if (answer != Answer::done) return answer;
  control_.expect(id);
  used_.set(id);
  invitations_[id] = {name, access};
  transfer.rendezvous = id;
  transfer.phase = Phase::awaits_outcome;
  return Answer::done;
}

// Once half of the identifiers are used, a call gets another one only if neither it nor an earlier
// call of its communicator has any: so others find some, and the earliest of several calls always
// goes on. The last ones are left for requests. Entries that no peer requests cannot use all, so
// one is always free, or in a transfer that both ends have called.
bool RendezvousInvites::may_take_identifier(const MessageName& name, Access access) const noexcept {
  if (used_.count() < kMostRendezvous / 2) return true;
  if (used_.all()) return false;
  if (control_.requested({name, access})) return true;
  if (used_.count() >= kMostRendezvous - kForRequests) return false;
  for (std::size_t id = 0; id < kMostRendezvous; ++id)
    if (const MessageName& other = invitations_[id].name;
        used_[id] && other.communicator == name.communicator &&
        !is_earlier(name.collective, other.collective))
      return false;
  return true;
}

// A request may come when its entry has been sent already, but not after the outcome.
void RendezvousInvites::free_identifier(std::uint32_t id) noexcept {
  used_.reset(id);
  control_.forget(invitations_[id]);
}

void RendezvousInvites::abandon(Transfer& transfer) noexcept {
  if (transfer.phase != Phase::awaits_outcome) return;
  abandoned_.set(transfer.rendezvous);
  exposed_.set(transfer.rendezvous);
  abandoned_regions_[transfer.rendezvous] = memory_.take(transfer);
  end_abandoned();
}

// The identifier is in use until the peer has answered, even if it cannot access the buffer.
void RendezvousInvites::end_abandoned() noexcept {
  for (std::uint32_t id = 0; id < kMostRendezvous; ++id) {
    if (!abandoned_[id]) continue;
    if (control_.outcome(id).kind != Outcome::Kind::pending) {
      abandoned_.reset(id);
      exposed_.reset(id);
      free_identifier(id);
      if (revocation_) revocation_->reopen(id);
      release(id);
    } else if (exposed_[id] && revocation_ && revocation_->revoke(id)) {
      exposed_.reset(id);
    }
  }
}

transport::Writing RendezvousInvites::writing_abandoned() const noexcept {
  auto most = transport::Writing::no;
  for (std::uint32_t id = 0; id < kMostRendezvous; ++id)
    if (exposed_[id] && inquiry_) most = std::max(most, inquiry_->writing(id));
  return most;
}

void RendezvousInvites::release(std::uint32_t id) noexcept {
  registration::Region* const region = std::exchange(abandoned_regions_[id], nullptr);
  revoked_[id] ? memory_.release_revoked(region) : memory_.release(region);
  revoked_.reset(id);
}

void RendezvousInvites::revoke_abandoned() noexcept {
  for (std::size_t id = 0; id < kMostRendezvous; ++id) {
    if (!abandoned_regions_[id] || revoked_[id]) continue;
    memory_.revoke(abandoned_regions_[id]);
    revoked_.set(id);
  }
}

// A region that others use stays registered, and the peer has its key.
bool RendezvousInvites::remains_exposed() const noexcept {
  for (std::size_t id = 0; id < kMostRendezvous; ++id)
    if (exposed_[id] && memory_.serves_others(abandoned_regions_[id])) return true;
  return false;
}

// Without its registration the peer has lost the right, unless revocation alone decides.
void RendezvousInvites::release_abandoned() noexcept {
  if (!revocation_) exposed_.reset();
  for (std::uint32_t id = 0; id < kMostRendezvous; ++id) release(id);
}

}  // namespace tutti::protocols
