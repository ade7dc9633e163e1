// Long messages through the eager ring.
#include <catch2/catch.hpp>

#include "protocols/pieces.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;

TEST_CASE("pieces come in order, though others overtake them", "[pieces]") {
  for (const Hostility& hostility : all_kinds(14)) {
    if (hostility.direct) continue;
    for (const auto& shape : {kUsual, kTiny}) {
      Pair pair(hostility, shape);
      constexpr std::size_t n = 30000;
      constexpr std::uint32_t kShort = 5;
      const auto sent = bytes_of(n, 3);
      std::vector<std::byte> got(n);
      Transfer long_send, long_receive, sends[kShort];
      bool long_gone = false, gone[kShort] = {};
      const auto push = [&] {
        if (!long_gone)
          long_gone = pair.channels[0].send(long_send, {1, 0, 0}, sent.data(), n) == Answer::done;
        for (std::uint32_t i = 0; i < kShort; ++i)
          if (!gone[i])
            gone[i] = pair.channels[0].send(sends[i], {2, i, 0}, sent.data(), 1000) == Answer::done;
      };
      // Before, between and after the pieces, short messages, each of a call of its own.
      for (std::uint32_t i = 0; i < kShort; ++i) {
        std::byte value[1000];
        Transfer r;
        REQUIRE(pair.until([&] {
          push();
          if (long_receive.moved < static_cast<Bytes>(n / kShort * i))
            pair.channels[1].recv(long_receive, {1, 0, 0}, got.data(), n);
          return pair.channels[1].recv(r, {2, i, 0}, value, 1000) == Answer::done;
        }));
        CHECK(std::memcmp(value, sent.data(), sizeof value) == 0);
      }
      REQUIRE(pair.until([&] {
        push();
        return pair.channels[1].recv(long_receive, {1, 0, 0}, got.data(), n) == Answer::done;
      }));
      CHECK((got == sent));  // many bytes: not to be printed
    }
  }
}

TEST_CASE("more bytes than expected are a complaint, and nothing is written behind the buffer",
          "[pieces]") {
  Pair pair({17, true, false, false});
  const auto sent = bytes_of(5000, 1);
  std::vector<std::byte> got(5000, std::byte{0xee});
  Transfer s, r;
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    pair.channels[0].send(s, {1, 0, 0}, sent.data(), 5000);
    return (answer = pair.channels[1].recv(r, {1, 0, 0}, got.data(), 3000)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[1].failure_code() == Code::calls_differ);
  CHECK(got[3000] == std::byte{0xee});
}

TEST_CASE("the first pieces of a longer message are not taken for all of it, nor the reverse",
          "[pieces]") {
  for (const Hostility& hostility : all_kinds(14)) {
    if (hostility.direct) continue;
    Bytes piece = 0;
    {
      Pair pair(hostility);
      piece = piece_bytes(pair.channels[0].limits());
    }
    for (const auto& [sent, expected] : {std::pair{2 * piece, piece},
                                         {3 * piece, 2 * piece},
                                         {2 * piece + 1, 2 * piece},
                                         {piece, 2 * piece},
                                         {2 * piece, 3 * piece},
                                         {2 * piece, 2 * piece + 1}}) {
      Pair pair(hostility);
      const auto data = bytes_of(static_cast<std::size_t>(sent), 1);
      std::vector<std::byte> got(static_cast<std::size_t>(std::max(sent, expected)));
      Transfer s, r;
      Answer answer = Answer::again;
      REQUIRE(pair.until([&] {
        pair.channels[0].send(s, {1, 0, 0}, data.data(), sent);
        answer = pair.channels[1].recv(r, {1, 0, 0}, got.data(), expected);
        return answer != Answer::again;
      }));
      CHECK(answer == Answer::failed);
      CHECK(pair.channels[1].failure_code() == Code::calls_differ);
    }
  }
}
