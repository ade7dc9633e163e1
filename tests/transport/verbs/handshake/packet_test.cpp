// Which packets of the handshake are believed.
#include "transport/verbs/handshake/packet.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "tests/base/no_code.hpp"

using tutti::transport::kMostRails;
using namespace tutti::transport::verbs;

namespace {

constexpr int kRank = 1;

std::vector<HandshakeCard> cards() {
  std::vector<HandshakeCard> cards(3);
  for (std::size_t rank = 0; rank < cards.size(); ++rank) cards[rank].token = 1000 + rank;
  return cards;
}

// From rank 2 to rank 1.
Packet right() {
  Packet packet;
  packet.type = Packet::Type::reply;
  packet.from = 2;
  packet.to = kRank;
  packet.token = 1002;
  packet.info = {17, 0xffffff, 4096, 5, 0, 0};
  packet.mtu = IBV_MTU_1024;
  packet.arrival = static_cast<std::uint16_t>(Arrival::imm);
  packet.of = Packet::Of::larger;
  packet.rails = 2;
  packet.lanes[0] = {{}, 8192, 6, 18, 7, 0, IBV_MTU_4096};
  return packet;
}

std::optional<Packet> read(const Packet& packet, std::size_t bytes = sizeof(Packet)) {
  std::vector<std::byte> datagram(bytes);
  if (bytes != 0) std::memcpy(datagram.data(), &packet, std::min(bytes, sizeof packet));
  return read_packet(datagram, kRank, cards());
}

template <class Change>
bool believed(Change&& change) {
  Packet packet = right();
  change(packet);
  return read(packet).has_value();
}

}  // namespace

TEST_CASE("a packet of a rank of this job is believed", "[packet]") {
  const auto packet = read(right());
  REQUIRE(packet);
  CHECK(packet->from == 2);
  CHECK(packet->info.queue_pair == 17);
  for (const int type : {1, 2, 3})
    CHECK(believed([&](Packet& p) { p.type = static_cast<Packet::Type>(type); }));
  for (const Arrival arrival : {Arrival::tail, Arrival::imm, Arrival::flag})
    CHECK(believed([&](Packet& p) { p.arrival = static_cast<std::uint16_t>(arrival); }));
  CHECK(believed([](Packet& p) {
    p.of = Packet::Of::first;
    p.rails = 1;
  }));
  for (std::uint16_t mtu = 1; mtu <= 5; ++mtu) CHECK(believed([&](Packet& p) { p.mtu = mtu; }));
}

TEST_CASE("a datagram of another length is no packet", "[packet]") {
  for (const std::size_t bytes :
       {std::size_t{0}, sizeof(Packet) - 1, sizeof(Packet) + 1, std::size_t{4096}})
    CHECK_FALSE(read(right(), bytes));
}

TEST_CASE("a packet of a stranger, or for another rank, is not believed", "[packet]") {
  CHECK_FALSE(believed([](Packet& p) { ++p.magic; }));
  CHECK_FALSE(believed([](Packet& p) { ++p.version; }));
  CHECK_FALSE(believed([](Packet& p) { ++p.token; }));
  for (const int from : {-1, 0, 1, 3, 1 << 30, -(1 << 30)})
    CHECK_FALSE(believed([&](Packet& p) { p.from = from; }));
  for (const int to : {-1, 0, 2, 3}) CHECK_FALSE(believed([&](Packet& p) { p.to = to; }));
}

TEST_CASE("a packet that says what cannot be is not believed", "[packet]") {
  for (const int type : {0, 4, 5, 7, 9, 0xffff})
    CHECK_FALSE(believed([&](Packet& p) { p.type = static_cast<Packet::Type>(type); }));
  for (const int arrival : {0, 4, 0x101, 0xffff})
    CHECK_FALSE(believed([&](Packet& p) { p.arrival = static_cast<std::uint16_t>(arrival); }));
  for (const int mtu : {0, 6, 0xffff})
    CHECK_FALSE(believed([&](Packet& p) { p.mtu = static_cast<std::uint16_t>(mtu); }));
  for (const std::uint32_t number : {0u, 1u, 1u << 24, ~0u})
    CHECK_FALSE(believed([&](Packet& p) { p.info.queue_pair = number; }));
  for (const std::uint32_t number : {1u << 24, ~0u})
    CHECK_FALSE(believed([&](Packet& p) { p.info.packet_sequence = number; }));
  for (const std::uint64_t address : {0u, 1u, 4097u})
    CHECK_FALSE(believed([&](Packet& p) { p.info.inbox_address = address; }));
  for (const std::uint32_t rails : {0u, 3u, std::uint32_t{kMostRails + 1}, ~0u})
    CHECK_FALSE(believed([&](Packet& p) { p.rails = rails; }));
  for (const std::uint32_t busy : {1u, 2u, 3u})
    CHECK_FALSE(believed([&](Packet& p) { p.busy = static_cast<Packet::Busy>(busy); }));
  for (const std::uint32_t of : {0u, 2u, ~0u})  // the first connection has no lanes
    CHECK_FALSE(believed([&](Packet& p) { p.of = static_cast<Packet::Of>(of); }));
  CHECK_FALSE(believed([](Packet& p) { p.lanes[0].queue_pair = 1u << 24; }));
  CHECK_FALSE(believed([](Packet& p) { p.lanes[0].packet_sequence = ~0u; }));
  CHECK_FALSE(believed([](Packet& p) { p.lanes[0].inbox_address = 0; }));
  CHECK_FALSE(believed([](Packet& p) { p.lanes[0].mtu = 6; }));
}

TEST_CASE("who has no connection yet says why, and nothing else is read", "[packet]") {
  const auto busy = [](std::uint32_t why, Packet::Of of = Packet::Of::first) {
    Packet packet = right();
    packet.of = of;
    packet.type = Packet::Type::busy;
    packet.busy = static_cast<Packet::Busy>(why);
    packet.info = {};
    packet.lanes = {};
    packet.cause = tutti::Code::out_of_memory;
    return read(packet).has_value();
  };
  for (const std::uint32_t why : {1u, 2u, 3u}) CHECK(busy(why));
  for (const std::uint32_t why : {0u, 4u, ~0u}) CHECK_FALSE(busy(why));
  // A rank that has given another one up says so of the first connection only.
  for (const std::uint32_t why : {1u, 2u}) CHECK(busy(why, Packet::Of::larger));
  for (const std::uint32_t why : {0u, 3u}) CHECK_FALSE(busy(why, Packet::Of::larger));
}

TEST_CASE("questions about writes and notices, and answers, need nothing else", "[packet]") {
  for (const int type : {5, 6, 7, 8})
    for (const bool right : {true, false}) {
      Packet packet;
      packet.type = static_cast<Packet::Type>(type);
      packet.from = 2;
      packet.to = kRank;
      packet.token = 1002;
      if (!right) packet.of = Packet::Of::larger;
      CHECK(read(packet).has_value() == right);
    }
}

TEST_CASE("only so many notices are believed", "[packet]") {
  using tutti::transport::Notices;
  for (const int type : {7, 8})
    for (const std::uint32_t number : {0u, Notices::kMost - 1, Notices::kMost, ~0u}) {
      Packet packet;
      packet.type = static_cast<Packet::Type>(type);
      packet.from = 2;
      packet.to = kRank;
      packet.token = 1002;
      packet.question = number;
      CHECK(read(packet).has_value() == (number < Notices::kMost));
    }
}

TEST_CASE("who has given a connection up names a cause", "[packet]") {
  const auto given_up = [](int cause) {
    return believed([&](Packet& p) {
      p.type = Packet::Type::busy;
      p.of = Packet::Of::first;
      p.busy = Packet::Busy::given_up;
      p.cause = static_cast<tutti::Code>(cause);
    });
  };
  for (const int cause : {1, 19, 21, tutti::tests::no_code() - 1}) CHECK(given_up(cause));
  for (const int cause : {-1, 0, tutti::tests::no_code(), 1 << 30}) CHECK_FALSE(given_up(cause));
}
