// Buffers that are registered once for many messages.
#include "protocols/bound.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/pair.hpp"

using namespace tutti;
using namespace tutti::protocols;
using namespace tutti::tests;

namespace {

struct Registering : Pair {
  explicit Registering(bool registers = true)
      : Pair({.seed = 1, .polls_memory = true, .direct = true, .registers = registers}, kUsual,
             {.max_bytes = 0}) {}
  const Channel& channel() const { return channels[0]; }
  int adds() const { return net.registrar.adds; }
};

}  // namespace

TEST_CASE("parts of one buffer are registered as one range", "[bound]") {
  Registering pair;
  std::vector<std::byte> buffer(1000), other(1000);
  BoundMemory bound;
  bound.add(pair.channel(), 0, buffer.data() + 100, 50, false);
  bound.add(pair.channel(), 0, buffer.data() + 700, 50, false);
  bound.add(pair.channel(), 0, buffer.data() + 300, 0, true);  // no bytes, no part
  bound.add(pair.channel(), 1, other.data(), 1000, true);
  CHECK(pair.adds() == 0);
  CHECK(bound.renew());
  CHECK(pair.adds() == 2);
  CHECK_FALSE(bound.renew());
  CHECK(pair.net.registrar.covers(buffer.data() + 100, 650, false));
  CHECK_FALSE(pair.net.registrar.covers(buffer.data() + 100, 1, true));
  CHECK(pair.net.registrar.covers(other.data(), 1000, true));
  registration::Region* const first = bound.region(pair.channel(), buffer.data() + 700, 50);
  REQUIRE(first);
  CHECK(bound.region(pair.channel(), buffer.data() + 100, 650) == first);
  CHECK(bound.region(pair.channel(), buffer.data() + 99, 2) == nullptr);
  CHECK(bound.region(pair.channel(), buffer.data() + 749, 2) == nullptr);
  CHECK(bound.region(pair.channel(), other.data(), 1000) != first);
}

TEST_CASE("buffers that share bytes are one range, written where any of them is", "[bound]") {
  Registering pair;
  std::vector<std::byte> buffer(1000);
  BoundMemory bound;
  bound.add(pair.channel(), 0, buffer.data(), 300, false);
  bound.add(pair.channel(), 1, buffer.data() + 600, 400, false);
  bound.add(pair.channel(), 2, buffer.data() + 299, 302, true);  // a byte of each
  bound.renew();
  CHECK(pair.adds() == 1);
  CHECK(pair.net.registrar.covers(buffer.data(), 1000, true));
}

TEST_CASE("what was bound ends with its holder", "[bound]") {
  Registering pair;
  std::vector<std::byte> buffer(1000);
  {
    BoundMemory bound;
    bound.add(pair.channel(), 0, buffer.data(), 1000, true);
    bound.renew();
    CHECK(pair.net.registrar.live == 1);
  }
  CHECK(pair.net.registrar.live == 0);
}

TEST_CASE("what cannot be registered is left out, and not tried again", "[bound]") {
  Registering pair;
  std::vector<std::byte> buffer(1000), other(1000);
  pair.net.registrar.fail_at = 1;
  BoundMemory bound;
  bound.add(pair.channel(), 0, buffer.data(), 1000, true);
  bound.add(pair.channel(), 1, other.data(), 1000, true);
  CHECK(bound.renew());
  CHECK_FALSE(bound.renew());
  CHECK(pair.net.registrar.live == 1);
  CHECK(bound.region(pair.channel(), buffer.data(), 1000) == nullptr);
  CHECK(bound.region(pair.channel(), other.data(), 1000) != nullptr);
}

TEST_CASE("nothing is bound where no memory need be registered", "[bound]") {
  Registering pair(false);
  std::vector<std::byte> buffer(1000);
  BoundMemory bound;
  bound.add(pair.channel(), 0, buffer.data(), 1000, true);
  CHECK(bound.empty());
}

// A transfer that was lent its region, done, and given up while its peer may still write.
TEST_CASE("a region that was lent stays its lender's, and the peer's until it answers", "[bound]") {
  Registering pair;
  std::vector<std::byte> buffer(20000);
  const std::vector<std::byte> data = bytes_of(20000, 1);
  constexpr MessageName first{1, 1, 0}, second{1, 2, 0};
  {
    BoundMemory bound;
    bound.add(pair.channel(), 0, buffer.data(), 20000, true);
    bound.renew();
    const auto lend = [&](Transfer& transfer) {
      transfer.region = bound.region(pair.channel(), buffer.data(), 20000);
      transfer.lent = true;
    };
    Transfer sends, receives;
    lend(receives);
    bool sent = false, received = false;
    REQUIRE(pair.until([&] {
      sent = sent || pair.channels[1].send(sends, first, data.data(), 20000) == Answer::done;
      received =
          received || pair.channels[0].recv(receives, first, buffer.data(), 20000) == Answer::done;
      return sent && received;
    }));
    CHECK(buffer == data);
    CHECK(pair.net.registrar.covers(buffer.data(), 20000));

    receives = {};
    lend(receives);
    REQUIRE(pair.until([&] {
      pair.channels[0].recv(receives, second, buffer.data(), 20000);
      return receives.phase == Transfer::Phase::awaits_outcome;
    }));
    pair.channels[0].abandon(receives);
    CHECK(receives.region == nullptr);
  }
  // The lender has gone, and the peer may write still.
  CHECK(pair.net.registrar.covers(buffer.data(), 20000));
  pair.ears[1].abandoned_id = second.communicator;
  CHECK(pair.until([&] { return !pair.net.registrar.covers(buffer.data(), 20000); }));
}
