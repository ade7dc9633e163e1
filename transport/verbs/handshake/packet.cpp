// Checks a packet field by field before it is believed.
#include "transport/verbs/handshake/packet.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kNumbers = 1u << 24;  // of queue pairs, and of packets

// Checks the connection's data, and a lane's.
template <class Info>
bool possible(const Info& info) {
  return info.queue_pair > 1 && info.queue_pair < kNumbers && info.packet_sequence < kNumbers &&
         info.inbox_address != 0 && info.inbox_address % kCacheLine == 0;
}

bool possible_mtu(std::uint16_t mtu) { return mtu >= IBV_MTU_256 && mtu <= IBV_MTU_4096; }

bool possible_lanes(const Packet& p) {
  if (p.rails < 1 || p.rails > (p.of == Packet::Of::first ? 1 : kMostRails)) return false;
  return std::all_of(p.lanes.begin(), p.lanes.begin() + static_cast<std::ptrdiff_t>(p.rails - 1),
                     [](const LaneInfo& lane) { return possible(lane) && possible_mtu(lane.mtu); });
}

bool possible_reason(const Packet& p) {
  if (p.busy != Packet::Busy::given_up)
    return p.busy == Packet::Busy::serves_others || p.busy == Packet::Busy::lacks_memory;
  return p.of == Packet::Of::first && p.cause != Code::success && text_of(p.cause);
}

bool possible(const Packet& p) {
  if (p.of > Packet::Of::larger) return false;
  if (p.type == Packet::Type::busy) return possible_reason(p);
  if (p.type >= Packet::Type::looks && p.question >= Notices::kMost) return false;
  if (p.type >= Packet::Type::asks && p.type <= Packet::Type::shows)
    return p.of == Packet::Of::first && p.busy == Packet::Busy::no;
  return p.type >= Packet::Type::request && p.type <= Packet::Type::confirm &&
         p.busy == Packet::Busy::no && possible(p.info) && possible_mtu(p.mtu) &&
         possible_lanes(p) &&
         // Not `automatic`: a rank has asked its device before it connects.
         p.arrival >= static_cast<std::uint16_t>(Arrival::tail) &&
         p.arrival <= static_cast<std::uint16_t>(Arrival::flag);
}

}  // namespace

std::optional<Packet> read_packet(std::span<const std::byte> datagram, int rank,
                                  std::span<const HandshakeCard> cards) noexcept {
  Packet p;
  if (datagram.size() != sizeof p) return std::nullopt;
  std::memcpy(&p, datagram.data(), sizeof p);
  const bool ours = p.magic == Packet::kMagic && p.version == Packet::kVersion && p.to == rank &&
                    p.from >= 0 && p.from < static_cast<int>(cards.size()) && p.from != rank &&
                    p.token == cards[static_cast<std::size_t>(p.from)].token;
  return ours && possible(p) ? std::optional(p) : std::nullopt;
}

}  // namespace tutti::transport::verbs
