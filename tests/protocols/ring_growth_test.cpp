// Connections that begin small and grow at any moment: nothing is lost, and all that is known of a
// message is right before, while and after they grow.
#include "protocols/ring_growth.hpp"

#include <catch2/catch.hpp>

#include "tests/base/sanitized.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;

namespace {

constexpr transport::InboxShape kLarge{{{{64, 32}, {320, 16}, {4160, 8}, {64, 16}, {64, 16}}}};
// So small that it is the same at first.
constexpr transport::InboxShape kSame{{{{64, 1}, {320, 1}, {320, 1}, {64, 1}, {64, 1}}}};
constexpr Bytes kGrowthLengths[] = {0, 8, 40, 41, 200, 296, 297, 960, 1000, 4000, 4136, 20000};

struct Exchange {  // of messages one way, some of which are taken much later
  std::vector<std::vector<std::byte>> sent, got;
  std::vector<Transfer> sends, receives;
  std::vector<bool> gone, come;
  std::vector<std::size_t> order;

  Exchange(std::mt19937& random, std::size_t count) : sends(count), receives(count) {
    gone.resize(count);
    come.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      sent.push_back(
          bytes_of(static_cast<std::size_t>(kGrowthLengths[random() % std::size(kGrowthLengths)]),
                   static_cast<std::uint32_t>(i)));
      got.emplace_back(sent.back().size());
      order.push_back(i);
    }
    constexpr std::size_t kApart = 12;
    for (std::size_t i = 0; i < count; ++i)
      std::swap(order[i], order[std::min(count - 1, i + random() % kApart)]);
  }
  // Tries each send that has not gone, and the next few receives.
  bool go_on(protocols::Channel& from, protocols::Channel& to) {
    constexpr std::size_t kAtOnce = 6;
    bool all = true;
    std::size_t trying = 0;
    for (std::size_t i = 0; i < sent.size() && trying < 3 * kAtOnce; ++i) {
      if (gone[i]) continue;
      ++trying;
      gone[i] = from.send(sends[i], name(i), sent[i].data(), static_cast<Bytes>(sent[i].size())) ==
                Answer::done;
      all = all && gone[i];
    }
    trying = 0;
    for (std::size_t place = 0; place < order.size() && trying < kAtOnce; ++place) {
      const std::size_t i = order[place];
      if (come[i]) continue;
      ++trying;
      const Answer answer =
          to.recv(receives[i], name(i), got[i].data(), static_cast<Bytes>(got[i].size()));
      if (answer == Answer::failed) FAIL(to.failure());
      come[i] = answer == Answer::done;
      all = all && come[i];
    }
    return all;
  }
  static MessageName name(std::size_t i) { return {1, static_cast<CollectiveNumber>(i), 0}; }
};

}  // namespace

TEST_CASE("nothing is lost while connections grow, both ways, at any moment", "[growth]") {
  int grown = 0, stayed_small = 0;
  for (std::uint32_t seed = 1; seed <= unless_sanitized(40u, 4u); ++seed)
    for (const bool polls : {true, false})
      for (const bool direct : {true, false}) {
        INFO("seed " << seed << ", polls " << polls << ", direct " << direct);
        Hostility how{seed, polls, direct};
        how.grow = seed % 3 == 0 ? 0.2 : seed % 3 == 1 ? 0.005 : 0.0005;
        const transport::InboxShape& shape = seed % 4 == 0 ? kSame : kLarge;
        Pair pair(how, shape);
        std::mt19937 random(seed);
        Exchange there(random, 60), back(random, 60);
        REQUIRE(pair.until([&] {
          const bool done = there.go_on(pair.channels[0], pair.channels[1]);
          return back.go_on(pair.channels[1], pair.channels[0]) && done;
        }));
        CHECK(there.got == there.sent);
        CHECK(back.got == back.sent);
        for (const int from : {0, 1}) {
          HostileLink& link = pair.net.link(from, 1 - from);
          ++(link.grown() ? grown : stayed_small);
          CHECK(
              (!link.grown() || (link.inbox().shape() == shape && link.outbox().shape() == shape)));
        }
      }
  CHECK(grown > unless_sanitized(50, 5));
  CHECK(stayed_small > unless_sanitized(25, 5));
}

namespace {

// Two ranks whose connection never grows, over a wire that always has room.
struct Small : Pair {
  Small() : Pair({.seed = 3, .refuse = 0, .grow = 1e-9}, kLarge) {}
  void pass(CollectiveNumber call, std::size_t bytes) {
    std::vector<std::byte> got(bytes);
    const auto message = bytes_of(bytes, call);
    Transfer s, r;
    bool gone = false;
    const auto length = static_cast<Bytes>(bytes);
    REQUIRE(until([&] {
      if (!gone) gone = channels[0].send(s, {1, call, 0}, message.data(), length) == Answer::done;
      return channels[1].recv(r, {1, call, 0}, got.data(), length) == Answer::done;
    }));
  }
  bool asks() { return net.link(0, 1).asked_for_more; }
};

}  // namespace

TEST_CASE("a connection that gets along with few slots asks for more only in the end", "[growth]") {
  Small pair;
  constexpr std::size_t kEnough = kLarge.bytes() * protocols::RingGrowth::kHotWhenCarried,
                        kSlot = 64;
  CollectiveNumber call = 0;
  while (!pair.asks()) pair.pass(call++, 8);
  CHECK(call * kSlot < kEnough + 100 * kSlot);
  CHECK(2 * call * kSlot > kEnough);  // messages, and perhaps news, both ways
}

TEST_CASE("a connection asks for more when messages were cut", "[growth]") {
  Small pair;
  CollectiveNumber call = 0;
  while (!pair.asks()) pair.pass(call++, 4000);
  constexpr std::uint32_t kPieces = 4000 / 296;
  CHECK(call <= protocols::RingGrowth::kHotWhenShort / kPieces + 1);
  CHECK(call > 1);
}

TEST_CASE("a connection asks for more when messages had to wait for a slot", "[growth]") {
  Small pair;
  const auto message = bytes_of(8, 1);
  for (CollectiveNumber call = 0; !pair.asks();) {
    REQUIRE(call < 10 * protocols::RingGrowth::kHotWhenShort);
    // The receiver is late.
    const CollectiveNumber first = call;
    Transfer s;
    pair.until([&, tries = 0]() mutable {
      if (pair.channels[0].send(s, {1, call, 0}, message.data(), 8) == Answer::done) ++call, s = {};
      return ++tries == 50;
    });
    CHECK(call - first >= 2);
    for (CollectiveNumber taken = first; taken < call; ++taken) {
      std::vector<std::byte> got(8);
      Transfer r;
      REQUIRE(pair.until([&] {
        return pair.channels[1].recv(r, {1, taken, 0}, got.data(), 8) == Answer::done;
      }));
    }
    REQUIRE(pair.until([&] {
      return pair.channels[0].send(s, {1, call, 0}, message.data(), 8) == Answer::done;
    }));
    std::vector<std::byte> got(8);
    Transfer r;
    REQUIRE(pair.until([&] {
      return pair.channels[1].recv(r, {1, call, 0}, got.data(), 8) == Answer::done;
    }));
    ++call;
  }
}

TEST_CASE("messages that nobody has taken move to the large inbox", "[growth]") {
  for (const bool polls : {true, false})
    for (const Bytes bytes : {Bytes{8}, Bytes{200}, Bytes{900}}) {
      Hostility how{5, polls};
      how.grow = 1e-9;
      how.stay_small = 0;
      Pair pair(how, kLarge);
      // As many as there is credit for, then more than the small inbox has slots for.
      constexpr CollectiveNumber kMany = 6;
      std::vector<Transfer> sends(kMany);
      std::vector<bool> gone(kMany);
      const auto push = [&] {
        for (CollectiveNumber call = 0; call < kMany; ++call)
          if (!gone[call])
            gone[call] =
                pair.channels[0].send(sends[call], {1, call, 0},
                                      bytes_of(static_cast<std::size_t>(bytes), call).data(),
                                      bytes) == Answer::done;
        return std::ranges::count(gone, true);
      };
      CHECK_FALSE(pair.until([&] { return push() == kMany; }));
      pair.net.link(0, 1).grow();
      REQUIRE(pair.until([&] { return push() == kMany; }));
      for (CollectiveNumber call = kMany; call-- > 0;) {
        std::vector<std::byte> got(static_cast<std::size_t>(bytes));
        Transfer r;
        REQUIRE(pair.until([&] {
          return pair.channels[1].recv(r, {1, call, 0}, got.data(), bytes) == Answer::done;
        }));
        CHECK(got == bytes_of(static_cast<std::size_t>(bytes), call));
      }
    }
}

TEST_CASE("messages of other lengths are noticed before and after growth", "[growth]") {
  for (const double grow : {1e-9, 1.0})
    for (const std::pair<Bytes, Bytes>& lengths : std::vector<std::pair<Bytes, Bytes>>{
             {1000, 1001}, {1001, 1000}, {297, 4000}, {4136, 960}, {4000, 500}, {20000, 20001}}) {
      const Bytes sent = lengths.first, wanted = lengths.second;
      INFO(grow << ", " << sent << " sent, " << wanted << " wanted");
      Hostility how{7};
      how.direct = false;
      how.grow = grow;
      how.stay_small = 0;
      Pair pair(how, kLarge);
      pair.until([&] { return grow < 1 || pair.net.link(1, 0).grown(); });
      const auto data = bytes_of(static_cast<std::size_t>(sent), 1);
      std::vector<std::byte> got(static_cast<std::size_t>(wanted));
      Transfer s, r;
      bool gone = false;
      Answer answer = Answer::again;
      CHECK(pair.until([&] {
        if (!gone) gone = pair.channels[0].send(s, {1, 0, 0}, data.data(), sent) == Answer::done;
        answer = pair.channels[1].recv(r, {1, 0, 0}, got.data(), wanted);
        return answer != Answer::again;
      }));
      CHECK(answer == Answer::failed);
      CHECK(pair.channels[1].failure_code() == Code::calls_differ);
    }
}
