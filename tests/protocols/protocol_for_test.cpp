// Which protocol a message takes, and where it is combined, by its length.
#include "protocols/protocol_for.hpp"

#include <catch2/catch.hpp>

using namespace tutti;
using namespace tutti::protocols;

namespace {
constexpr Limits kDirect{40, 1000, 16000, true}, kPieces{40, 1000, 16000, false};
}

TEST_CASE("the protocol follows from the length", "[limits]") {
  CHECK(protocol_for(0, kDirect) == Protocol::line);
  CHECK(protocol_for(40, kDirect) == Protocol::line);
  CHECK(protocol_for(41, kDirect) == Protocol::small);
  CHECK(protocol_for(1001, kDirect) == Protocol::eager);
  CHECK(protocol_for(16001, kDirect) == Protocol::rendezvous);
  CHECK(protocol_for(16001, kPieces) == Protocol::pieces);
}

TEST_CASE("whole elements are combined on arrival, unless they go straight to user memory",
          "[limits]") {
  CHECK(combines_on_arrival(0, 8, kDirect));
  CHECK(combines_on_arrival(16000, 12, kDirect));
  CHECK_FALSE(combines_on_arrival(16008, 8, kDirect));
  CHECK(combines_on_arrival(16008, 8, kPieces));
  CHECK_FALSE(combines_on_arrival(16008, 12, kPieces));
}
