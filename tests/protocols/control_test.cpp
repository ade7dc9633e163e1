// News, and how rendezvous ended.
#include <catch2/catch.hpp>
#include <vector>

#include "protocols/control.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Control;
using protocols::Outcome;
using protocols::Rings;

namespace {

// The control rings alone, over a wire that is quick and always has room.
struct ControlPair {
  HostileNet net;
  Ear ears[2];
  Rings rings[2];
  Control controls[2];
  explicit ControlPair(bool polls)
      : net(2, kTiny, {.polls_memory = polls, .refuse = 0, .deliver = 1}),
        rings{{net.link(0, 1), ears[0]}, {net.link(1, 0), ears[1]}},
        controls{{net.link(0, 1), rings[0], ears[0]}, {net.link(1, 0), rings[1], ears[1]}} {}
  void settle() {
    for (int i = 0; i < 100; ++i) {
      net.step();
      for (int r = 0; r < 2; ++r) {
        controls[r].read();
        rings[r].send_reports();
        controls[r].news().send();
      }
    }
  }
};

}  // namespace

TEST_CASE("an outcome is kept for its rendezvous until the identifier is used again", "[control]") {
  for (const bool polls : {true, false}) {
    ControlPair pair(polls);
    Control &sender = pair.controls[0], &receiver = pair.controls[1];
    for (const std::uint32_t id : {3u, 63u}) receiver.expect(id);
    REQUIRE(sender.send_finished(3) == Answer::done);
    pair.settle();
    REQUIRE(sender.send_withdrawn(63, {.communicator = 9, .code = Code::timed_out}) ==
            Answer::done);
    pair.settle();
    for (std::uint32_t id = 0; id < protocols::kMostRendezvous; ++id)
      CHECK(receiver.outcome(id).kind == (id == 3    ? Outcome::Kind::finished
                                          : id == 63 ? Outcome::Kind::withdrawn
                                                     : Outcome::Kind::pending));
    CHECK(receiver.outcome(63).code == Code::timed_out);
    CHECK(pair.ears[1].last.communicator == 9);
    receiver.expect(3);
    CHECK(receiver.outcome(3).kind == Outcome::Kind::pending);
  }
}

TEST_CASE("a request is kept until it is forgotten", "[control]") {
  using protocols::Access;
  ControlPair pair(true);
  const protocols::EntryRequest request{{1, 2, 3}, Access::read};
  REQUIRE(pair.controls[0].send_request(request) == Answer::done);
  pair.settle();
  CHECK(pair.controls[1].requested(request));
  CHECK_FALSE(pair.controls[1].requested({request.name, Access::write}));
  CHECK_FALSE(pair.controls[1].requested({{1, 2, 4}, Access::read}));
  pair.controls[1].forget(request);
  CHECK_FALSE(pair.controls[1].requested(request));
}

TEST_CASE("of more news than can wait, the earlier ones arrive, in order", "[control]") {
  ControlPair pair(true);
  constexpr int kWaiting = 32;  // and one that found a slot
  for (CommunicatorId id = 1; id <= 100; ++id)
    pair.controls[0].news().announce({.communicator = id, .code = Code::timed_out});
  CHECK(pair.controls[0].news().pending());
  while (pair.controls[0].news().pending()) {
    const auto before = pair.ears[1].last.communicator;
    pair.net.step();
    pair.controls[1].read();
    pair.rings[1].send_reports();
    pair.controls[0].news().send();
    CHECK(pair.ears[1].last.communicator - before <= 1);
  }
  pair.settle();
  CHECK(pair.ears[1].heard == kWaiting + 1);
  CHECK(pair.ears[1].last.communicator == kWaiting + 1);
}

TEST_CASE("a failure is told before the withdrawals that follow from it", "[control]") {
  ControlPair pair(true);
  Control& teller = pair.controls[0];
  Ear& ear = pair.ears[1];
  pair.controls[1].expect(3);
  teller.news().announce({.communicator = 1, .code = Code::timed_out});  // takes the only slot
  teller.news().announce({.communicator = 2, .code = Code::peer_failed, .culprit = 5});
  REQUIRE(teller.news().pending());
  const protocols::News consequence{.communicator = 2, .code = Code::timed_out};
  Answer answer = Answer::again;
  std::vector<Code> causes;  // of communicator 2, as they come
  for (int i = 0; i < 100 && causes.size() < 2; ++i) {
    if (answer == Answer::again) answer = teller.send_withdrawn(3, consequence);
    pair.net.step();
    const int before = ear.heard;
    pair.controls[1].read();
    if (ear.heard != before && ear.last.communicator == 2) causes.push_back(ear.last.code);
    pair.rings[1].send_reports();
  }
  CHECK(causes == std::vector{Code::peer_failed, Code::timed_out});
  CHECK(pair.controls[1].outcome(3).kind == Outcome::Kind::withdrawn);
}

TEST_CASE("what is only mentioned leaves credits for announcements", "[control]") {
  Pair pair({15, true, true, false});
  for (int i = 0; i < 100; ++i) {
    pair.channels[0].news().mention({.kind = protocols::News::Kind::waits, .communicator = 1});
    pair.net.step();
  }
  pair.channels[0].news().announce({.communicator = 3, .code = Code::timed_out, .culprit = 0});
  CHECK_FALSE(pair.channels[0].news().pending());
}

// A rank that waits long mentions it again and again, and the peer may have nothing to answer.
TEST_CASE("what is mentioned goes on when the peer has read it, and said nothing", "[control]") {
  for (const bool polls : {true, false}) {
    ControlPair pair(polls);
    for (int i = 1; i <= 20; ++i) {
      pair.controls[0].news().mention({.kind = protocols::News::Kind::waits, .communicator = 1});
      pair.settle();
      REQUIRE(pair.ears[1].heard == i);
    }
  }
}

TEST_CASE("news of a failed communicator arrives, also through one slot", "[control]") {
  Pair pair({10, false, true, false}, kTiny);
  for (CommunicatorId id = 1; id <= 3; ++id)
    pair.channels[0].news().announce({.communicator = id, .code = Code::peer_failed, .culprit = 5});
  REQUIRE(pair.until([&] { return pair.ears[1].heard == 3; }));
  CHECK(pair.ears[1].last.code == Code::peer_failed);
  CHECK(pair.ears[1].last.communicator == 3);
  CHECK(pair.ears[1].last.culprit == 5);
  CHECK(pair.ears[1].told_by == 0);
  CHECK_FALSE(pair.channels[0].news().pending());
}
