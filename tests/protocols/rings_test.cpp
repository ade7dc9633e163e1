// Slots, credits, turns, and the search for a name.
#include <catch2/catch.hpp>

#include "protocols/rings.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Arrived;
using protocols::Transfer;
using transport::Ring;

namespace {

constexpr Ring kRings[] = {Ring::line, Ring::small, Ring::eager, Ring::ready, Ring::control};

}  // namespace

TEST_CASE("messages are found by name, in whatever order they are wanted", "[rings]") {
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

TEST_CASE("messages that nobody takes do not hold up another call", "[rings]") {
  for (const CommunicatorId other : {2u, 1u})
    for (const bool polls : {true, false})
      for (const auto& shape : {kUsual, kTiny})
        for (const std::size_t n : {std::size_t{4}, std::size_t{1000}}) {
          INFO("communicator " << other << ", polls " << polls << ", " << n << " bytes, "
                               << shape.rings[0].slots << " slots");
          Pair pair({11, polls, true, false}, shape);
          // More than the ring holds, of calls on communicator 1; and behind them the wanted one.
          constexpr int kFlood = 30;
          std::vector<std::vector<std::byte>> sent;
          for (int i = 0; i <= kFlood; ++i)
            sent.push_back(bytes_of(n, static_cast<std::uint32_t>(i)));
          std::vector<Transfer> sends(kFlood + 1);
          std::vector<bool> gone(kFlood + 1);
          const auto push = [&] {
            for (std::size_t i = 0; i < sends.size(); ++i) {
              const MessageName name{i == kFlood ? other : 1u, static_cast<CollectiveNumber>(i), 0};
              if (!gone[i])
                gone[i] = pair.channels[0].send(sends[i], name, sent[i].data(),
                                                static_cast<Bytes>(n)) == Answer::done;
            }
          };
          std::vector<std::byte> got(n);
          Transfer receive;
          REQUIRE(pair.until([&] {
            push();
            return pair.channels[1].recv(receive, {other, kFlood, 0}, got.data(),
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

TEST_CASE("a flood of messages one way gets its credits by reports", "[rings]") {
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

TEST_CASE("without a receiver a sender stops at its credits, and loses nothing", "[rings]") {
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

TEST_CASE("messages of an abandoned communicator give their slots back", "[rings]") {
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

TEST_CASE("a message that no call will ask for gives its slot to the wanted one", "[rings]") {
  Pair pair({8, false, true, false}, kTiny);
  Transfer s, s2, r;
  int old = 1, wanted = 2, got = 0;
  constexpr MessageName kStray{9, 5, 1 << kOrdinalBits};  // of another call with that number
  REQUIRE(pair.until(
      [&] { return pair.channels[0].send(s, kStray, &old, sizeof old) == Answer::done; }));
  // Through the only slot, without any progress of the channel: the search itself meets the older
  // message.
  bool sent = false;
  for (int i = 0; i < 100000 && got != wanted; ++i) {
    pair.net.step();
    if (!sent) sent = pair.channels[0].send(s2, {9, 5, 0}, &wanted, sizeof wanted) == Answer::done;
    if (i < 5000) continue;
    pair.channels[1].recv(r, {9, 5, 0}, &got, sizeof got);
    if (i == 5000) {
      CHECK(got == 0);
      pair.ears[1].abandoned_id = 9;
    }
  }
  CHECK(got == 2);
}

TEST_CASE("the first transfer that found no slot gets the next one", "[rings]") {
  RingPair pair(kTiny);
  Transfer earlier, first, second;
  const auto put = [&](const Transfer& transfer) {
    return pair.rings[0].put(Ring::line, &transfer, {1, 0, 0}, nullptr, {});
  };
  const auto free_slot = [&] {
    pair.settle();
    const Arrived message = pair.rings[1].find(Ring::line, {1, 0, 0});
    REQUIRE(message);
    pair.rings[1].consume(Ring::line, message);
    pair.settle();
  };
  REQUIRE(put(earlier) == Answer::done);
  CHECK(put(first) == Answer::again);
  CHECK(put(second) == Answer::again);
  free_slot();
  CHECK(put(second) == Answer::again);
  CHECK(put(first) == Answer::done);
  CHECK(put(second) == Answer::again);
  CHECK(put(earlier) == Answer::again);
  free_slot();
  pair.rings[0].leave_line(second);
  CHECK(put(earlier) == Answer::done);
}

TEST_CASE("a ring that is read in order gives each message once", "[rings]") {
  RingPair pair(kUsual);
  int sent = 0, received = 0;
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i <= round % 4; ++i, ++sent)
      REQUIRE(pair.rings[0].put(Ring::ready, nullptr, {1, 0, 0}, &sent,
                                transport::Length(sizeof sent)) == Answer::done);
    pair.settle();
    pair.rings[1].take_all(Ring::ready, [&](const Arrived& message) {
      CHECK(message.as<int>() == std::optional(received));
      ++received;
    });
    CHECK(received == sent);
    pair.settle();
  }
}

TEST_CASE("no report is so old that its bits mean another count", "[rings]") {
  constexpr int kBits = 6;
  for (const Ring ring : kRings) {
    INFO("ring " << static_cast<int>(ring));
    RingPair pair(kUsual, kBits);
    std::uint32_t number = 0;
    const auto passes = [&](int from) {
      const MessageName name{1, number++, 0};
      if (pair.rings[from].put(ring, nullptr, name, nullptr, {}) != Answer::done) return false;
      pair.settle();
      bool came = false;
      pair.rings[1 - from].take_all(ring,
                                    [&](const Arrived& message) { came = message.name() == name; });
      for (protocols::Rings& rings : pair.rings) rings.send_reports();
      return came;
    };
    // Credits ride on messages, whose counts go round the bits of reports.
    for (std::uint32_t i = 1; i <= 5u << kBits; ++i) {
      REQUIRE(passes(0));
      REQUIRE(passes(1));
      CHECK(i - pair.net.link(0, 1).inbox().reported(ring) <= 1u << (kBits - 1));
    }
    for (int i = 0; i < 100; ++i) REQUIRE(passes(0));  // by reports alone
  }
}

TEST_CASE("credits for messages that were never sent break the link, however they come",
          "[rings]") {
  enum class Way { find, take_all, drop_unwanted, report };
  for (const Ring ring : kRings)
    for (const Way way : {Way::find, Way::take_all, Way::drop_unwanted, Way::report}) {
      if (way == Way::drop_unwanted && ring > Ring::eager) continue;  // all are wanted there
      INFO("ring " << static_cast<int>(ring) << ", way " << static_cast<int>(way));
      RingPair pair(kTiny);
      REQUIRE(pair.rings[0].put(ring, nullptr, {1, 0, 0}, nullptr, {}) == Answer::done);
      HostileLink& liar = pair.net.link(1, 0);
      const bool reports = way == Way::report;
      const std::uint32_t credits = reports ? 1 : 2;
      liar.put(ring, 0, nullptr, {{1, 0, 0}, {}, credits, 1});
      if (reports) liar.report(ring, 2);
      pair.settle();
      if (way == Way::find) CHECK_FALSE(pair.rings[0].find(ring, {1, 0, 0}));
      if (way == Way::take_all) pair.rings[0].take_all(ring, [](const Arrived&) { FAIL(); });
      if (way == Way::drop_unwanted) pair.rings[0].drop_unwanted();
      CHECK(pair.rings[0].put(ring, nullptr, {1, 1, 0}, nullptr, {}) == Answer::failed);
      CHECK(pair.net.link(0, 1).state().code() == Code::transport_failed);
    }
}
