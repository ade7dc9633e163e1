// Revocation of invitations over shared memory: each has a word in the segment, which is open until
// the guest enters or the owner revokes it, whoever is first.
#pragma once

#include "transport/link.hpp"
#include "transport/revocation.hpp"
#include "transport/shm/memory.hpp"

namespace tutti::transport::shm {

class ShmRevocation final : public Revocation {
 public:
  // Between two local ranks of the segment; it and the link outlive this.
  ShmRevocation(Link& link, Segment& segment, int local_rank, int local_peer) noexcept;

  bool enter(std::uint32_t invitation) noexcept override;
  void leave(std::uint32_t invitation) noexcept override;
  bool is_revoked(std::uint32_t invitation) const noexcept override;
  bool revoke(std::uint32_t invitation) noexcept override;
  bool peer_lives() noexcept override { return segment_.members().lives(local_peer_); }
  void reopen(std::uint32_t invitation) noexcept override;

 private:
  void check(std::uint8_t state) noexcept;

  Link& link_;
  Segment& segment_;
  const int local_peer_;
  Invitations &mine_, &peers_;
};

}  // namespace tutti::transport::shm
