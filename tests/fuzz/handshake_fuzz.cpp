// Packets of the handshake, and immediate data.
#include <vector>

#include "tests/fuzz/fuzz.hpp"
#include "transport/verbs/handshake/packet.hpp"

using namespace tutti;
using namespace tutti::fuzz;
using namespace tutti::transport;
using namespace tutti::transport::verbs;

namespace {

constexpr int kRank = 1, kRanks = 4;

// Properties of a packet on which the handshake and the queue pair rely.
void must_be_sound(const Packet& packet) {
  must(packet.from >= 0 && packet.from < kRanks && packet.from != kRank, "the sender is a rank");
  must(packet.to == kRank, "the packet is for this rank");
  if (packet.busy == Packet::Busy::given_up)
    must(packet.cause != Code::success && text_of(packet.cause), "a failure has a cause");
  if (packet.type == Packet::Type::busy) return must(packet.busy != Packet::Busy::no, "why");
  must(packet.busy == Packet::Busy::no, "who is busy says nothing else");
  if (packet.type > Packet::Type::busy)
    return must(packet.of == Packet::Of::first, "writes are of a link");
  must(packet.mtu >= 1 && packet.mtu <= 5, "the MTU is one of verbs'");
  const auto arrival = static_cast<Arrival>(packet.arrival);
  must(name_of(arrival) != "?" && name_of(safer_of(arrival, Arrival::tail)) != "auto",
       "both ends agree on a way to arrive");
  must(packet.info.queue_pair >> 24 == 0 && packet.info.packet_sequence >> 24 == 0,
       "numbers have 24 bits");
  must(packet.of <= Packet::Of::larger, "it is about one of two connections");
  must(packet.rails == 1 || packet.of == Packet::Of::larger, "lanes come later");
  must(packet.rails >= 1 && packet.rails <= kMostRails, "there are rails");
  for (std::size_t i = 0; i + 1 < packet.rails; ++i)
    must(packet.lanes[i].queue_pair >> 24 == 0 && packet.lanes[i].mtu <= 5, "a lane is possible");
}

void read_immediate(std::uint32_t word) {
  const Immediate immediate(word);
  if (immediate.kind() == Immediate::Kind::message)
    must(immediate.ring() < kRings, "a message arrives in a ring");
  if (immediate.kind() == Immediate::Kind::credit && immediate.ring() < kRings) {
    const auto ring = static_cast<Ring>(immediate.ring());
    must(Immediate::credit(ring, immediate.consumed_after(0)).word() == word,
         "a credit says what was consumed");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<HandshakeCard> cards = [] {
    std::vector<HandshakeCard> made(kRanks);
    for (std::size_t rank = 0; rank < made.size(); ++rank) made[rank].token = 1000 + rank;
    return made;
  }();
  // In memory of its own, so that reading too far is noticed.
  std::vector<std::byte> datagram(size);
  if (size != 0) std::memcpy(datagram.data(), data, size);
  if (const auto packet = read_packet(datagram, kRank, cards)) must_be_sound(*packet);
  read_immediate(Input(data, size).take<std::uint32_t>());
  return 0;
}
