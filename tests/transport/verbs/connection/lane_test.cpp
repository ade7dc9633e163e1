// The shares of large messages: when a message is complete, and what notices say.
#include "transport/verbs/connection/lane.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "tests/transport/verbs/ends.hpp"

using namespace tutti::transport;
using namespace tutti::transport::verbs;

TEST_CASE("a message is complete when all its shares are, in order", "[verbs]") {
  Shares shares(3);
  CHECK(shares.add({2, 2, 0}) == 1);
  CHECK(shares.add({4, 3, 5}) == 2);
  CHECK(shares.posted(2)[2] == 5);
  CHECK(shares.complete({1, 2, 9}) == 0);
  CHECK(shares.complete({2, 2, 9}) == 1);
  CHECK(shares.complete({4, 3, 4}) == 1);
  CHECK(shares.add({5, 3, 5}) == 3);
  CHECK(shares.complete({5, 3, 5}) == 3);
  // By the first rail alone, and by none: what was written before counts, too.
  shares.add({6, 0, 0});
  CHECK(shares.add({0, 0, 0}) == 5);
  CHECK(shares.posted(5)[0] == 6);
  CHECK(shares.posted(5)[2] == 5);
  CHECK(shares.complete_all() == 5);
}

TEST_CASE("a lane's packets are as long as both of its ends can carry", "[verbs]") {
  const tutti::tests::FakeVerbs fake;
  tutti::tests::End end(1);
  Rail rail({.device = "fake0"}, 512, [](std::string_view) {});
  for (const ibv_mtu theirs : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024}) {
    Lane lane(rail, {}, end.link), peer(rail, {}, end.link);
    LaneInfo info = peer.info();
    CHECK(info.mtu == IBV_MTU_512);
    info.mtu = static_cast<std::uint16_t>(theirs);
    lane.attach(info);
    CHECK(fake.mtu_of(lane.connection().queue_pair()) == std::min(theirs, IBV_MTU_512));
  }
}

TEST_CASE("there is an end to messages under way", "[verbs]") {
  Shares shares(2);
  std::uint64_t posted = 0;
  while (!shares.full()) shares.add({++posted, posted});
  CHECK(shares.complete({1, 1}) == 1);
  CHECK_FALSE(shares.full());
  CHECK(shares.complete({posted, posted}) == posted);
}

TEST_CASE("a notice names the rendezvous, and the rails that it came by", "[verbs]") {
  for (const std::uint32_t id : {0u, 1u, kInvitations - 1})
    for (std::uint32_t rails = 1; rails <= kMostRails; ++rails) {
      const Immediate notice(Immediate::finished(id, rails).word());
      CHECK(notice.kind() == Immediate::Kind::finished);
      CHECK(notice.id() == id);
      CHECK(notice.rails() == rails);
    }
}
