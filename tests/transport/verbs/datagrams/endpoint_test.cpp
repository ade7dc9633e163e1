// Datagrams between two endpoints: order, room, loss, and a queue pair that fails.
#include "transport/verbs/datagrams/endpoint.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

constexpr std::uint32_t kKey = 77, kReceiveSlots = 8, kSendSlots = 4;

struct TwoEndpoints {
  explicit TwoEndpoints(std::uint32_t signal_each = 1) : every(signal_each) {
    for (Endpoint* const end : {&from, &to}) end->open(kKey);
    retarget(kKey);
  }
  void retarget(std::uint32_t key) {
    ibv_ah_attr path = device.path_to(device.lid(), device.gid());
    targets.clear();
    targets.push_back({AddressHandle(ibv_create_ah(device.pd(), &path)), to.number(), key});
  }
  Post send(const std::string& head, const std::string& body = {}) {
    return from.send(targets, head.data(), static_cast<std::uint32_t>(head.size()), body.data(),
                     static_cast<std::uint32_t>(body.size()));
  }
  // The next datagram; "": none. Its slot is given back.
  std::string receive() {
    const Datagram datagram = to.receive();
    if (!datagram.data) return {};
    std::string text(reinterpret_cast<const char*>(datagram.data), datagram.bytes);
    to.give_back(datagram.slot);
    return text;
  }

  const std::uint32_t every;
  tests::FakeVerbs fake{};
  Device device{{}, [](std::string_view) {}};
  EndpointOptions options{.purpose = "a test",
                          .capacity = 256,
                          .receive_slots = kReceiveSlots,
                          .send_slots = kSendSlots,
                          .targets = 2,
                          .signal_each = every};
  Endpoint from{device, options}, to{device, options};
  std::vector<Endpoint::Target> targets{};
};

}  // namespace

TEST_CASE("datagrams arrive as they were sent, aligned", "[verbs][endpoint]") {
  TwoEndpoints two;
  CHECK(two.receive().empty());
  for (int i = 0; i < 100; ++i) {
    REQUIRE(two.send("head ", std::to_string(i)) == Post::done);
    CHECK(two.receive() == "head " + std::to_string(i));
  }
  CHECK(two.send(std::string(256, 'x')) == Post::done);
  const Datagram last = two.to.receive();
  CHECK(last.bytes == 256);
  CHECK(reinterpret_cast<std::uintptr_t>(last.data) % 64 == 0);
}

TEST_CASE("a datagram with another key is dropped", "[verbs][endpoint]") {
  TwoEndpoints two;
  two.retarget(kKey + 1);
  CHECK(two.send("stranger") == Post::done);
  CHECK(two.receive().empty());
  CHECK_FALSE(two.to.failed());
  CHECK((random_queue_key() & 0x80000000u) == 0);
}

TEST_CASE("datagrams for which there is no room are lost, and no others", "[verbs][endpoint]") {
  TwoEndpoints two;
  for (int i = 0; i < 20; ++i) REQUIRE(two.send(std::to_string(i)) == Post::done);
  std::vector<Datagram> kept;
  for (Datagram datagram = two.to.receive(); datagram.data; datagram = two.to.receive())
    kept.push_back(datagram);
  REQUIRE(kept.size() == kReceiveSlots);
  CHECK(std::string(reinterpret_cast<const char*>(kept[7].data), kept[7].bytes) == "7");
  std::set<std::uint32_t> slots;
  for (const Datagram& datagram : kept) slots.insert(datagram.slot);
  CHECK(slots.size() == kReceiveSlots);
  // Slots come back in any order, each with room for one.
  two.to.give_back(kept[5].slot);
  two.to.give_back(kept[1].slot);
  for (int i = 0; i < 3; ++i) REQUIRE(two.send("later") == Post::done);
  CHECK(two.receive() == "later");
  CHECK(two.receive() == "later");
}

TEST_CASE("a sender waits for room, and overwrites nothing", "[verbs][endpoint]") {
  TwoEndpoints two(GENERATE(1u, 2u, 4u));
  two.fake.hold(true);
  for (std::uint32_t i = 0; i < kSendSlots; ++i) REQUIRE(two.send("early") == Post::done);
  CHECK(two.send("too many") == Post::again);
  CHECK(two.send("too many") == Post::again);
  two.fake.hold(false);
  CHECK(two.send("one more") == Post::done);
  int early = 0;
  std::string text;
  while ((text = two.receive()) == "early") ++early;
  CHECK(early == kSendSlots);
  CHECK(text == "one more");
}

TEST_CASE("a datagram goes to each target, or to none", "[verbs][endpoint]") {
  TwoEndpoints two;
  ibv_ah_attr path = two.device.path_to(two.device.lid(), two.device.gid());
  two.targets.push_back(
      {AddressHandle(ibv_create_ah(two.device.pd(), &path)), two.from.number(), kKey});
  REQUIRE(two.send("both") == Post::done);
  CHECK(two.receive() == "both");
  const Datagram own = two.from.receive();
  REQUIRE(own.data);
  CHECK(own.bytes == 4);
  two.targets.clear();
  for (int i = 0; i < 20; ++i) CHECK(two.send("nobody") == Post::done);
  two.fake.refuse("ibv_post_send", EIO);
  CHECK(two.send("nobody") == Post::done);
  two.retarget(kKey);
  CHECK(two.send("refused") == Post::failed);
}

TEST_CASE("an endpoint that has failed is opened again", "[verbs][endpoint]") {
  TwoEndpoints two;
  REQUIRE(two.send("lost") == Post::done);
  const bool sender = GENERATE(true, false);
  Endpoint& broken = sender ? two.from : two.to;
  if (!sender) CHECK(two.receive() == "lost");
  two.fake.break_pair(broken.number());
  CHECK(two.send("lost, too") == Post::done);  // nobody knows yet
  if (sender) static_cast<void>(two.from.receive());
  CHECK(two.receive() == (sender ? "lost" : ""));
  CHECK(broken.failed());
  two.fake.refuse("ibv_modify_qp to RTR", EIO, 1);
  CHECK_THROWS_AS(broken.open(kKey), Error);
  CHECK(broken.failed());
  broken.open(kKey);
  CHECK_FALSE(broken.failed());
  for (int i = 0; i < 20; ++i) {
    REQUIRE(two.send(std::to_string(i)) == Post::done);
    CHECK(two.receive() == std::to_string(i));
  }
}

TEST_CASE("an endpoint that cannot be made leaves nothing behind", "[verbs][endpoint]") {
  TwoEndpoints two;
  const int before = two.fake.alive();
  int k = 1;
  for (;; ++k) {
    two.fake.refuse_kth(k);
    try {
      Endpoint one(two.device, two.options);
      one.open(kKey);
      if (!two.fake.refused_kth()) break;
    } catch (const Error& error) {
      CHECK((error.code == Code::out_of_memory || error.code == Code::locked_memory ||
             error.code == Code::transport_failed));
    }
    CHECK(two.fake.alive() == before);
  }
  CHECK(k == 8);  // two queues, a queue pair, memory, and three steps
}
