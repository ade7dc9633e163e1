// Channels over the hostile transport: every protocol both ways, and a dead peer.
#include <catch2/catch.hpp>

#include "tests/base/sanitized.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Channel;
using protocols::Transfer;

namespace {
const std::size_t kSizesAroundLimits[] = {0,   1,   7,    39,   40,   41,   295,
                                          296, 297, 1063, 1064, 1065, 5000, 70001};
constexpr protocols::Use kChannelUses[] = {protocols::Use::stored, protocols::Use::spread,
                                           protocols::Use::gathered, protocols::Use::combined};

// The difference of bytes: unlike a sum, it shows which operand was the left one.
void minus(const void*, const void* left, const void* right, void* out, Bytes bytes) {
  for (Bytes i = 0; i < bytes; ++i)
    static_cast<unsigned char*>(out)[i] = static_cast<unsigned char>(
        static_cast<const unsigned char*>(left)[i] - static_cast<const unsigned char*>(right)[i]);
}

}  // namespace

TEST_CASE("each size arrives whole, by each protocol, both ways at once", "[channel]") {
  for (std::uint32_t seed = 1; seed <= unless_sanitized(5u, 1u); ++seed)
    for (const Hostility& hostility : all_kinds(seed))
      for (const auto& shape : {kUsual, kTiny}) {
        Pair pair(hostility, shape);
        std::uint32_t number = 0;
        for (std::size_t point = 0; point < std::size(kSizesAroundLimits) * std::size(kChannelUses);
             ++point) {
          const std::size_t n = kSizesAroundLimits[point / std::size(kChannelUses)];
          const protocols::Use use = kChannelUses[number % std::size(kChannelUses)];
          INFO("seed " << seed << ", polls " << hostility.polls_memory << ", direct "
                       << hostility.direct << ", fetches " << hostility.fetches << ", " << n
                       << " bytes, use " << static_cast<int>(use));
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
              go(0, pair.channels[0].send(t[0], name, sent0.data(), static_cast<Bytes>(n), use));
            if (!done[1])
              go(1, pair.channels[1].send(t[1], name, sent1.data(), static_cast<Bytes>(n), use));
            if (!done[2])
              go(2, pair.channels[1].recv(t[2], name, got1.data(), static_cast<Bytes>(n), use));
            if (!done[3])
              go(3, pair.channels[0].recv(t[3], name, got0.data(), static_cast<Bytes>(n), use));
            return done[0] && done[1] && done[2] && done[3];
          };
          REQUIRE(pair.until(all_done));
          REQUIRE(got1 == sent0);
          REQUIRE(got0 == sent1);
        }
        CHECK(pair.net.registrar.live == 0);
      }
}

TEST_CASE("a message is combined with its operand as it arrives, in either order", "[channel]") {
  const Combine combine{minus};
  for (const Hostility& hostility : all_kinds(3))
    for (const std::size_t n : kSizesAroundLimits)
      for (const bool message_first : {true, false}) {
        Pair pair(hostility);
        const Bytes bytes = static_cast<Bytes>(n);
        constexpr auto use = protocols::Use::combined;
        if (!combines_on_arrival(bytes, 1, use, pair.channels[1].limits())) continue;
        INFO(n << " bytes, message first " << message_first);
        const auto sent = bytes_of(n, 1), other = bytes_of(n, 2);
        std::vector<std::byte> got(n), expected(n);
        minus(nullptr, (message_first ? sent : other).data(), (message_first ? other : sent).data(),
              expected.data(), static_cast<Bytes>(n));
        const Operand operand{&combine, other.data(), message_first};
        Transfer s, r;
        bool gone = false;
        REQUIRE(pair.until([&] {
          if (!gone)
            gone = pair.channels[0].send(s, {1, 0, 0}, sent.data(), bytes, use) == Answer::done;
          return pair.channels[1].recv(r, {1, 0, 0}, got.data(), bytes, use, &operand) ==
                 Answer::done;
        }));
        CHECK(got == expected);
      }
}

TEST_CASE("a message of another length is found, by whatever protocol it came", "[channel]") {
  // Whole pieces alone could be the beginning of more: none of these lengths is that.
  const std::size_t sizes[] = {0, 8, 200, 1000, 5000, 70001};
  for (const Hostility& hostility : all_kinds(21))
    for (const std::size_t n : sizes)
      for (const std::size_t m : sizes)
        for (const protocols::Use use : kChannelUses) {
          INFO("polls " << hostility.polls_memory << ", direct " << hostility.direct << ", fetches "
                        << hostility.fetches << ", " << n << " bytes sent, " << m
                        << " expected, use " << static_cast<int>(use));
          Pair pair(hostility);
          const MessageName call{1, 4, 3 << kOrdinalBits}, name{1, 4, call.ordinal + 2};
          const auto sent = bytes_of(n, 1);
          std::vector<std::byte> got(m);
          Transfer s, r;
          Answer sending = Answer::again, receiving = Answer::again;
          const auto fits = [&] {
            return pair.channels[1].fits(call,
                                         [&](Ordinal ordinal) -> std::optional<Channel::Expected> {
                                           if (ordinal != 2) return std::nullopt;
                                           return {{static_cast<Bytes>(m), use}};
                                         });
          };
          bool fitted = true;
          for (int i = 0; i < 20000 && fitted && receiving == Answer::again; ++i) {
            if (sending == Answer::again)
              sending = pair.channels[0].send(s, name, sent.data(), static_cast<Bytes>(n), use);
            if (i % 16 == 0) fitted = fits();
            if (fitted)
              receiving = pair.channels[1].recv(r, name, got.data(), static_cast<Bytes>(m), use);
            pair.net.step();
            for (Channel& c : pair.channels) c.progress();
            if (n != m && sending == Answer::failed) break;
          }
          if (n == m) {
            CHECK(fitted);
            CHECK(receiving == Answer::done);
          } else if (sending == Answer::done) {  // the others wait, and can be told
            CHECK((!fitted || receiving == Answer::failed));
            CHECK(pair.channels[1].failure_code() == Code::calls_differ);
            CHECK_FALSE(pair.channels[1].failed());
          }
          pair.channels[0].abandon(s);
          pair.channels[1].abandon(r);
          pair.channels[1].abandoned().revoke();
          pair.channels[1].abandoned().release();
        }
}

TEST_CASE("a message that the call does not receive is found, and others are left alone",
          "[channel]") {
  for (const bool set_aside : {false, true}) {
    INFO("set aside " << set_aside);
    Pair pair({22});
    const MessageName call{1, 4, 3 << kOrdinalBits};
    const auto nothing = [](Ordinal) { return std::optional<Channel::Expected>(); };
    int value = 0;
    const auto send = [&](const MessageName& name) {
      Transfer s;
      REQUIRE(pair.until(
          [&] { return pair.channels[0].send(s, name, &value, sizeof value) == Answer::done; }));
      for (int i = 0; i < 1000; ++i) pair.net.step();
    };
    send({1, 5, call.ordinal});           // of the next call
    send({2, 4, call.ordinal});           // of another communicator
    send({1, 4, 5 << kOrdinalBits | 1});  // for Listener::unwanted()
    CHECK(pair.channels[1].fits(call, nothing));
    send({1, 4, call.ordinal + 1});
    Transfer r;
    if (set_aside) {
      for (CollectiveNumber i = 6; i < 10; ++i) send({1, i, call.ordinal});
      REQUIRE(pair.until([&] {
        pair.channels[1].recv(r, call, &value, sizeof value);
        return r.phase == Transfer::Phase::asked;
      }));
    }
    CHECK_FALSE(pair.channels[1].fits(call, nothing));
    CHECK(pair.channels[1].failure_code() == Code::calls_differ);
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
