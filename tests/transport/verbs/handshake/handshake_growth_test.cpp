// A hot link gets its larger connection, or stays small.
#include <catch2/catch.hpp>
#include <cerrno>
#include <random>

#include "tests/transport/verbs/fake_job.hpp"
#include "transport/verbs/handshake/handshake.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::FakeJob;
using namespace std::chrono_literals;
using Stage = Larger::Stage;

TEST_CASE("a link that asks for more gets it, at both ends", "[verbs][growth]") {
  FakeJob job(2);
  const std::size_t rails = GENERATE(1u, 2u);
  job.add_two({.rails = rails});
  VerbsLink& link = job.connected(0, 1);
  VerbsLink& back = job.connect(1, 0);
  if (GENERATE(false, true))
    job.fake.lose(
        [random = std::minstd_rand(5)](std::uint32_t) mutable { return random() % 2 != 0; });
  link.capabilities().growth->ask_for_more();
  if (GENERATE(false, true)) back.capabilities().growth->ask_for_more();
  REQUIRE(job.until([&] { return link.outbox().may_grow() && back.outbox().may_grow(); }));
  for (VerbsLink* const end : {&link, &back})
    REQUIRE(end->capabilities().growth->grow_out() == Post::done);
  REQUIRE(job.until([&] { return link.inbox().must_grow() && back.inbox().must_grow(); }));
  for (VerbsLink* const end : {&link, &back}) end->capabilities().growth->grow_in();
  // More messages than the small inbox has slots.
  for (std::uint32_t sequence = 1; sequence <= 64; ++sequence)
    REQUIRE(tests::put_text(link, sequence, "x") == Post::done);
  CHECK(job.until([&] { return back.inbox().arrived(Ring::line, 64); }));
  CHECK(link.larger().side()->lanes.size() == rails - 1);
  CHECK_FALSE(job.fake.overflowed());
}

TEST_CASE("packets are as long as both ends can carry, on all connections", "[verbs][growth]") {
  FakeJob job(2);
  const auto [one, other] = GENERATE(std::pair(256, 0), std::pair(0, 256), std::pair(512, 256));
  job.add({.rails = 2, .mtu = one});  // the port's is 1024
  job.add({.rails = 2, .mtu = other});
  job.introduce();
  VerbsLink& link = job.connected(0, 1);
  VerbsLink& back = job.connect(1, 0);
  link.capabilities().growth->ask_for_more();
  const auto ready = [](VerbsLink& end) { return end.larger().stage() == Stage::ready; };
  REQUIRE(job.until([&] { return ready(link) && ready(back); }));
  for (VerbsLink* const end : {&link, &back}) {
    const LargeSide& side = *end->larger().side();
    REQUIRE(side.lanes.size() == 1);
    for (const Connection* const some :
         {&end->connection(), &side.connection, &side.lanes[0].connection()}) {
      CHECK(job.fake.mtu_of(some->queue_pair()) == IBV_MTU_256);
    }
  }
}

TEST_CASE("a link for whose larger connection memory lacks stays small", "[verbs][growth]") {
  FakeJob job;
  job.add_two();
  VerbsLink& link = job.connected(0, 1);
  VerbsLink& back = job.connect(1, 0);
  SECTION("at the end that asks") {
    job.fake.refuse("ibv_reg_mr", ENOMEM, 1);
    link.capabilities().growth->ask_for_more();
    REQUIRE(job.until([&] { return link.larger().stage() == Stage::impossible; }));
    CHECK(back.larger().stage() == Stage::possible);
  }
  SECTION("at the other one, which says so") {
    job.fake.lose([](std::uint32_t) { return true; });
    link.capabilities().growth->ask_for_more();
    REQUIRE(job.until([&] { return link.larger().stage() == Stage::begun; }));
    job.fake.refuse("ibv_reg_mr", ENOMEM, 1);
    job.fake.lose({});
    REQUIRE(job.until([&] { return link.larger().stage() == Stage::impossible; }));
    CHECK(back.larger().stage() == Stage::impossible);
    CHECK(job.says("stays small: the peer has no memory for more"));
  }
  CHECK(job.says("of MPI_COMM_WORLD stays small: "));
  CHECK_FALSE(link.outbox().may_grow());
  CHECK_FALSE(back.outbox().may_grow());
  REQUIRE(tests::put_text(link, 1, "small") == Post::done);
  CHECK(job.until([&] { return back.inbox().arrived(Ring::line, 1); }));
}

TEST_CASE("a larger connection of which the peer says nothing is given up", "[verbs][growth]") {
  FakeJob job(2);
  job.add({.rails = 2, .timeout = 2000ms});
  job.add({.rails = 1, .timeout = 2000ms});  // it has other rails, and ignores such packets
  job.introduce();
  VerbsLink& link = job.connected(0, 1);
  link.capabilities().growth->ask_for_more();
  REQUIRE(job.until([&] { return link.larger().stage() == Stage::impossible; }));
  CHECK(job.says("stays small: the peer does not answer"));
  CHECK(link.state() == State::ready);
  CHECK(job.connect(1, 0).larger().stage() == Stage::possible);
}
