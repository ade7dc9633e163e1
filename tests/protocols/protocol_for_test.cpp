// Which protocol a message takes, and where it is combined, by its length and its use.
#include "protocols/protocol_for.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace tutti;
using namespace tutti::protocols;

namespace {
constexpr Limits kWire{40, 1000, 16000, true, false, false};       // an adapter
constexpr Limits kNode{40, 1000, 16000, true, true, true};         // shared memory: shm_copy=auto
constexpr Limits kOneCopy{40, 1000, 16000, true, true, false};     // shm_copy=single
constexpr Limits kTwoCopies{40, 1000, 16000, false, false, true};  // shm_copy=double
constexpr Use kUses[] = {Use::stored, Use::spread, Use::gathered, Use::combined};
}  // namespace

TEST_CASE("the protocol of a short message follows from its length", "[limits]") {
  for (const Limits& limits : {kWire, kNode, kOneCopy, kTwoCopies})
    for (const Use use : kUses) {
      CHECK(protocol_for(0, use, limits) == Protocol::line);
      CHECK(protocol_for(40, use, limits) == Protocol::line);
      CHECK(protocol_for(41, use, limits) == Protocol::small);
      CHECK(protocol_for(1001, use, limits) == Protocol::eager);
      CHECK(protocol_for(16000, use, limits) == Protocol::eager);
    }
}

TEST_CASE("the protocol of a long message follows from its use, and from what the link can do",
          "[limits]") {
  const auto by_use = [](const Limits& limits) {
    std::vector<Protocol> protocols;
    for (const Use use : kUses) protocols.push_back(protocol_for(16001, use, limits));
    return protocols;
  };
  using enum Protocol;
  CHECK(by_use(kWire) == std::vector{rendezvous, rendezvous, rendezvous, rendezvous});
  CHECK(by_use(kNode) == std::vector{either, either, rendezvous, pieces});
  CHECK(by_use(kOneCopy) == std::vector{rendezvous, fetch, rendezvous, rendezvous});
  CHECK(by_use(kTwoCopies) == std::vector{pieces, pieces, pieces, pieces});
}

TEST_CASE("whole elements are combined on arrival, unless they go straight to user memory",
          "[limits]") {
  for (const Limits& limits : {kWire, kNode, kOneCopy, kTwoCopies}) {
    CHECK(combines_on_arrival(0, 8, Use::combined, limits));
    CHECK(combines_on_arrival(16000, 12, Use::combined, limits));
  }
  for (const Limits& limits : {kWire, kOneCopy})
    CHECK_FALSE(combines_on_arrival(16008, 8, Use::combined, limits));
  for (const Limits& limits : {kNode, kTwoCopies}) {
    CHECK(combines_on_arrival(16008, 8, Use::combined, limits));
    CHECK_FALSE(combines_on_arrival(16008, 12, Use::combined, limits));
  }
  CHECK_FALSE(combines_on_arrival(16008, 8, Use::stored, kNode));
}

TEST_CASE("a piece is whole cache lines, so that no usual element is cut", "[limits]") {
  CHECK(piece_bytes({40, 1000, 16424, true, true, true}) == 16384);
  CHECK(piece_bytes({40, 41, 42, true, true, true}) == 42);
  CHECK(combines_on_arrival(100000, 16, Use::combined, {40, 1000, 16424, true, true, true}));
}

TEST_CASE("where a message may be cut, elements must fit the cut", "[limits]") {
  CHECK(cut_bytes(1064) == 960);
  CHECK(cut_bytes(959) == 896);
  CHECK(cut_bytes(296) == 256);
  CHECK(cut_bytes(40) == 40);
  Limits limits = kWire;
  limits.cut = cut_bytes(1064);
  for (const Bytes element : {1, 2, 4, 8, 12, 16, 24, 32, 40, 48})
    CHECK(combines_on_arrival(9600, element, Use::combined, limits));
  CHECK_FALSE(combines_on_arrival(9604, 28, Use::combined, limits));
  CHECK(combines_on_arrival(980, 28, Use::combined, limits));  // it is never cut
}
