// The link over verbs: what completions tell, growth, and each way to end.
#include "transport/verbs/connection/link.hpp"

#include <arpa/inet.h>

#include <catch2/catch.hpp>

#include "tests/transport/verbs/connection/linked.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;
using tests::End;
using tests::grow_over;
using tests::Linked;

namespace {

// The peer sends a word that no rank sends, by its small queue pair.
void send_word(End& from, std::uint32_t word) {
  const Connection& connection = from.link.connection();
  ibv_send_wr wr{}, *bad = nullptr;
  wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
  wr.imm_data = htonl(word);
  wr.wr_id = WorkId::send(from.link.peer(), 1).word();
  REQUIRE(ibv_post_send(connection.queue_pair(), &wr, &bad) == 0);
}

}  // namespace

TEST_CASE("messages and credits go both ways", "[verbs][verbs-link]") {
  Linked two(1, GENERATE(Arrival::imm, Arrival::tail, Arrival::flag));
  REQUIRE(two.a.put(Ring::line, 1, "ping") == Post::done);
  REQUIRE(two.b.put(Ring::line, 1, "pong") == Post::done);
  REQUIRE(two.a.link.report(Ring::small, 3) == Post::done);
  two.progress();
  REQUIRE(two.b.link.inbox().arrived(Ring::line, 1));
  CHECK(two.b.text_of_message(Ring::line, 1) == "ping");
  REQUIRE(two.a.link.inbox().arrived(Ring::line, 1));
  CHECK(two.a.text_of_message(Ring::line, 1) == "pong");
  CHECK(two.b.link.inbox().reported(Ring::small) == 3);
  CHECK(two.a.link.has_queue_pair(two.a.link.connection().queue_pair()->qp_num));
  CHECK_FALSE(two.a.link.has_queue_pair(two.b.link.connection().queue_pair()->qp_num));
}

TEST_CASE("what comes by the large side is put behind the small one", "[verbs][verbs-link]") {
  Linked two;
  tests::enlarge_ends(two.a, two.b);
  REQUIRE(two.a.put(Ring::line, 1, "small") == Post::done);
  REQUIRE(two.a.growth().grow_out() == Post::done);
  CHECK(two.a.link.outbox().grown());
  REQUIRE(two.a.put(Ring::line, 2, "large") == Post::done);
  two.progress();
  Inbox& inbox = two.b.link.inbox();
  CHECK(inbox.must_grow());
  CHECK(inbox.arrived(Ring::line, 1));
  CHECK_FALSE(inbox.arrived(Ring::line, 2));
  CHECK(two.b.text_of_message(Ring::line, 1) == "small");
  two.b.growth().grow_in();
  CHECK(inbox.arrived(Ring::line, 2));
  CHECK(two.b.text_of_message(Ring::line, 2) == "large");
  // Credits still go by the small queue pair, both ways.
  REQUIRE(two.b.link.report(Ring::line, 2) == Post::done);
  two.progress();
  CHECK(two.a.link.inbox().reported(Ring::line) == 2);
  CHECK_FALSE(two.a.link.state().failed());
}

TEST_CASE("a rank that leaves in order is no failure", "[verbs][verbs-link]") {
  Linked two;
  const bool grown = GENERATE(false, true);
  if (grown) {
    tests::enlarge_ends(two.a, two.b);
    grow_over(two.a, two.b);
  }
  CHECK_FALSE(two.a.link.drained());
  two.progress();
  CHECK(two.b.link.state() == State::closed);
  CHECK(two.a.link.drained());
  // Nothing more comes from it: what this end sends is lost, and counts as complete.
  two.fake.break_pair(two.a.link.connection().queue_pair()->qp_num);
  CHECK(two.b.put(Ring::line, 1, "late") == Post::done);
  two.b.progress();
  CHECK(two.b.link.state() == State::closed);
  CHECK(two.b.link.drained());
  CHECK_FALSE(two.b.link.take_failure());
}

TEST_CASE("a disconnect waits for what was sent before it", "[verbs][verbs-link]") {
  Linked two;
  tests::enlarge_ends(two.a, two.b);
  REQUIRE(two.a.growth().grow_out() == Post::done);
  REQUIRE(two.a.put(Ring::line, 1, "last") == Post::done);
  two.a.link.send_disconnect();
  std::vector<ibv_wc> came;
  two.b.queues.poll([&](const ibv_wc& completion) { came.push_back(completion); });
  REQUIRE(came.size() == 3);  // moved, the message, the disconnect
  two.b.link.complete(came[1], 0);
  two.b.link.complete(came[2], 0);
  CHECK(two.b.link.state() == State::ready);
  SECTION("which comes in the end") {
    two.b.link.complete(came[0], 0);
    two.b.growth().grow_in();
    CHECK(two.b.link.state() == State::closed);
    CHECK(two.b.text_of_message(Ring::line, 1) == "last");
  }
  SECTION("or never: the small queue pair has failed, and the second probe knows") {
    two.fake.break_pair(two.a.link.connection().queue_pair()->qp_num);
    REQUIRE(two.b.link.report(Ring::line, 1) == Post::done);
    two.b.progress();
    CHECK(two.b.link.state() == State::ready);
    two.b.link.probe();
    CHECK(two.b.link.state() == State::ready);
    two.b.link.probe();
    CHECK(two.b.link.state().code() == Code::peer_failed);
    CHECK_THAT(two.b.link.state().text(), Catch::Contains("its last messages are lost"));
  }
}

TEST_CASE("a peer that answers no more fails the link, and hears of it", "[verbs][verbs-link]") {
  Linked two;
  REQUIRE(two.a.put(Ring::line, 1, "before") == Post::done);
  two.fake.break_pair(two.b.link.connection().queue_pair()->qp_num);
  const bool down = GENERATE(false, true);
  if (down) two.fake[0].ports[0].state = IBV_PORT_DOWN;
  CHECK_FALSE(two.a.link.state().failed());
  two.a.link.probe();
  two.a.progress();
  CHECK(two.a.link.state().code() == Code::peer_failed);
  CHECK_THAT(two.a.link.state().text(),
             Catch::Contains("rank 1 of MPI_COMM_WORLD no longer answers on device fake0"));
  CHECK_THAT(two.a.link.state().text(),
             Catch::Contains(down ? "port 1 of that device is down" : "its process has died"));
  CHECK(two.a.put(Ring::line, 2, "after") == Post::failed);
  CHECK(two.a.datagrams >= 1);
  CHECK(two.a.link.take_failure());
  CHECK_FALSE(two.a.link.take_failure());
}

TEST_CASE("a link that fails stops all of its queue pairs", "[verbs][verbs-link]") {
  Linked two(2);
  tests::enlarge_ends(two.a, two.b);
  two.a.link.fail(Code::out_of_memory, "a test");
  // Whichever of them the peer looks at.
  const LargeSide& large = *two.b.link.larger().side();
  for (const ibv_qp* const pair :
       {two.b.link.connection().queue_pair(), large.connection.queue_pair(),
        large.lanes[0].connection().queue_pair()}) {
    ibv_send_wr wr{}, *bad = nullptr;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.wr_id = WorkId::send(0, 1, pair != two.b.link.connection().queue_pair()).word();
    REQUIRE(ibv_post_send(const_cast<ibv_qp*>(pair), &wr, &bad) == 0);
  }
  int failed = 0;
  const auto count = [&](const ibv_wc& wc) { failed += wc.status == IBV_WC_RETRY_EXC_ERR; };
  two.b.queues.poll(count);
  two.b.rails[0].queues.poll(count);
  CHECK(failed == 3);
}

TEST_CASE("words that no rank sends are not believed", "[verbs][verbs-link]") {
  Linked two;
  const auto [word, part] = GENERATE(table<std::uint32_t, const char*>({
      {5u << 29 | 7u << 26, "credits for ring 7"},
      {6u << 29 | 64u, "transfer 64 over 1 rails"},
      {6u << 29 | 1u << 27, "transfer 0 over 2 rails"},
      {7u << 29 | 1u, "moves to a larger connection that does not exist"},
  }));
  send_word(two.b, word);
  two.a.progress();
  CHECK(two.a.link.state().code() == Code::transport_failed);
  CHECK_THAT(two.a.link.state().text(), Catch::Contains(part));
}

TEST_CASE("a peer that has given this rank up names the cause", "[verbs][verbs-link]") {
  Linked two;
  SECTION("of a connection that was ready") {
    two.a.link.peer_gave_up(Code::out_of_memory);
    CHECK(two.a.link.state().code() == Code::out_of_memory);
  }
  SECTION("of one that was being made") {
    VerbsLink link(two.a.context, 1);
    link.peer_gave_up(Code::unreachable);
    CHECK(link.state().code() == Code::unreachable);
    CHECK_THAT(link.state().text(), Catch::Contains("has given this rank up"));
  }
  SECTION("but not after it has left") {
    two.b.link.send_disconnect();
    two.progress();
    two.a.link.peer_gave_up(Code::out_of_memory);
    CHECK(two.a.link.state() == State::closed);
  }
}

TEST_CASE("receives that were used up come back, for as many messages as one likes",
          "[verbs][verbs-link]") {
  const bool shares = GENERATE(true, false);
  Linked two(1, Arrival::imm, [&](auto& fake) {
    if (!shares) fake[0].limits.max_srq = 0;
  });
  for (std::uint32_t sequence = 1; sequence <= 3000; ++sequence) {
    REQUIRE(two.a.put(Ring::line, sequence, "x") == Post::done);
    if (sequence % 8 == 0) two.progress();
  }
  two.progress();
  CHECK(two.b.link.inbox().arrived(Ring::line, 3000));
  // A device that takes no more of them ends the connection.
  two.fake.refuse("ibv_post_recv", ENOMEM);
  for (std::uint32_t sequence = 1; sequence <= 32; ++sequence) {
    two.a.put(Ring::line, sequence, "x");
    two.progress();
  }
  CHECK(two.b.link.state().code() == Code::transport_failed);
  CHECK_THAT(two.b.link.state().text(), Catch::Contains("takes no more receive requests"));
}
