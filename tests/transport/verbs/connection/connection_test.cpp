// The memory of a connection.
#include "transport/verbs/connection/connection.hpp"

#include <catch2/catch.hpp>

using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

constexpr std::size_t kKiB = 1024;

// As by default, over an adapter and over a device in software.
constexpr InboxShape kAdapter{{{{128, 64}, {1088, 64}, {16448, 16}, {64, 16}, {64, 16}}}};
constexpr InboxShape kSoftware{{{{128, 64}, {1088, 64}, {65600, 16}, {64, 16}, {64, 16}}}};

}  // namespace

TEST_CASE("a connection is small at first", "[verbs]") {
  for (const InboxShape& shape : {kAdapter, kSoftware})
    CHECK(Connection::bytes(first_shape(shape), LinkOptions{}.at_first()) <= 32 * kKiB);
}

TEST_CASE("messages that go inline have no other place from which they are sent", "[verbs]") {
  constexpr InboxShape kShort{{{{128, 64}, {128, 64}, {128, 64}, {64, 64}, {64, 64}}}};
  constexpr InboxShape kLong{{{{128, 64}, {192, 64}, {128, 64}, {64, 64}, {64, 64}}}};
  LinkOptions options;
  options.send_queue_depth = 0;
  options.inline_bytes = 128;
  const std::size_t all_inline = Connection::bytes(kShort, options);
  CHECK(all_inline >= kShort.bytes());
  CHECK(all_inline < kShort.bytes() + 4 * kKiB);
  const std::size_t some_staged = Connection::bytes(kLong, options);
  CHECK(some_staged >= kLong.bytes() + 192 * 64);
  CHECK(some_staged < kLong.bytes() + 192 * 64 + 4 * kKiB);
  options.inline_bytes = 0;
  CHECK(Connection::bytes(kShort, options) >= 2 * (kShort.bytes() - InboxShape::kCreditBytes));
}
