// The places from which messages are sent.
#include "transport/verbs/connection/mirror.hpp"

#include <catch2/catch.hpp>

#include "tests/transport/rings.hpp"

using namespace tutti::tests;
using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

constexpr InboxShape kMirroredWhole{{{{128, 2}, {320, 4}, {320, 4}, {64, 1}, {64, 1}}}};
constexpr InboxShape kOverAdapter{{{{128, 64}, {1088, 64}, {16448, 16}, {64, 16}, {64, 16}}}};
constexpr InboxShape kOverSoftware{{{{128, 64}, {1088, 64}, {65600, 16}, {64, 16}, {64, 16}}}};
constexpr InboxShape kManySlots{{{{128, 64}, {1088, 64}, {8256, 64}, {64, 16}, {64, 16}}}};

}  // namespace

TEST_CASE("places of the mirror lie one behind the other, none for what goes inline", "[verbs]") {
  for (const InboxShape& inbox : {kMirroredWhole, kOverAdapter, kOverSoftware, kManySlots})
    for (const std::uint32_t inline_bytes : {0u, 64u, 128u, 512u}) {
      const Mirror mirror(inbox, inline_bytes);
      std::size_t end = 0;
      for (const Ring ring : kAllRings) {
        if (inbox[ring].slot_bytes <= inline_bytes || mirror.shares(ring)) continue;
        for (std::uint32_t slot = 0; slot < inbox[ring].slots; ++slot)
          CHECK(mirror.place_end(ring, slot) == (end += inbox[ring].slot_bytes));
      }
      CHECK(mirror.shared_begin() == end);
      CHECK(mirror.bytes() == end + mirror.shared_bytes());
    }
}

TEST_CASE("messages for long slots share as many bytes as some of them take", "[verbs]") {
  for (const InboxShape& inbox : {kMirroredWhole, kOverAdapter})
    CHECK(Mirror(inbox, 128).shared_bytes() == 0);
  for (const InboxShape& inbox : {kOverSoftware, kManySlots}) {
    const Mirror mirror(inbox, 512);
    CHECK(mirror.shares(Ring::eager));
    CHECK_FALSE(mirror.shares(Ring::small));
    CHECK(mirror.shared_bytes() >= 4 * inbox[Ring::eager].slot_bytes);
    CHECK(mirror.bytes() < 400 * 1024);
  }
  constexpr std::uint32_t kBytes = 8192 + 64;
  CHECK(16 * kBytes < Mirror(kOverSoftware, 512).shared_bytes() / 2);  // none asks for a completion
}
