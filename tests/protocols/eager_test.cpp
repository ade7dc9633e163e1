// A message that fits one slot.
#include <catch2/catch.hpp>

#include "protocols/eager.hpp"
#include "tests/protocols/pair.hpp"
#include "tests/typed_memory.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::Answer;
using protocols::Transfer;
using transport::Ring;

TEST_CASE("a message of another length is a complaint, and the channel goes on", "[eager]") {
  Pair pair({7, true, true, false});
  char data[100] = {};
  Transfer s, r, s2, r2;
  REQUIRE(pair.until([&] { return pair.channels[0].send(s, {1, 0, 0}, data, 8) == Answer::done; }));
  Answer answer = Answer::again;
  REQUIRE(pair.until([&] {
    return (answer = pair.channels[1].recv(r, {1, 0, 0}, data, 16)) != Answer::again;
  }));
  CHECK(answer == Answer::failed);
  CHECK(pair.channels[1].failure_code() == Code::calls_differ);
  CHECK_FALSE(pair.channels[1].failed());
  pair.ears[1].abandoned_id = 1;  // its communicator has failed: nobody wants its message
  REQUIRE(pair.until([&] {
    return pair.channels[0].send(s2, {2, 0, 0}, data, 8) == Answer::done;
  }));
  REQUIRE(pair.until([&] {
    return pair.channels[1].recv(r2, {2, 0, 0}, data, 8) == Answer::done;
  }));
}

TEST_CASE("a link hears when payloads that the peer's has marked are copied, and of no others",
          "[eager]") {
  constexpr Bytes n = 48;
  RingPair pair(kTiny);
  protocols::Complaint complaint(0);
  HostileLink &peer = pair.net.link(0, 1), &link = pair.net.link(1, 0);
  const auto data = bytes_of(index(n), 1);
  std::uint32_t sent = 0;
  const auto put = [&](std::uint32_t mark, CommunicatorId id = 1) {
    const transport::Length length{static_cast<std::uint32_t>(n)};
    REQUIRE(peer.put(Ring::small, 0, data.data(),
                     {{id, 0, 0}, length.with_mark(mark), 0, ++sent}) == transport::Post::done);
    pair.settle();
  };
  std::vector<std::byte> got(index(n));
  const auto receive = [&](Transfer& transfer, void* to, const Operand* operand) {
    return protocols::receive_eager(pair.rings[1], Ring::small, complaint, transfer, {1, 0, 0}, to,
                                    n, operand);
  };
  SECTION("copied") {
    for (const std::uint32_t mark : {0u, 1u, 2u, 3u}) {
      Transfer transfer;
      put(mark);
      REQUIRE(receive(transfer, got.data(), nullptr) == Answer::done);
      CHECK(got == data);
      CHECK(link.reads_begun == mark);
    }
    CHECK(link.marks_read == std::vector<std::uint32_t>{1, 2, 3});
  }
  SECTION("unpacked") {
    TypedMemory to(n);
    const Operand operand{.view = to.view()};
    Transfer transfer;
    put(1);
    REQUIRE(receive(transfer, to.room(), &operand) == Answer::done);
    CHECK(to.values() == data);
    CHECK(link.marks_read == std::vector<std::uint32_t>{1});
  }
  SECTION("set aside before") {
    Transfer waits, transfer;
    put(1);
    while (waits.phase != Transfer::Phase::asked) {
      REQUIRE(protocols::receive_eager(pair.rings[1], Ring::small, complaint, waits, {2, 0, 0},
                                       got.data(), n, nullptr) == Answer::again);
      pair.settle();
    }
    REQUIRE(receive(transfer, got.data(), nullptr) == Answer::done);
    CHECK(got == data);
    CHECK(link.reads_begun == 0);
  }
}
