// The peer's inbox as its writer knows it.
#include "transport/growth.hpp"

#include <catch2/catch.hpp>

using namespace tutti::transport;

TEST_CASE("an outbox grows once, when it may", "[growth]") {
  constexpr InboxShape kLarge{{{{64, 8}, {128, 4}, {320, 4}, {64, 4}, {64, 4}}}};
  constexpr InboxShape kSmall{{{{64, 2}, {128, 1}, {128, 1}, {64, 1}, {64, 2}}}};
  Outbox outbox(kSmall, kLarge);
  CHECK(outbox.shape() == kSmall);
  CHECK(outbox.full_shape() == kLarge);
  CHECK_FALSE(outbox.may_grow());
  outbox.let_grow();
  CHECK(outbox.may_grow());
  CHECK_FALSE(outbox.grown());
  outbox.grow();
  CHECK(outbox.grown());
  CHECK_FALSE(outbox.may_grow());
  CHECK(outbox.shape() == kLarge);
}
