// The stages of a larger connection, from the request for it on.
#include "transport/verbs/connection/larger.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "base/error.hpp"
#include "tests/transport/verbs/ends.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::End;
using Stage = Larger::Stage;

TEST_CASE("a larger connection is requested once", "[verbs][larger]") {
  const tests::FakeVerbs fake;
  End end(1);
  Larger& larger = end.link.larger();
  CHECK(larger.stage() == Stage::possible);
  CHECK_FALSE(larger.side());
  for (int i = 0; i < 3; ++i) larger.want();
  CHECK(larger.stage() == Stage::wanted);
  CHECK(end.wanted_larger == 1);
  larger.give_up();
  larger.want();
  CHECK(larger.stage() == Stage::impossible);
  CHECK(end.wanted_larger == 1);
}

TEST_CASE("messages may go by it when the peer's end can receive, too", "[verbs][larger]") {
  const tests::FakeVerbs fake(tests::rail_names(3));
  End a(1, 3), b(0, 3);
  tests::connect_ends(a, b);
  for (End* const end : {&a, &b}) {
    CHECK(end->link.larger().rails() == 3);
    end->link.larger().make();
    CHECK(end->link.larger().stage() == Stage::begun);
  }
  LargeSide& side = *a.link.larger().side();
  const LaneInfos lanes = b.link.larger().lane_infos();
  CHECK(lanes[0].queue_pair != 0);
  CHECK(lanes[1].queue_pair != 0);
  CHECK(lanes[2].queue_pair == 0);  // there is no fourth rail
  a.link.larger().attach(b.link.larger().side()->connection.info(), Arrival::imm, IBV_MTU_1024,
                         b.device.lid(), b.device.gid(), lanes);
  CHECK(side.connection.attached());
  CHECK(side.lanes[1].connection().peer_info().queue_pair == lanes[1].queue_pair);
  CHECK_FALSE(a.link.outbox().may_grow());
  a.link.larger().become_ready();
  CHECK(a.link.larger().stage() == Stage::ready);
  CHECK(a.link.outbox().may_grow());
}

TEST_CASE("attaching that has failed goes on where it stopped", "[verbs][larger]") {
  tests::FakeVerbs fake(tests::rail_names(2));
  End a(1, 2), b(0, 2);
  tests::connect_ends(a, b);
  a.link.larger().make();
  b.link.larger().make();
  const auto attach = [&] {
    a.link.larger().attach(b.link.larger().side()->connection.info(), Arrival::imm, IBV_MTU_1024,
                           b.device.lid(), b.device.gid(), b.link.larger().lane_infos());
  };
  LargeSide& side = *a.link.larger().side();
  fake.refuse("ibv_modify_qp to RTR", EHOSTUNREACH, 1);
  CHECK_THROWS_AS(attach(), Error);
  CHECK_FALSE(side.lanes[0].connection().attached());
  // This time the lane has a path, and the connection none; a lane cannot be attached twice.
  side.lanes[0].attach(b.link.larger().lane_infos()[0]);
  fake.refuse("ibv_modify_qp to RTR", EHOSTUNREACH, 1);
  CHECK_THROWS_AS(attach(), Error);
  CHECK_FALSE(side.connection.attached());
  attach();
  CHECK(side.connection.attached());
}
