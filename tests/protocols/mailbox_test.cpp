// Which broadcast a datagram goes to, and which datagrams are dropped.
#include "protocols/mailbox.hpp"

#include <catch2/catch.hpp>

#include "tests/protocols/hostile_datagrams.hpp"

using namespace tutti;
using namespace tutti::tests;
using protocols::DatagramHead;
using protocols::Mailbox;

namespace {

struct Broadcast final : protocols::Subscriber {
  void take(const DatagramHead& head, const std::byte* payload,
            std::uint32_t bytes) noexcept override {
    fragments.push_back(head.fragment);
    sizes.push_back(bytes);
    first_bytes.push_back(bytes != 0 ? static_cast<char>(payload[0]) : '-');
  }
  std::vector<std::uint32_t> fragments, sizes;
  std::vector<char> first_bytes;
};

constexpr std::uint64_t kJob = 99;
constexpr std::uint32_t kSlots = 16;
constexpr int kRoot = 0, kMe = 1;

// Rank 0 sends, rank 1 receives; nothing is lost.
struct Group {
  DatagramNet net{2, {.refuse = 0, .capacity = 132, .slots = kSlots}};
  Mailbox root{net.end(0), kJob, kRoot, 132, kSlots}, mine{net.end(1), kJob, kMe, 132, kSlots};
  void send(Mailbox& from, const MessageName& name, std::uint32_t fragment, std::string_view text) {
    from.send(name, kRoot, fragment, 0, text.data(), static_cast<std::uint32_t>(text.size()));
    net.end(0).land(true);
    net.end(1).land(true);
    root.progress();
    mine.progress();
  }
  std::size_t held() { return net.end(kMe).held(); }
};

}  // namespace

TEST_CASE("a datagram goes to the broadcast of its name and root, or waits for it", "[mailbox]") {
  Group group;
  group.send(group.root, {1, 5, 3}, 0, "early");
  group.send(group.root, {1, 6, 3}, 0, "other");
  Broadcast broadcast, elsewhere;
  group.mine.open(elsewhere, {1, 5, 3}, kRoot + 2);
  group.mine.open(broadcast, {1, 5, 3}, kRoot);
  CHECK(broadcast.first_bytes == std::vector<char>{'e'});
  group.send(group.root, {1, 5, 3}, 1, "late");
  group.send(group.root, {1, 5, 3}, DatagramHead::kEnd, "");
  CHECK(broadcast.fragments == std::vector<std::uint32_t>{0, 1, DatagramHead::kEnd});
  CHECK(broadcast.sizes == std::vector<std::uint32_t>{5, 4, 0});
  CHECK(elsewhere.fragments.empty());
  CHECK(group.held() == 1);  // the one of collective 6
  CHECK(group.mine.dropped() == 0);
}

TEST_CASE("datagrams of collectives that are over are dropped, later ones are not", "[mailbox]") {
  Group group;
  Broadcast broadcast;
  group.send(group.root, {1, 4, 3}, 0, "older");
  group.send(group.root, {1, 6, 3}, 0, "newer");
  group.send(group.root, {2, 4, 3}, 0, "another communicator");
  group.mine.open(broadcast, {1, 5, 3}, kRoot);
  group.mine.close(broadcast);
  CHECK(group.held() == 2);
  CHECK(group.mine.dropped() == 1);
  group.send(group.root, {1, 5, 3}, 0, "over");
  CHECK(group.held() == 2);
  CHECK(group.mine.dropped() == 2);
  Broadcast next;
  group.mine.open(next, {1, 6, 3}, kRoot);
  CHECK(next.first_bytes == std::vector<char>{'n'});
}

TEST_CASE("the oldest datagram that waits gives way to the newest", "[mailbox]") {
  Group group;
  for (std::uint32_t i = 0; i < 20; ++i) group.send(group.root, {1, 5, 3}, i, "x");
  CHECK(group.held() == kSlots / 2);
  CHECK(group.mine.dropped() == 12);
  Broadcast broadcast;
  group.mine.open(broadcast, {1, 5, 3}, kRoot);
  CHECK(broadcast.fragments == std::vector<std::uint32_t>{12, 13, 14, 15, 16, 17, 18, 19});
  CHECK(group.held() == 0);
}

TEST_CASE("datagrams of strangers, our own and broken ones are dropped", "[mailbox]") {
  Group group;
  Mailbox stranger(group.net.end(0), kJob + 1, kRoot, 132, kSlots);
  group.send(stranger, {1, 5, 3}, 0, "another job");
  CHECK(group.held() == 0);
  CHECK(group.mine.dropped() == 1);
  CHECK(group.net.end(kRoot).held() == 0);  // its own copy came back to the root
  group.net.end(0).send("short", 5, nullptr, 0);
  group.net.end(1).land(true);
  group.mine.progress();
  CHECK(group.held() == 0);
  CHECK(group.mine.dropped() == 2);
}

TEST_CASE("a broadcast for which there is no place gets nothing, and takes nothing away",
          "[mailbox]") {
  Group group;
  std::vector<Broadcast> many(Mailbox::kMostOpen + 1);
  for (std::size_t i = 0; i < many.size(); ++i)
    group.mine.open(many[i], {1, static_cast<CollectiveNumber>(i), 3}, kRoot);
  for (std::size_t i = 0; i < many.size(); ++i)
    group.send(group.root, {1, static_cast<CollectiveNumber>(i), 3}, 0, "x");
  CHECK(many.front().fragments.size() == 1);
  CHECK(many[Mailbox::kMostOpen - 1].fragments.size() == 1);
  CHECK(many.back().fragments.empty());
  for (Broadcast& broadcast : many) group.mine.close(broadcast);
}
