// Notices of a peer come by datagrams, which may get lost and come twice; each is read once.
#include "transport/verbs/connection/notices.hpp"

#include <catch2/catch.hpp>

using namespace tutti::transport;
using verbs::NoticesOfPeer;

namespace {

Notice notice(int number) { return {{static_cast<std::byte>(number)}}; }

}  // namespace

TEST_CASE("each notice that a peer has left is read once, in order", "[notices]") {
  NoticesOfPeer notices;
  CHECK_FALSE(notices.take_look());
  CHECK_FALSE(notices.next());
  for (int number = 0; number < 3; ++number) {
    const auto expected = static_cast<std::uint32_t>(number);
    notices.look();
    CHECK(notices.take_look() == expected);
    CHECK_FALSE(notices.take_look());
    notices.take(expected + 1, notice(9));  // the one before it was lost
    CHECK_FALSE(notices.next());
    notices.take(expected, notice(number));
    notices.take(expected, notice(9));  // again
    const auto next = notices.next();
    REQUIRE(next);
    CHECK(next->bytes[0] == static_cast<std::byte>(number));
    CHECK_FALSE(notices.next());
  }
}

TEST_CASE("a peer leaves no more notices than there is room for", "[notices]") {
  NoticesOfPeer notices;
  for (std::uint32_t number = 0; number < 2 * Notices::kMost; ++number)
    notices.take(number, notice(1));
  std::uint32_t read = 0;
  while (notices.next()) ++read;
  CHECK(read == Notices::kMost);
}
