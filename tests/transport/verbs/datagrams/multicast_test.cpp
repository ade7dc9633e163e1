// Datagrams to each member, and what groups and ports cannot have. A multicast group takes a device
// and a fabric: see tests/rdma.
#include "transport/verbs/datagrams/multicast.hpp"

#include <catch2/catch.hpp>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "tests/transport/verbs/fake_verbs.hpp"

using namespace tutti;
using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

struct Members {
  tests::FakeVerbs fake{};
  Device device{{}, [](std::string_view) {}};
  std::vector<std::unique_ptr<Multicast>> all{};
  std::vector<MulticastCard> cards{};

  Multicast& add(MulticastOptions options) {
    options.delivery = Delivery::each;
    all.push_back(std::make_unique<Multicast>(device, options, [](std::string_view) {}));
    cards.push_back(all.back()->card());
    return *all.back();
  }
  void introduce() {
    for (const auto& member : all) member->set_members(cards);
  }
};

Post send_text(Multicast& from, const std::string& text) {
  return from.send(text.data(), static_cast<std::uint32_t>(text.size()), nullptr, 0);
}

std::string receive_text(Multicast& at) {
  const Datagram datagram = at.receive();
  if (!datagram.data) return {};
  std::string text(reinterpret_cast<const char*>(datagram.data), datagram.bytes);
  at.give_back(datagram.slot);
  return text;
}

Error error_of_options(const Device& device, const MulticastOptions& options) {
  try {
    const Multicast made(device, options, [](std::string_view) {});
  } catch (const Error& error) {
    return error;
  }
  FAIL("it was made");
  throw;
}

}  // namespace

TEST_CASE("a datagram reaches each member but its sender", "[verbs][multicast]") {
  Members members;
  for (int i = 0; i < 4; ++i) members.add({.members = 4});
  members.introduce();
  CHECK(members.all[0]->describe() == "datagrams to each receiver");
  for (std::size_t sender = 0; sender < 4; ++sender) {
    REQUIRE(send_text(*members.all[sender], "from " + std::to_string(sender)) == Post::done);
    for (std::size_t member = 0; member < 4; ++member)
      CHECK(receive_text(*members.all[member]) ==
            (member == sender ? "" : "from " + std::to_string(sender)));
  }
  // For as long as one likes.
  for (int i = 0; i < 200; ++i) {
    REQUIRE(send_text(*members.all[0], "again") == Post::done);
    for (std::size_t member = 1; member < 4; ++member)
      REQUIRE(receive_text(*members.all[member]) == "again");
  }
}

TEST_CASE("members that were not announced are refused", "[verbs][multicast]") {
  Members members;
  for (int i = 0; i < 3; ++i) members.add({.members = 2});
  try {
    members.introduce();
    FAIL("there is no room for them");
  } catch (const Error& error) {
    CHECK(error.code == Code::bad_configuration);
    CHECK_THAT(error.message,
               Catch::StartsWith("datagrams were set up for 2 ranks, and 3 have joined; open"));
  }
  members.fake.refuse("ibv_create_ah", EHOSTUNREACH);
  CHECK_THROWS_AS(members.introduce(), Error);
}

TEST_CASE("a datagram is as long as the port carries, or as was asked for", "[verbs][multicast]") {
  Members members;
  CHECK(members.add({}).capacity() == 1024);
  CHECK(members.add({.capacity = 100}).capacity() == 100);
  const Error error =
      error_of_options(members.device, {.delivery = Delivery::each, .capacity = 1025});
  CHECK(error.code == Code::bad_configuration);
  CHECK_THAT(error.message, Catch::Contains("port 1 of fake0 carries 1024"));
}

TEST_CASE("there are as many slots as the queues hold, and at least a few", "[verbs][multicast]") {
  tests::FakeVerbs fake;
  fake[0].limits.max_qp_wr = 100;
  const Device device({}, [](std::string_view) {});
  const auto slots = [&](std::uint32_t wanted) {
    return Multicast(device, {.delivery = Delivery::each, .slots = wanted}, [](std::string_view) {})
        .slots();
  };
  CHECK(slots(0) == 4);
  CHECK(slots(50) == 50);
  CHECK(slots(1000) == 100);
  // 32 datagrams under way to each of three receivers.
  CHECK(Multicast(device, {.delivery = Delivery::each, .members = 4}, [](std::string_view) {
        }).capacity() == 1024);
  const Error error = error_of_options(device, {.delivery = Delivery::each, .members = 5});
  CHECK(error.code == Code::unsupported);
  CHECK_THAT(error.message, Catch::Contains("each of 4 receivers do not fit the queues of fake0"));
}

TEST_CASE("who could not send once sends nothing more", "[verbs][multicast]") {
  Members members;
  members.add({});
  members.add({});
  members.introduce();
  members.fake.refuse("ibv_post_send", EIO, 1);
  CHECK(send_text(*members.all[0], "lost") == Post::failed);
  CHECK(send_text(*members.all[0], "later") == Post::failed);
  CHECK(receive_text(*members.all[1]).empty());
}
