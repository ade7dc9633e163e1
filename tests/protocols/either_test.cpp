// Messages that come in pieces or are fetched, as their sender chooses: what must hold beside the
// promises of both protocols.
#include <catch2/catch.hpp>
#include <deque>

#include "tests/base/sanitized.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;
using protocols::Use;

namespace {

constexpr Bytes kShort = 1000, kLong = 5000;  // for one slot of the eager ring, and for several

// Its sender chooses by chance.
Hostility within_a_node(std::uint32_t seed) {
  Hostility hostility{seed};
  hostility.fetches = hostility.passes_pieces = true;
  return hostility;
}

// One message from rank 0 to rank 1. Two of the same communicator differ in their number.
struct Message {
  Pair& pair;
  MessageName name;
  Bytes bytes;
  std::vector<std::byte> sent = bytes_of(static_cast<std::size_t>(bytes), name.collective);
  std::vector<std::byte> got = std::vector<std::byte>(static_cast<std::size_t>(bytes));
  Transfer from{}, to{};
  bool gone = false, here = false;

  void send() {
    if (gone) return;
    const Answer answer = pair.channels[0].send(from, name, sent.data(), bytes, Use::stored);
    REQUIRE(answer != Answer::failed);
    gone = answer == Answer::done;
  }
  void receive() {
    if (here) return;
    const Answer answer = pair.channels[1].recv(to, name, got.data(), bytes, Use::stored);
    REQUIRE(answer != Answer::failed);
    here = answer == Answer::done;
  }
  bool arrives() {
    return pair.until([&] {
      send();
      receive();
      return gone && here;
    }) && got == sent;
  }
};

// Fills the eager ring with messages of communicator 2 that nobody receives yet.
void flood(Pair& pair, std::deque<Message>& messages) {
  for (CollectiveNumber i = 0; i < 6; ++i) {
    messages.push_back({pair, {2, static_cast<CollectiveNumber>(messages.size()), 0}, kShort});
    for (int step = 0; step < 100; ++step) {
      messages.back().send();
      pair.net.step();
    }
  }
}

}  // namespace

TEST_CASE("what waited for a slot and is fetched in the end stands in nobody's way", "[either]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(20u, 4u); ++seed) {
    INFO("seed " << seed);
    Pair pair(within_a_node(seed));
    std::deque<Message> others, all;  // each transfer has an address of its own
    flood(pair, others);
    all.push_back({pair, {1, 0, 0}, kLong});
    for (int i = 0; i < 3; ++i) all.back().send();
    CHECK_FALSE(all.back().gone);
    for (Message& other : others) REQUIRE(other.arrives());
    REQUIRE(all.back().arrives());
    for (CollectiveNumber i = 1; i < 10; ++i) {
      all.push_back({pair, {1, i, 0}, i % 2 ? kShort : kLong});
      REQUIRE(all.back().arrives());
    }
  }
}

TEST_CASE("any number of them pass messages that nobody takes", "[either]") {
  Pair pair(within_a_node(7));
  std::deque<Message> others;
  flood(pair, others);
  for (CollectiveNumber i = 0; i < unless_sanitized(2000u, 300u); ++i) {
    Message message{pair, {1, i, 0}, kLong};
    REQUIRE(message.arrives());
  }
  for (Message& other : others) CHECK(other.arrives());
}

TEST_CASE("any number of them are under way at once", "[either]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(5u, 1u); ++seed) {
    INFO("seed " << seed);
    Pair pair(within_a_node(seed));
    std::deque<Message> all;
    for (CollectiveNumber i = 0; i < 200; ++i) all.push_back({pair, {1, i, 0}, kLong});
    for (Message& message : all) message.send();
    for (auto message = all.rbegin(); message != all.rend(); ++message) {
      REQUIRE(pair.until([&] {
        for (Message& any : all) any.send();
        message->receive();
        return message->here;
      }));
      CHECK(message->got == message->sent);
    }
  }
}

TEST_CASE("what its sender gives up arrives whole or never, however it was to come", "[either]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(200u, 40u); ++seed) {
    INFO("seed " << seed);
    Pair pair(within_a_node(seed));
    Message message{pair, {9, 0, 0}, kLong};
    for (std::uint32_t i = 0; i < seed % 10; ++i) {
      message.send();
      pair.net.step();
    }
    if (message.gone) continue;
    pair.channels[0].abandon(message.from);
    pair.ears[0].abandoned_id = 9;
    for (int i = 0; i < 100; ++i) {
      message.receive();
      pair.net.step();
      for (auto& channel : pair.channels) channel.progress();
    }
    if (message.here)
      CHECK(message.got == message.sent);
    else
      pair.channels[1].abandon(message.to);
    pair.ears[1].abandoned_id = 9;
    Message next{pair, {1, 0, 0}, kLong};
    CHECK(next.arrives());
  }
}
