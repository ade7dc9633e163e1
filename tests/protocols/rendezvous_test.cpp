// Large messages straight into user memory, and what becomes of abandoned ones.
#include <catch2/catch.hpp>

#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Channel;
using protocols::Transfer;

namespace {
constexpr auto kUse = protocols::Use::gathered;  // the sender writes, over every wire

// The program goes on with a buffer that it was given back.
void poison(std::vector<std::byte>& buffer) { std::ranges::fill(buffer, std::byte{0xBD}); }

void give_back(Channel& channel) {
  channel.abandoned().revoke();
  channel.abandoned().release();
}

}  // namespace

TEST_CASE("the buffer of an abandoned receive is left alone, and what it held is free again",
          "[rendezvous]") {
  for (const Hostility& hostility : all_kinds(12)) {
    if (!hostility.direct) continue;
    INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers);
    Pair pair(hostility);
    const auto sent = bytes_of(5000, 1);
    for (CollectiveNumber round = 0; round < 150; ++round) {
      // The sender learns that communicator 9 has failed before it sends, or right after the
      // write.
      const bool after = round % 2;
      std::vector<std::byte> got(5000);
      Transfer s, r;
      for (Ear& ear : pair.ears) ear.abandoned_id = 0;
      for (int i = 0; i < 20; ++i) {
        pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000, kUse);
        if (after) pair.channels[0].send(s, {9, round, 0}, sent.data(), 5000, kUse);
        pair.net.step();
      }
      for (Ear& ear : pair.ears) ear.abandoned_id = 9;
      pair.channels[1].abandon(r);
      if (after) pair.channels[0].abandon(s);
      REQUIRE(pair.until([&] { return !pair.channels[1].abandoned().withdrawing(); }));
      const auto then = got;
      if (!after)
        for (int i = 0; i < 50; ++i) {
          CHECK(pair.channels[0].send(s, {9, round, 0}, sent.data(), 5000, kUse) == Answer::again);
          pair.net.step();
        }
      CHECK(got == then);
      Transfer good_s, good_r;
      bool gone = false;
      REQUIRE(pair.until([&] {
        if (!gone)
          gone =
              pair.channels[0].send(good_s, {1, round, 0}, sent.data(), 5000, kUse) == Answer::done;
        return pair.channels[1].recv(good_r, {1, round, 0}, got.data(), 5000, kUse) ==
                   Answer::done &&
               gone;
      }));
      CHECK(got == sent);
    }
    REQUIRE(pair.until([&] { return pair.net.registrar.live == 0; }));
  }
}

TEST_CASE("an abandoned send is a failed receive, and never an arrival", "[rendezvous]") {
  for (const Hostility& hostility : all_kinds(16)) {
    if (!hostility.direct) continue;
    INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers);
    Pair pair(hostility);
    const auto sent = bytes_of(5000, 1);
    auto source = sent;
    for (CollectiveNumber round = 0; round < 150; ++round) {
      // The sender gives up before it sends, or during the send, and then uses its buffer for
      // something else. The receiver has not heard that the communicator has failed.
      const bool before = round % 2;
      std::vector<std::byte> got(5000);
      source = sent;
      Transfer s, r;
      Answer sending = Answer::again, receiving = Answer::again;
      pair.ears[0].abandoned_id = 0;
      pair.ears[1].last = {};
      for (CollectiveNumber i = 0; i < 5 + round % 40; ++i) {
        if (receiving == Answer::again)
          receiving = pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000, kUse);
        if (!before && sending == Answer::again)
          sending = pair.channels[0].send(s, {9, round, 0}, source.data(), 5000, kUse);
        pair.net.step();
      }
      if (sending == Answer::again) pair.channels[0].abandon(s);
      pair.ears[0].abandoned_id = 9;
      REQUIRE(pair.until([&] {
        if (!pair.channels[0].abandoned().being_read()) poison(source);
        if (receiving == Answer::again)
          receiving = pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000, kUse);
        return receiving != Answer::again && !pair.channels[0].abandoned().being_read();
      }));
      if (before) {
        CHECK(receiving == Answer::failed);
        CHECK(pair.channels[1].failure_code() == Code::timed_out);
        CHECK(pair.ears[1].last.communicator == 9);
        CHECK(pair.ears[1].last.code == Code::timed_out);
        CHECK(pair.ears[1].last.culprit == 7);
      }
      if (receiving == Answer::done) CHECK(got == sent);
      pair.channels[1].forget_complaint();
    }
    REQUIRE(pair.until([&] { return pair.net.registrar.live == 0; }));
  }
}

TEST_CASE("from a connection that was broken off nothing more arrives of an abandoned send",
          "[rendezvous]") {
  const auto sent = bytes_of(5000, 4);
  int late = 0;
  for (const Hostility& hostility : all_kinds(23))
    for (int steps = 0; hostility.direct && !hostility.fetches && steps < 40; ++steps) {
      INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers << ", after "
                    << steps << " steps");
      Pair pair(hostility);
      auto source = sent;
      std::vector<std::byte> got(sent.size());
      Transfer s, r;
      Answer sending = Answer::again, receiving = Answer::again;
      const auto receive = [&] {
        if (receiving == Answer::again)
          receiving = pair.channels[1].recv(r, {9, 0, 0}, got.data(), 5000, kUse);
      };
      REQUIRE(pair.until([&] {
        receive();
        sending = pair.channels[0].send(s, {9, 0, 0}, source.data(), 5000, kUse);
        return sending != Answer::again || pair.channels[0].awaits_acknowledgement();
      }));
      for (int i = 0; i < steps; ++i) pair.net.step();
      pair.channels[0].abandon(s);
      late += pair.channels[0].abandoned().being_read();
      pair.channels[0].abandoned().break_off();
      CHECK_FALSE(pair.channels[0].abandoned().being_read());
      CHECK(pair.channels[0].failed());
      poison(source);
      REQUIRE(pair.until([&] {
        receive();
        pair.channels[1].probe();
        return receiving != Answer::again || pair.channels[1].failed();
      }));
      if (receiving == Answer::done) CHECK(got == sent);
      pair.channels[1].abandon(r);
      for (Channel& c : pair.channels) give_back(c);
      CHECK(pair.net.registrar.live == 0);
    }
  CHECK(late > 50);
}

TEST_CASE("a connection is broken off where others use the registration of an abandoned receive",
          "[rendezvous]") {
  for (const bool both : {true, false}) {
    Pair pair({24, true, true, true}, kUsual, {});
    REQUIRE(pair.cache.caches());
    std::vector<std::byte> got(20000);
    registration::Region* const whole = pair.cache.acquire(got.data(), got.size(), true);
    Transfer first, second;
    REQUIRE(pair.until([&] {
      pair.channels[1].recv(first, {8, 0, 0}, got.data(), 10000, kUse);
      pair.channels[1].recv(second, {9, 0, 0}, got.data() + 10000, 10000, kUse);
      return first.phase == Transfer::Phase::awaits_outcome &&
             second.phase == Transfer::Phase::awaits_outcome;
    }));
    CHECK(first.region == whole);
    CHECK(second.region == whole);
    pair.cache.release(whole);
    pair.channels[1].abandon(first);
    if (both) pair.channels[1].abandon(second);
    give_back(pair.channels[1]);
    CHECK(pair.channels[1].failed() == !both);
    CHECK(pair.net.registrar.live == (both ? 0 : 1));
    if (!both) pair.channels[1].abandon(second);
  }
}

TEST_CASE("the registration of an abandoned send is not kept for later ones", "[rendezvous]") {
  Pair pair({25, true, true, true}, kUsual, {});
  REQUIRE(pair.cache.caches());
  const auto sent = bytes_of(20000, 5);
  std::vector<std::byte> got(sent.size());
  Transfer s, r;
  REQUIRE(pair.until([&] {
    pair.channels[1].recv(r, {9, 0, 0}, got.data(), 20000, kUse);
    pair.channels[0].send(s, {9, 0, 0}, sent.data(), 20000, kUse);
    return pair.channels[0].awaits_acknowledgement();
  }));
  CHECK(pair.net.registrar.live == 2);
  pair.channels[0].abandon(s);
  REQUIRE(pair.channels[0].abandoned().being_read());
  give_back(pair.channels[0]);
  CHECK(pair.net.registrar.live == 1);
  pair.channels[1].abandon(r);
  give_back(pair.channels[1]);
  CHECK(pair.net.registrar.live == 0);
}

TEST_CASE("no communicator takes all of a peer's rendezvous, and no call those of earlier ones",
          "[rendezvous]") {
  enum Greedy { calls_of_another_communicator, one_call_of_it, a_later_call };
  for (const Greedy greedy : {calls_of_another_communicator, one_call_of_it, a_later_call}) {
    INFO("greedy " << greedy);
    const auto name = [&](std::uint32_t i) {
      return greedy == calls_of_another_communicator ? MessageName{1, i, 0}
             : greedy == one_call_of_it              ? MessageName{1, 0, i}
                                                     : MessageName{2, 1, i};
    };
    Pair pair({13, true, true, false});
    std::vector<Transfer> receives(100);
    std::vector<std::vector<std::byte>> places(101, std::vector<std::byte>(5000));
    const auto sent = bytes_of(5000, 2);
    Transfer s, r;
    bool gone = false;
    REQUIRE(pair.until([&] {
      for (std::uint32_t i = 0; i < receives.size(); ++i)
        pair.channels[1].recv(receives[i], name(i), places[i].data(), 5000);
      if (!gone) gone = pair.channels[0].send(s, {2, 0, 0}, sent.data(), 5000) == Answer::done;
      return pair.channels[1].recv(r, {2, 0, 0}, places[100].data(), 5000) == Answer::done && gone;
    }));
    CHECK(places[100] == sent);
  }
}

TEST_CASE("a rank that gives up while the other one registers its buffer is not written to",
          "[rendezvous]") {
  for (const bool polls : {true, false}) {
    Pair pair({26, polls, true, true});
    const auto sent = bytes_of(5000, 6);
    std::vector<std::byte> got(sent.size());
    Transfer s, r;
    REQUIRE(pair.until([&] {
      pair.channels[1].recv(r, {9, 0, 0}, got.data(), 5000, kUse);
      return r.phase == Transfer::Phase::awaits_outcome;
    }));
    bool gave_up = false;
    pair.net.registrar.meanwhile = [&] {
      gave_up = true;
      for (Ear& ear : pair.ears) ear.abandoned_id = 9;
      pair.channels[1].abandon(r);
      give_back(pair.channels[1]);
    };
    for (int i = 0; i < 1000; ++i) {
      CHECK(pair.channels[0].send(s, {9, 0, 0}, sent.data(), 5000, kUse) == Answer::again);
      pair.net.step();
    }
    CHECK(gave_up);
    pair.channels[0].abandon(s);
    REQUIRE(pair.until([&] { return !pair.channels[1].abandoned().withdrawing(); }));
    CHECK(got == std::vector<std::byte>(5000));
    for (const Channel& channel : pair.channels) CHECK_FALSE(channel.failed());
    CHECK(pair.net.registrar.live == 0);
  }
}

TEST_CASE("a failed registration is told with its reason", "[rendezvous]") {
  for (int k = 1; k <= 2; ++k) {
    Hostility hostility{9, true, true, true};
    hostility.fail_registration = k;
    Pair pair(hostility);
    std::vector<std::byte> data(50000), got(50000);
    Transfer s, r;
    Answer sa = Answer::again, ra = Answer::again;
    pair.until([&] {
      if (ra == Answer::again) ra = pair.channels[1].recv(r, {1, 0, 0}, got.data(), 50000);
      if (sa == Answer::again) sa = pair.channels[0].send(s, {1, 0, 0}, data.data(), 50000);
      return ra != Answer::again && sa != Answer::again;
    });
    CHECK((sa == Answer::failed || ra == Answer::failed));
    Channel& bad = pair.channels[ra == Answer::failed ? 1 : 0];
    CHECK(bad.failure_code() == Code::locked_memory);
    pair.channels[0].abandon(s);
    pair.channels[1].abandon(r);
    give_back(pair.channels[1]);
    CHECK(pair.net.registrar.live == 0);
  }
}

TEST_CASE("a peer that has left got the last write, whether or not it was acknowledged",
          "[rendezvous]") {
  for (const bool polls : {true, false}) {
    Hostility hostility{7, polls, true, true};
    hostility.acknowledge = false;
    Pair pair(hostility);
    const auto sent = bytes_of(70001, 7);
    std::vector<std::byte> got(sent.size());
    Transfer out, in;
    bool is_sent = false, is_received = false;
    const auto try_both = [&] {
      if (!is_sent)
        is_sent = pair.channels[0].send(out, {1, 1, 0}, sent.data(),
                                        static_cast<Bytes>(sent.size())) == Answer::done;
      if (!is_received)
        is_received = pair.channels[1].recv(in, {1, 1, 0}, got.data(),
                                            static_cast<Bytes>(got.size())) == Answer::done;
    };
    REQUIRE(pair.until([&] {
      try_both();
      return is_received;
    }));
    for (int i = 0; i < 1000; ++i) {
      pair.net.step();
      try_both();
    }
    CHECK_FALSE(is_sent);
    pair.net.link(0, 1).close();
    try_both();
    CHECK(is_sent);
    CHECK(got == sent);
    CHECK(pair.net.registrar.live == 0);
  }
}

TEST_CASE("a buffer of another length is a complaint of the sender, and is not written",
          "[rendezvous]") {
  Pair pair({18, true, true, false});
  const auto sent = bytes_of(6000, 1);
  std::vector<std::byte> got(5000);
  Transfer s, r;
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    CHECK(pair.channels[1].recv(r, {1, 0, 0}, got.data(), 5000) == Answer::again);
    return (answer = pair.channels[0].send(s, {1, 0, 0}, sent.data(), 6000)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[0].failure_code() == Code::calls_differ);
  CHECK_FALSE(pair.channels[0].failed());
  CHECK(got == std::vector<std::byte>(5000));
}

// One rank invites for all calls at once. The other moves the data of one call after the other.
TEST_CASE("a transfer goes on past more invitations than there are identifiers", "[rendezvous]") {
  using protocols::Use;
  constexpr std::uint32_t kCalls = 100;
  const auto sent = bytes_of(5000, 3);
  for (const Hostility& hostility : all_kinds(19))
    for (const Use use : {Use::stored, Use::spread}) {
      if (!hostility.direct) continue;
      INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers
                    << ", fetches " << hostility.fetches << ", use " << static_cast<int>(use));
      Pair pair(hostility);
      std::vector<Transfer> sends(kCalls), receives(kCalls);
      std::vector<std::vector<std::byte>> places(kCalls, std::vector<std::byte>(sent.size()));
      std::vector<bool> gone(kCalls), here(kCalls);
      const auto send = [&](std::uint32_t i) {
        if (!gone[i])
          gone[i] = pair.channels[0].send(sends[i], {1 + i, 0, 0}, sent.data(), 5000, use) ==
                    Answer::done;
      };
      const auto receive = [&](std::uint32_t i) {
        if (!here[i])
          here[i] = pair.channels[1].recv(receives[i], {1 + i, 0, 0}, places[i].data(), 5000,
                                          use) == Answer::done;
      };
      const bool fetched =
          hostility.fetches && (use == Use::spread || hostility.passes_pieces);  // or in pieces
      for (std::uint32_t next = kCalls; next-- > 0;) {
        REQUIRE(pair.until([&] {
          for (std::uint32_t i = 0; i < kCalls; ++i) fetched ? send(i) : receive(i);
          fetched ? receive(next) : send(next);
          return gone[next] && here[next];
        }));
        CHECK(places[next] == sent);
      }
    }
}
