// Asks: no call waits until the messages of another call are taken.
#include "protocols/asks.hpp"

#include <catch2/catch.hpp>

#include "protocols/eager.hpp"
#include "tests/base/sanitized.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Arrived;
using protocols::Ask;
using protocols::Channel;
using protocols::Transfer;
using protocols::Use;
using transport::Ring;

namespace {

// One thread's blocking calls on one communicator, each of one message, at one of its ends.
struct Calls {
  CommunicatorId communicator;
  std::uint32_t count;
  std::size_t bytes;
  Use use;
  std::uint32_t number = 0;  // of the call under way
  Transfer transfer{};
  std::vector<std::byte> data = std::vector<std::byte>(bytes);
  std::uint32_t prepared = count;  // the call whose data is to be sent

  bool over() const { return number == count; }
  std::vector<std::byte> expected() const { return bytes_of(bytes, communicator * 100 + number); }
  void send(Channel& channel) {
    if (over()) return;
    if (prepared != number) data = expected();
    prepared = number;
    end(channel.send(transfer, name(), data.data(), static_cast<Bytes>(bytes), use));
  }
  void receive(Channel& channel) {
    if (over()) return;
    const Answer answer =
        channel.recv(transfer, name(), data.data(), static_cast<Bytes>(bytes), use);
    if (answer == Answer::done && data != expected()) FAIL("wrong bytes");
    end(answer);
  }

 private:
  MessageName name() const { return {communicator, number, 0}; }
  void end(Answer answer) {
    if (answer == Answer::failed) FAIL("a transfer failed");
    if (answer != Answer::done) return;
    transfer = {};
    ++number;
  }
};

constexpr std::size_t kRingSizes[] = {0, 200, 1000, 5000};  // for each ring one, and beyond

}  // namespace

TEST_CASE("two calls pass each other in either order, whatever their sizes", "[asks]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(3u, 1u); ++seed)
    for (const Hostility& hostility : all_kinds(seed))
      for (const auto& shape : {kUsual, kTiny})
        for (const std::size_t first : kRingSizes)
          for (const std::size_t second : kRingSizes)
            for (const Use use : {Use::stored, Use::spread, Use::combined})
              for (const bool flooded_first : {false, true}) {
                if (use != Use::stored && !hostility.fetches && !hostility.passes_pieces) continue;
                INFO("seed " << seed << ", polls " << hostility.polls_memory << ", direct "
                             << hostility.direct << ", fetches " << hostility.fetches << ", pieces "
                             << hostility.passes_pieces << ", " << first << " before " << second
                             << " bytes, use " << static_cast<int>(use) << ", "
                             << shape.rings[0].slots << " slots");
                Pair pair(hostility, shape);
                // More than the rings hold. The calls of 1 are sent only once those of 2 have
                // filled what they can.
                Calls sends[] = {{1, 12, first, use}, {2, 12, second, use}};
                Calls receives[] = {sends[flooded_first], sends[!flooded_first]};
                for (int i = 0; i < 300; ++i) {
                  sends[1].send(pair.channels[0]);
                  receives[0].receive(pair.channels[1]);
                  pair.net.step();
                  for (Channel& channel : pair.channels) channel.progress();
                }
                REQUIRE(pair.until([&] {
                  for (Calls& calls : sends) calls.send(pair.channels[0]);
                  (receives[0].over() ? receives[1] : receives[0]).receive(pair.channels[1]);
                  return receives[1].over();
                }));
              }
}

TEST_CASE("many calls wait at once for messages behind those of another", "[asks]") {
  for (const Hostility& hostility : all_kinds(9))
    for (const auto& shape : {kUsual, kTiny})
      for (const std::size_t bytes : kRingSizes) {
        Pair pair(hostility, shape);
        constexpr std::uint32_t kWaiting = 20;
        std::vector<Calls> sends, receives;
        for (std::uint32_t i = 1; i <= kWaiting; ++i) sends.push_back({i, 3, bytes, Use::stored});
        receives = sends;
        Calls flood{99, 40, bytes, Use::stored}, late = flood;
        REQUIRE(pair.until([&] {
          flood.send(pair.channels[0]);
          // In opposite orders.
          for (Calls& calls : sends) calls.send(pair.channels[0]);
          bool over = true;
          for (auto calls = receives.rbegin(); calls != receives.rend(); ++calls) {
            calls->receive(pair.channels[1]);
            over &= calls->over();
          }
          return over;
        }));
        REQUIRE(pair.until([&] {
          flood.send(pair.channels[0]);
          late.receive(pair.channels[1]);
          return late.over();
        }));
      }
}

TEST_CASE("a call goes on past a flood that nobody takes, which stays within its credits",
          "[asks]") {
  for (const bool polls : {true, false})
    for (const auto& shape : {kUsual, kTiny})
      for (const std::size_t n : {std::size_t{4}, std::size_t{200}, std::size_t{1000}}) {
        INFO("polls " << polls << ", " << n << " bytes, " << shape.rings[0].slots << " slots");
        Pair pair({12, polls, true, false}, shape);
        const auto data = bytes_of(n, 1);
        std::vector<std::byte> got(n);
        CollectiveNumber flood = 0;
        Transfer flooding, s, r;
        const auto push = [&] {
          if (pair.channels[0].send(flooding, {1, flood, 0}, data.data(), static_cast<Bytes>(n)) ==
              Answer::done)
            ++flood, flooding = {};
        };
        for (std::uint32_t i = 0; i < 100; ++i) {
          bool gone = false, here = false;
          s = r = {};
          REQUIRE(pair.until([&] {
            push();
            // Many messages of one call, then calls of one message.
            const MessageName name{2, i < 50 ? 0 : i, i};
            if (!gone)
              gone = pair.channels[0].send(s, name, data.data(), static_cast<Bytes>(n)) ==
                     Answer::done;
            if (!here)
              here =
                  pair.channels[1].recv(r, name, got.data(), static_cast<Bytes>(n)) == Answer::done;
            return gone && here;
          }));
        }
        CHECK(flood <= shape.rings[0].slots);
        for (CollectiveNumber i = 0; i < 100; ++i) {
          r = {};
          REQUIRE(pair.until([&] {
            push();
            return pair.channels[1].recv(r, {1, i, 0}, got.data(), static_cast<Bytes>(n)) ==
                   Answer::done;
          }));
        }
      }
}

TEST_CASE("an ask lets one name pass without credit, until a ringful has gone", "[asks]") {
  RingPair pair(kUsual);
  Transfer flood, wanted, receive;
  const auto put = [&](const Transfer& transfer, CommunicatorId id) {
    return pair.rings[0].put(Ring::line, &transfer, {id, 0, 0}, nullptr, {});
  };
  const auto hear = [&] {
    int asks = 0;
    pair.settle();
    pair.rings[0].take_all(Ring::control, [&](const Arrived& message) {
      pair.rings[0].hear(message.as<Ask>().value());
      ++asks;
    });
    return asks;
  };
  const auto receives = [&] {
    const Arrived message = pair.rings[1].find(Ring::line, {2, 0, 0}, &receive);
    if (message) pair.rings[1].consume(Ring::line, message);
    return static_cast<bool>(message);
  };
  for (int i = 0; i < 7; ++i) REQUIRE(put(flood, 1) == Answer::done);
  pair.settle();
  CHECK_FALSE(receives());
  CHECK(hear() == 0);  // there is credit: it may still come by itself
  REQUIRE(put(flood, 1) == Answer::done);
  CHECK(put(flood, 1) == Answer::again);
  CHECK(put(wanted, 2) == Answer::again);
  pair.settle();
  CHECK_FALSE(receives());
  CHECK_FALSE(receives());
  CHECK(hear() == 1);
  CHECK(put(flood, 1) == Answer::again);
  for (int i = 0; i < 8; ++i) REQUIRE(put(wanted, 2) == Answer::done);
  CHECK(put(wanted, 2) == Answer::again);
  pair.settle();
  for (int i = 0; i < 8; ++i) CHECK(receives());
  CHECK_FALSE(receives());
  CHECK(hear() == 1);
  CHECK(put(flood, 1) == Answer::again);  // its eight messages are not taken
  CHECK(put(wanted, 2) == Answer::done);
}

TEST_CASE("a peer without credit is told of the slots that are free before it is asked", "[asks]") {
  RingPair pair(kUsual);
  Transfer flood, wanted, receive;
  const auto put = [&](const Transfer& transfer, CommunicatorId id) {
    return pair.rings[0].put(Ring::line, &transfer, {id, 0, 0}, nullptr, {});
  };
  const auto receives = [&](CommunicatorId id, Transfer* transfer) {
    pair.settle();
    const Arrived message = pair.rings[1].find(Ring::line, {id, 0, 0}, transfer);
    if (message) pair.rings[1].consume(Ring::line, message);
    return static_cast<bool>(message);
  };
  for (int i = 0; i < 8; ++i) REQUIRE(put(flood, 1) == Answer::done);
  CHECK(put(wanted, 2) == Answer::again);
  // Too few for a report, if there were credits left.
  for (int i = 0; i < 2; ++i) REQUIRE(receives(1, nullptr));
  pair.settle();
  CHECK(put(wanted, 2) == Answer::again);
  CHECK_FALSE(receives(2, &receive));
  CHECK(receive.phase == Transfer::Phase::begin);
  pair.settle();
  CHECK(put(wanted, 2) == Answer::done);
  CHECK(receives(2, &receive));
  CHECK(put(wanted, 2) == Answer::done);
  CHECK(put(wanted, 2) == Answer::again);
}

TEST_CASE("a receive that has its message no longer counts as one that asks", "[asks]") {
  RingPair pair(kTiny);
  protocols::Complaint complaint(0);
  HostileLink& peer = pair.net.link(0, 1);
  std::uint32_t sent = 0;
  const auto put = [&](CommunicatorId id) {
    REQUIRE(peer.put(Ring::line, 0, nullptr, {{id, 0, 0}, {}, 0, ++sent}) == transport::Post::done);
    pair.settle();
  };
  const auto receive = [&](Transfer& transfer, CommunicatorId id) {
    return protocols::receive_eager(pair.rings[1], Ring::line, complaint, transfer, {id, 0, 0},
                                    nullptr, 0, nullptr);
  };
  for (int i = 0; i < 50; ++i) {
    Transfer wanted, flood;
    put(1);
    while (wanted.phase != Transfer::Phase::asked) {
      REQUIRE(receive(wanted, 2) == Answer::again);
      pair.settle();
    }
    REQUIRE(receive(flood, 1) == Answer::done);  // nothing is aside any more
    put(2);
    REQUIRE(receive(wanted, 2) == Answer::done);
    pair.rings[0].take_all(Ring::control, [](const Arrived&) {});
  }
  Transfer waits;
  for (int i = 0; i < 5 && !pair.net.link(1, 0).state().failed(); ++i) {
    put(1);
    for (int polls = 0; polls < 3; ++polls) CHECK(receive(waits, 2) == Answer::again);
    pair.settle();
    pair.rings[0].take_all(Ring::control, [](const Arrived&) {});
  }
  CHECK(pair.net.link(1, 0).state().failed());  // it has sent what it had no right to
}

TEST_CASE("an ask that crosses its message is forgotten, and may come before its send", "[asks]") {
  RingPair pair(kTiny);
  Transfer s;
  const auto put = [&](const MessageName& name) {
    return pair.rings[0].put(Ring::line, &s, name, nullptr, {});
  };
  const auto take = [&](const MessageName& name) {
    pair.settle();
    const Arrived message = pair.rings[1].find(Ring::line, name);
    REQUIRE(message);
    pair.rings[1].consume(Ring::line, message);
    pair.settle();
  };
  pair.rings[0].hear({{2, 0, 0}, 0, Ring::line});  // before its send
  REQUIRE(put({2, 0, 0}) == Answer::done);
  take({2, 0, 0});
  REQUIRE(put({1, 0, 0}) == Answer::done);
  CHECK(put({2, 0, 0}) == Answer::again);
  CHECK_FALSE(pair.net.link(0, 1).state().failed());
}

TEST_CASE("an ask for slots that cannot be free, or of no such ring, breaks the link", "[asks]") {
  for (const Ask& ask : {Ask{{1, 0, 0}, 2, Ring::line}, Ask{{1, 0, 0}, 0, Ring::ready},
                         Ask{{1, 0, 0}, 0, static_cast<Ring>(200)}}) {
    RingPair pair(kTiny);
    REQUIRE(pair.rings[0].put(Ring::line, nullptr, {1, 0, 0}, nullptr, {}) == Answer::done);
    pair.rings[0].hear(ask);
    CHECK(pair.net.link(0, 1).state().code() == Code::transport_failed);
  }
}

TEST_CASE("what was set aside for a freed communicator gives its credit back", "[asks]") {
  for (const auto& shape : {kUsual, kTiny}) {
    Pair pair({8, false, true, false}, shape);
    std::uint32_t sent = 0;
    int value = 0;
    Transfer s, r;
    const auto push = [&] {
      if (pair.channels[0].send(s, {9, sent, 0}, &value, sizeof value) == Answer::done) ++sent;
    };
    for (int i = 0; i < 5000; ++i) {
      push();
      CHECK(pair.channels[1].recv(r, {2, 0, 0}, &value, sizeof value) == Answer::again);
      pair.net.step();
      for (Channel& channel : pair.channels) channel.progress();
    }
    CHECK(sent == shape.rings[0].slots);
    CHECK(r.phase == Transfer::Phase::asked);
    pair.ears[1].abandoned_id = 9;
    REQUIRE(pair.until([&] {
      push();
      return sent == 50;
    }));
  }
}

TEST_CASE("a peer that asks for more than a call can have receives is not trusted", "[asks]") {
  RingPair pair(kTiny);
  const protocols::Ask ask{{1, 0, 0}, 0, Ring::line};
  for (std::uint32_t i = 0; i < 1u << kOrdinalBits; ++i) pair.rings[0].hear(ask);
  CHECK_FALSE(pair.net.link(0, 1).state().failed());
  REQUIRE(pair.rings[0].put(Ring::line, nullptr, {1, 0, 0}, nullptr, {}) == Answer::done);
  for (std::uint32_t i = 0; i < 3; ++i) pair.rings[0].hear({{1, 0, 0}, 1, Ring::line});
  CHECK_FALSE(pair.net.link(0, 1).state().failed());  // the old ones are forgotten
  for (std::uint32_t i = 0; i < 1u << kOrdinalBits; ++i)
    pair.rings[0].hear({{1, 1, 0}, 1, Ring::line});
  CHECK(pair.net.link(0, 1).state().code() == Code::transport_failed);
}

TEST_CASE("an ask is for one name in one ring, until a ringful has been sent", "[asks]") {
  constexpr std::uint32_t kSlots = 4;
  protocols::OutFlow line(kSlots), small(kSlots);
  protocols::Asks asks;
  const MessageName name{1, 2, 3};
  for (const std::uint32_t sent_before : {0u, 4u, 9u}) {
    while (line.count() < sent_before) line.sent();
    CHECK_FALSE(asks.allow(name, line));
    REQUIRE(asks.keep(name, line, sent_before) == protocols::Asks::Kept::yes);
    for (std::uint32_t i = 0; i < kSlots; ++i) {
      CHECK(asks.allow(name, line));
      CHECK_FALSE(asks.allow(name, small));
      for (const MessageName& other : {MessageName{2, 2, 3}, {1, 1, 3}, {1, 2, 4}})
        CHECK_FALSE(asks.allow(other, line));
      line.sent();
    }
    CHECK_FALSE(asks.allow(name, line));
  }
}

TEST_CASE("as many asks are kept as a call has receives, and old ones make room", "[asks]") {
  using protocols::Asks;
  protocols::OutFlow out(1), other(1);
  Asks asks;
  for (std::size_t i = 0; i < Asks::kMost; ++i)
    REQUIRE(asks.keep({1, 0, static_cast<Ordinal>(i)}, out, 0) == Asks::Kept::yes);
  CHECK(asks.keep({1, 0, 0}, out, 0) == Asks::Kept::too_many);
  CHECK(asks.keep({1, 0, 0}, other, 0) == Asks::Kept::too_many);
  out.sent();
  REQUIRE(asks.keep({1, 1, 0}, other, 0) == Asks::Kept::yes);
  CHECK(asks.allow({1, 1, 0}, other));
  CHECK_FALSE(asks.allow({1, 0, 5}, out));
}
