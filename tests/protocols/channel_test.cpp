// Channels over the hostile transport: every protocol, order by name, back-pressure, failures.
#include <catch2/catch.hpp>
#include <functional>

#include "protocols/channel.hpp"
#include "tests/protocols/hostile.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Channel;
using protocols::Transfer;

namespace {

constexpr transport::InboxShape kUsual{{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};
constexpr transport::InboxShape kTiny{{{{64, 1}, {320, 1}, {1088, 1}, {64, 1}, {64, 1}}}};

struct Ear final : protocols::Listener {
  void hear(const protocols::News& news, int from) noexcept override {
    ++heard;
    last = news;
    told_by = from;
  }
  bool unwanted(const MessageName& name, int) noexcept override {
    return name.communicator == abandoned_id;
  }
  protocols::News why_unwanted(CommunicatorId id) noexcept override {
    return {.communicator = id, .code = Code::timed_out, .culprit = 7};
  }
  int heard = 0, told_by = kNoPeer;
  CommunicatorId abandoned_id = 0;
  protocols::News last{};
};

// Two ranks, a channel each.
struct Pair {
  HostileNet net;
  Ear ears[2];
  registration::Cache cache;
  Channel channels[2];
  explicit Pair(const Hostility& hostility, const transport::InboxShape& shape = kUsual)
      : net(2, shape, hostility),
        cache(net.registrar, {false, 0, 0}, [](std::string_view) {}),
        channels{{net.link(0, 1), &cache, ears[0]}, {net.link(1, 0), &cache, ears[1]}} {}
  // Steps until `done`, at most so long; false: it never came.
  bool until(const std::function<bool()>& done) {
    for (int i = 0; i < 200000; ++i) {
      if (done()) return true;
      net.step();
      for (Channel& c : channels) c.progress();
    }
    return false;
  }
};

std::vector<std::byte> bytes_of(std::size_t n, std::uint32_t seed) {
  std::vector<std::byte> data(n);
  for (std::size_t i = 0; i < n; ++i)
    data[i] = static_cast<std::byte>((i * 131 + seed * 17 + 3) & 0xff);
  return data;
}

const std::size_t kSizes[] = {0, 1, 7, 39, 40, 41, 295, 296, 297, 1063, 1064, 1065, 5000, 70001};

std::vector<Hostility> all_kinds(std::uint32_t seed) {
  std::vector<Hostility> kinds;
  for (const bool polls : {true, false})
    for (const bool direct : {true, false})
      for (const bool registers : {true, false}) kinds.push_back({seed, polls, direct, registers});
  return kinds;
}

}  // namespace

TEST_CASE("each size arrives whole, by each protocol, both ways at once", "[channel]") {
  for (std::uint32_t seed = 1; seed <= 5; ++seed)
    for (const Hostility& hostility : all_kinds(seed))
      for (const auto& shape : {kUsual, kTiny}) {
        Pair pair(hostility, shape);
        std::uint32_t number = 0;
        for (const std::size_t n : kSizes) {
          INFO("seed " << seed << ", polls " << hostility.polls_memory << ", direct "
                       << hostility.direct << ", " << n << " bytes");
          const auto sent0 = bytes_of(n, seed), sent1 = bytes_of(n, seed + 1);
          std::vector<std::byte> got0(n), got1(n);
          Transfer t[4];
          bool done[4] = {};
          const MessageName name{1, number++, 0};
          const auto all_done = [&] {
            const auto go = [&](int i, Answer answer) {
              REQUIRE(answer != Answer::failed);
              done[i] = answer == Answer::done;
            };
            if (!done[0])
              go(0, pair.channels[0].send(t[0], name, sent0.data(), static_cast<Bytes>(n)));
            if (!done[1])
              go(1, pair.channels[1].send(t[1], name, sent1.data(), static_cast<Bytes>(n)));
            if (!done[2])
              go(2, pair.channels[1].recv(t[2], name, got1.data(), static_cast<Bytes>(n)));
            if (!done[3])
              go(3, pair.channels[0].recv(t[3], name, got0.data(), static_cast<Bytes>(n)));
            return done[0] && done[1] && done[2] && done[3];
          };
          REQUIRE(pair.until(all_done));
          REQUIRE(got1 == sent0);
          REQUIRE(got0 == sent1);
        }
        CHECK(pair.net.registrar.live == 0);
      }
}

TEST_CASE("messages are found by name, in whatever order they are wanted", "[channel]") {
  Pair pair({3, true, true, false});
  constexpr int kMessages = 4;
  Transfer t[kMessages];
  for (int i = 0; i < kMessages; ++i)
    REQUIRE(pair.until([&] {
      return pair.channels[0].send(t[i], {1, 0, static_cast<Ordinal>(i)}, &i, sizeof i) ==
             Answer::done;
    }));
  for (const int wanted : {2, 0, 3, 1}) {
    int got = -1;
    Transfer r;
    REQUIRE(pair.until([&] {
      return pair.channels[1].recv(r, {1, 0, static_cast<Ordinal>(wanted)}, &got, sizeof got) ==
             Answer::done;
    }));
    CHECK(got == wanted);
  }
}

TEST_CASE("messages that nobody takes do not hold up another communicator", "[channel]") {
  for (const bool polls : {true, false})
    for (const auto& shape : {kUsual, kTiny})
      for (const std::size_t n : {std::size_t{4}, std::size_t{1000}}) {
        INFO("polls " << polls << ", " << n << " bytes, " << shape.rings[0].slots << " slots");
        Pair pair({11, polls, true, false}, shape);
        // More than the ring holds, on communicator 1; behind them, in line, one on communicator 2.
        constexpr int kFlood = 30;
        std::vector<std::vector<std::byte>> sent;
        for (int i = 0; i <= kFlood; ++i)
          sent.push_back(bytes_of(n, static_cast<std::uint32_t>(i)));
        std::vector<Transfer> sends(kFlood + 1);
        std::vector<bool> gone(kFlood + 1);
        const auto push = [&] {
          for (std::size_t i = 0; i < sends.size(); ++i) {
            const MessageName name{i == kFlood ? 2u : 1u, static_cast<CollectiveNumber>(i), 0};
            if (!gone[i])
              gone[i] = pair.channels[0].send(sends[i], name, sent[i].data(),
                                              static_cast<Bytes>(n)) == Answer::done;
          }
        };
        std::vector<std::byte> got(n);
        Transfer receive;
        REQUIRE(pair.until([&] {
          push();
          return pair.channels[1].recv(receive, {2, kFlood, 0}, got.data(),
                                       static_cast<Bytes>(n)) == Answer::done;
        }));
        CHECK(got == sent[kFlood]);
        for (const int i : {kFlood - 1, 0, 7, 3}) {  // in any order
          Transfer r;
          REQUIRE(pair.until([&] {
            push();
            return pair.channels[1].recv(r, {1, static_cast<CollectiveNumber>(i), 0}, got.data(),
                                         static_cast<Bytes>(n)) == Answer::done;
          }));
          CHECK(got == sent[static_cast<std::size_t>(i)]);
        }
      }
}

TEST_CASE("what is set aside is bounded, and dropped with its communicator", "[channel]") {
  protocols::Aside aside;
  std::vector<std::byte> memory(1 << 20);
  auto* trailer = reinterpret_cast<transport::Trailer*>(memory.data() + memory.size()) - 1;
  *trailer = {{5, 0, 0}, static_cast<std::uint32_t>(memory.size() - sizeof *trailer), 0, 0};
  int kept = 0;
  while (kept < 100 && aside.keep(transport::Ring::eager, trailer)) ++kept;
  CHECK(kept == 16);
  CHECK(aside.find(transport::Ring::small, trailer->name) == nullptr);
  CHECK(aside.find(transport::Ring::eager, {5, 1, 0}) == nullptr);
  const transport::Trailer* one = aside.find(transport::Ring::eager, {5, 0, 0});
  REQUIRE(one != nullptr);
  aside.release(one);
  CHECK(aside.find(transport::Ring::eager, {5, 0, 0}) != nullptr);  // the next one
  CHECK(aside.keep(transport::Ring::eager, trailer));
  aside.drop([](const MessageName& name) { return name.communicator == 5; });
  CHECK(aside.empty());
}

TEST_CASE("a flood one way lives on explicit credits", "[channel]") {
  for (const bool polls : {true, false}) {
    Pair pair({5, polls, true, false}, kTiny);
    int sent = 0, received = 0;
    Transfer s, r;
    REQUIRE(pair.until([&] {
      if (sent < 300 && pair.channels[0].send(s, {1, static_cast<CollectiveNumber>(sent), 0}, &sent,
                                              sizeof sent) == Answer::done)
        ++sent;
      int value = -1;
      if (pair.channels[1].recv(r, {1, static_cast<CollectiveNumber>(received), 0}, &value,
                                sizeof value) == Answer::done) {
        REQUIRE(value == received);
        ++received;
      }
      return received == 300;
    }));
  }
}

TEST_CASE("without a receiver a sender stops at its credits, and loses nothing", "[channel]") {
  Pair pair({6, true, true, false});
  int sent = 0;
  Transfer s;
  pair.until([&] {
    if (pair.channels[0].send(s, {1, static_cast<CollectiveNumber>(sent), 0}, &sent, sizeof sent) ==
        Answer::done)
      ++sent;
    return false;
  });
  CHECK(sent == 8);
}

TEST_CASE("a message of another length is a complaint, and the channel goes on", "[channel]") {
  Pair pair({7, true, true, false});
  char data[100] = {};
  Transfer s, r, s2, r2;
  REQUIRE(pair.until([&] { return pair.channels[0].send(s, {1, 0, 0}, data, 8) == Answer::done; }));
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    return (answer = pair.channels[1].recv(r, {1, 0, 0}, data, 16)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[1].failure_code() == Code::size_mismatch);
  CHECK_FALSE(pair.channels[1].failed());
  pair.ears[1].abandoned_id = 1;  // its communicator has failed: what lies there is nobody's
  REQUIRE(pair.until([&] {
    return pair.channels[0].send(s2, {2, 0, 0}, data, 8) == Answer::done;
  }));
  REQUIRE(pair.until([&] {
    return pair.channels[1].recv(r2, {2, 0, 0}, data, 8) == Answer::done;
  }));
}

TEST_CASE("messages of an abandoned communicator give their slots back", "[channel]") {
  Pair pair({8, false, true, false}, kTiny);
  pair.ears[1].abandoned_id = 9;
  int sent = 0;
  Transfer s;
  REQUIRE(pair.until([&] {
    if (pair.channels[0].send(s, {9, static_cast<CollectiveNumber>(sent), 0}, &sent, sizeof sent) ==
        Answer::done)
      ++sent;
    return sent == 50;
  }));
}

TEST_CASE("what no call asks for gives way to what is wanted", "[channel]") {
  Pair pair({8, false, true, false}, kTiny);
  Transfer s, s2, r;
  int old = 1, wanted = 2, got = 0;
  REQUIRE(pair.until([&] {
    return pair.channels[0].send(s, {9, 4, 0}, &old, sizeof old) == Answer::done;
  }));
  // Through the only slot, without any progress of the channel: the search itself meets the older
  // message.
  bool sent = false;
  for (int i = 0; i < 100000 && got != wanted; ++i) {
    pair.net.step();
    if (!sent) sent = pair.channels[0].send(s2, {9, 5, 0}, &wanted, sizeof wanted) == Answer::done;
    if (i == 5000) {
      CHECK(got == 0);
      pair.ears[1].abandoned_id = 9;
    }
    pair.channels[1].recv(r, {9, 5, 0}, &got, sizeof got);
  }
  CHECK(got == 2);
}

TEST_CASE("a receive that was given up: its buffer is left alone, and what it held is free again",
          "[channel]") {
  for (const Hostility& hostility : all_kinds(12)) {
    if (!hostility.direct) continue;
    INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers);
    Pair pair(hostility);
    const auto sent = bytes_of(5000, 1);
    for (CollectiveNumber round = 0; round < 150; ++round) {
      // The sender is late: it learns that communicator 9 has failed before it comes to send, or
      // right after the write.
      const bool after = round % 2;
      std::vector<std::byte> got(5000);
      Transfer s, r;
      for (Ear& ear : pair.ears) ear.abandoned_id = 0;
      for (int i = 0; i < 20; ++i) {
        pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000);
        if (after) pair.channels[0].send(s, {9, round, 0}, sent.data(), 5000);
        pair.net.step();
      }
      for (Ear& ear : pair.ears) ear.abandoned_id = 9;
      pair.channels[1].abandon(r);
      if (after) pair.channels[0].abandon(s);
      REQUIRE(pair.until([&] { return !pair.channels[1].withdrawing(); }));
      const auto then = got;
      if (!after)
        for (int i = 0; i < 50; ++i) {
          CHECK(pair.channels[0].send(s, {9, round, 0}, sent.data(), 5000) == Answer::again);
          pair.net.step();
        }
      CHECK(got == then);
      Transfer good_s, good_r;
      bool gone = false;
      REQUIRE(pair.until([&] {
        if (!gone)
          gone = pair.channels[0].send(good_s, {1, round, 0}, sent.data(), 5000) == Answer::done;
        return pair.channels[1].recv(good_r, {1, round, 0}, got.data(), 5000) == Answer::done &&
               gone;
      }));
      CHECK(got == sent);
    }
    REQUIRE(pair.until([&] { return pair.net.registrar.live == 0; }));
  }
}

TEST_CASE("a send that was given up is a failed receive, and never an arrival", "[channel]") {
  for (const Hostility& hostility : all_kinds(16)) {
    if (!hostility.direct) continue;
    INFO("polls " << hostility.polls_memory << ", registers " << hostility.registers);
    Pair pair(hostility);
    const auto sent = bytes_of(5000, 1);
    for (CollectiveNumber round = 0; round < 150; ++round) {
      // The sender gives up before it sends, or somewhere in the send; the receiver has not heard
      // that the communicator failed.
      const bool before = round % 2;
      std::vector<std::byte> got(5000);
      Transfer s, r;
      Answer sending = Answer::again, receiving = Answer::again;
      pair.ears[0].abandoned_id = 0;
      pair.ears[1].last = {};
      for (CollectiveNumber i = 0; i < 5 + round % 40; ++i) {
        if (receiving == Answer::again)
          receiving = pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000);
        if (!before && sending == Answer::again)
          sending = pair.channels[0].send(s, {9, round, 0}, sent.data(), 5000);
        pair.net.step();
      }
      if (sending == Answer::again) pair.channels[0].abandon(s);
      pair.ears[0].abandoned_id = 9;
      REQUIRE(pair.until([&] {
        if (receiving == Answer::again)
          receiving = pair.channels[1].recv(r, {9, round, 0}, got.data(), 5000);
        return receiving != Answer::again;
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

TEST_CASE("no communicator takes all of a peer's rendezvous", "[channel]") {
  Pair pair({13, true, true, false});
  std::vector<Transfer> receives(100);
  std::vector<std::vector<std::byte>> places(101, std::vector<std::byte>(5000));
  const auto sent = bytes_of(5000, 2);
  Transfer s, r;
  bool gone = false;
  REQUIRE(pair.until([&] {
    for (std::size_t i = 0; i < receives.size(); ++i)
      pair.channels[1].recv(receives[i], {1, static_cast<CollectiveNumber>(i), 0}, places[i].data(),
                            5000);
    if (!gone) gone = pair.channels[0].send(s, {2, 0, 0}, sent.data(), 5000) == Answer::done;
    return pair.channels[1].recv(r, {2, 0, 0}, places[100].data(), 5000) == Answer::done && gone;
  }));
  CHECK(places[100] == sent);
}

TEST_CASE("more than can be set aside comes in order all the same", "[channel]") {
  constexpr transport::InboxShape kWide{{{{64, 8}, {320, 4}, {65536 + 64, 4}, {64, 4}, {64, 4}}}};
  Pair pair({14, true, false, false}, kWide);
  // The last piece is short: there is room for it among what is set aside when there is none for
  // the two before.
  const Bytes piece = pair.channels[0].limits().eager,
              kept = protocols::Aside::kMost / (piece + Bytes{sizeof(transport::Trailer)});
  const auto n = static_cast<std::size_t>((kept + 2) * piece + 100);
  const auto sent = bytes_of(n, 3);
  std::vector<std::byte> got(n);
  Transfer long_send, long_receive, s, r;
  std::byte value[1000];
  bool gone = false, long_gone = false;
  const auto push = [&] {
    if (!long_gone)
      long_gone = pair.channels[0].send(long_send, {1, 0, 0}, sent.data(), static_cast<Bytes>(n)) ==
                  Answer::done;
    if (!gone) gone = pair.channels[0].send(s, {2, 0, 0}, sent.data(), 1000) == Answer::done;
  };
  REQUIRE(pair.until([&] {
    push();
    pair.channels[1].recv(r, {2, 1, 0}, value, 1000);
    return long_gone;
  }));
  for (int i = 0; i < 1000; ++i) {
    pair.net.step();
    pair.channels[1].recv(r, {2, 1, 0}, value, 1000);
  }
  REQUIRE(pair.until([&] {
    push();
    return pair.channels[1].recv(long_receive, {1, 0, 0}, got.data(), static_cast<Bytes>(n)) ==
           Answer::done;
  }));
  CHECK((got == sent));  // millions of bytes: not to be printed
}

TEST_CASE("words said while waiting leave credits for bad news", "[channel]") {
  Pair pair({15, true, true, false});
  for (int i = 0; i < 100; ++i) {
    pair.channels[0].mention({.kind = protocols::News::Kind::waits, .communicator = 1});
    pair.net.step();
  }
  pair.channels[0].announce({.communicator = 3, .code = Code::timed_out, .culprit = 0});
  CHECK_FALSE(pair.channels[0].news_pending());
}

TEST_CASE("a failed registration is told with its reason", "[channel]") {
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
    pair.channels[1].revoke_abandoned();
    CHECK(pair.net.registrar.live == 0);
  }
}

TEST_CASE("news of a failed communicator arrives, also through one slot", "[channel]") {
  Pair pair({10, false, true, false}, kTiny);
  for (CommunicatorId id = 1; id <= 3; ++id)
    pair.channels[0].announce({.communicator = id, .code = Code::peer_failed, .culprit = 5});
  REQUIRE(pair.until([&] { return pair.ears[1].heard == 3; }));
  CHECK(pair.ears[1].last.code == Code::peer_failed);
  CHECK(pair.ears[1].last.culprit == 5);
  CHECK(pair.ears[1].told_by == 0);
  CHECK_FALSE(pair.channels[0].news_pending());
}

TEST_CASE("a peer that has left had the last write, whether or not it was acknowledged",
          "[channel]") {
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

TEST_CASE("a stopped peer makes the channel fail", "[channel]") {
  Pair pair({11, true, true, false});
  pair.net.stop(1);
  REQUIRE(pair.until([&] {
    pair.channels[0].probe();
    return pair.channels[0].failed();
  }));
  Transfer s;
  char byte = 0;
  CHECK(pair.channels[0].send(s, {1, 0, 0}, &byte, 1) == Answer::failed);
  CHECK(pair.channels[0].failure_code() == Code::peer_failed);
}
