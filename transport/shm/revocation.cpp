// Changes the words by which two processes open, enter and revoke invitations.
#include "transport/shm/revocation.hpp"

namespace tutti::transport::shm {

ShmRevocation::ShmRevocation(Link& link, Segment& segment, int local_rank, int local_peer) noexcept
    : link_(link),
      segment_(segment),
      local_peer_(local_peer),
      mine_(segment.invitations(local_rank, local_peer)),
      peers_(segment.invitations(local_peer, local_rank)) {}

void ShmRevocation::check(std::uint8_t state) noexcept {
  if (state > Invitations::revoked)
    link_.fail_as_corrupt("it has brought an invitation into state %lld, which cannot be", state);
}

bool ShmRevocation::enter(std::uint32_t invitation) noexcept {
  std::uint8_t state = Invitations::open;
  if (peers_.states[invitation].compare_exchange_strong(state, Invitations::entered)) return true;
  check(state);
  return false;
}

void ShmRevocation::leave(std::uint32_t invitation) noexcept {
  peers_.states[invitation] = Invitations::open;
}

// Data read before the fence is older than the word read behind it.
bool ShmRevocation::is_revoked(std::uint32_t invitation) const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return peers_.states[invitation] == Invitations::revoked;
}

bool ShmRevocation::revoke(std::uint32_t invitation) noexcept {
  std::uint8_t state = Invitations::open;
  if (mine_.states[invitation].compare_exchange_strong(state, Invitations::revoked)) return true;
  check(state);
  return state != Invitations::entered;
}

void ShmRevocation::reopen(std::uint32_t invitation) noexcept {
  mine_.states[invitation] = Invitations::open;
}

}  // namespace tutti::transport::shm
