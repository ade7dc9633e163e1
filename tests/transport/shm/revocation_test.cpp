// An invitation over shared memory: the guest enters, or the owner revokes it, whoever is first.
#include "transport/shm/revocation.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/transport/fresh_name.hpp"
#include "transport/shm/link.hpp"

using namespace tutti::transport;
using namespace tutti::transport::shm;

TEST_CASE("an invitation is entered or revoked, whoever is first", "[shm]") {
  constexpr InboxShape kShape{{{{64, 4}, {1088, 4}, {4160, 2}, {64, 4}, {64, 4}}}};
  // One rank, which is its own peer: owner and guest.
  Segment segment(tutti::tests::fresh_name(), 0, 1, kShape, Copy::twice,
                  [](std::int64_t mine) { return mine; });
  segment.connect(0);
  REQUIRE(segment.allocate_invitations(0, 0) == 0);
  ShmLink link(kShape, 0, segment, 0, 0);
  REQUIRE(link.capabilities().revocation);
  Revocation& invitations = *link.capabilities().revocation;
  CHECK(invitations.peer_lives());
  for (const std::uint32_t one : {0u, 5u, kInvitations - 1}) {
    for (int write = 0; write < 2; ++write) {
      CHECK(invitations.enter(one));
      CHECK_FALSE(invitations.revoke(one));
      CHECK_FALSE(invitations.is_revoked(one));
      invitations.leave(one);
    }
    CHECK(invitations.revoke(one));
    CHECK(invitations.is_revoked(one));
    CHECK_FALSE(invitations.enter(one));
    CHECK(invitations.revoke(one));  // it stays so
    CHECK_FALSE(invitations.is_revoked(7));
    invitations.reopen(one);
    CHECK_FALSE(invitations.is_revoked(one));
    CHECK(invitations.enter(one));
    invitations.leave(one);
  }
  CHECK(link.state() == State::ready);
}
