// Long messages through the eager ring.
#include <catch2/catch.hpp>

#include "protocols/pieces.hpp"
#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;

TEST_CASE("pieces come in order, though more of them arrive than can be set aside", "[pieces]") {
  constexpr transport::InboxShape kWide{{{{64, 8}, {320, 4}, {65536 + 64, 4}, {64, 4}, {64, 4}}}};
  Pair pair({14, true, false, false}, kWide);
  // The last piece is short: it could still be set aside when the two before it could not. That
  // must not happen.
  const Bytes piece = piece_bytes(pair.channels[0].limits()),
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
  CHECK(pair.channels[1].failure_code() == Code::size_mismatch);
  CHECK(got[3000] == std::byte{0xee});
}
