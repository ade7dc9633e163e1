// Rendezvous: a large message goes straight from the sender's memory into the receiver's. One rank
// invites the other to its buffer, and the other moves the data: mostly the sender, which writes;
// where the receivers are to copy (protocol_for.hpp), the receiver, which reads.
//
//     the inviting half (RendezvousInvites)         the moving half (RendezvousMoves)
//
//     registers its buffer, chooses an identifier
//     and sends a ready entry                   ->  keeps the entry until its own transfer is
//                                                   called; registers its buffer, and writes or
//                                               <-  reads the data
//     done                                      <-  `finished`: all data is where it belongs
//     failed                                    <-  or `withdrawn`: the call has failed here, and
//                                                   nothing will be moved
//
// Identifiers are few. A message that may as well go in pieces (Channel::send_either()) takes one
// only if it is free. A call that finds none left waits, and so that it never waits for other
// calls, a rank that moves data, and sees many entries but not the one that its transfer needs,
// sends a REQUEST for that one. Some identifiers are kept for requests: there, the other end is
// waiting too, so each of them is soon free again.
//
// Ready entries go through the ring `ready`, outcomes through the ring `control`, unless the link
// can tell `finished` together with the data (Capabilities::notifies). Every entry gets one of the
// two outcomes, even if who invited gives up first: until then its identifier is in use, and the
// peer may write, unless the device can revoke the invitation (transport::Revocation).
//
// This header holds what both halves share: the entry, and the buffers.
#pragma once

#include <utility>

#include "protocols/complaint.hpp"
#include "protocols/control.hpp"
#include "registration/cache.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

// A ready entry. With its trailer it takes one cache line.
struct ReadyEntry {
  transport::RemoteKey memory;
  std::uint32_t rendezvous;
  Access access;

  // Whether a peer can have written this. The device or the kernel checks the address.
  bool credible(bool fetches) const noexcept {
    return rendezvous < kMostRendezvous && memory.address + memory.length >= memory.address &&
           (access == Access::write || (access == Access::read && fetches));
  }
};
static_assert(sizeof(ReadyEntry) + sizeof(transport::Trailer) <= kCacheLine);

// Buffers of callers, registered if the link needs that. Links that need none have no cache.
class UserMemory {
 public:
  UserMemory(transport::Link& link, registration::Cache* cache, Complaint& complaint)
      : cache_(link.capabilities().registrar ? cache : nullptr), complaint_(complaint) {}

  // failed: the buffer cannot be registered, and the complaint says why.
  enum class Hold : std::uint8_t { failed, held, registered /* now, which may have taken long */ };
  // Registers the transfer's buffer, once. `writable`: the peer may write to it.
  Hold hold(Transfer& transfer, const void* data, Bytes bytes, bool writable) noexcept;
  static transport::Registration registration(const Transfer& transfer) noexcept {
    return transfer.region ? transfer.region->registration : transport::Registration{};
  }
  // The transfer needs its buffer no more.
  void release(Transfer& transfer) noexcept {
    registration::Region* const region = std::exchange(transfer.region, nullptr);
    if (!transfer.lent) release(region);
  }
  // The region of a transfer that is given up while others still access its buffer; the caller
  // releases it. Null: its buffer is not registered.
  registration::Region* take(Transfer& transfer) noexcept {
    registration::Region* const region = std::exchange(transfer.region, nullptr);
    if (region && transfer.lent) cache_->share(region);
    return region;
  }
  // Null: nothing is registered.
  registration::Cache* cache() const noexcept { return cache_; }
  // Null is fine.
  void release(registration::Region* region) noexcept {
    if (region) cache_->release(region);
  }
  // Takes away the right to access the region, once all that use it have done so, and released it.
  void revoke(registration::Region* region) noexcept {
    if (region) cache_->revoke(region);
  }
  void release_revoked(registration::Region* region) noexcept {
    if (region) cache_->release_revoked(region);
  }
  // Whether transfers use the region that have not revoked it.
  bool serves_others(const registration::Region* region) const noexcept {
    return region && cache_->serves_others(region);
  }

 private:
  registration::Cache* const cache_;
  Complaint& complaint_;
};

}  // namespace tutti::protocols
