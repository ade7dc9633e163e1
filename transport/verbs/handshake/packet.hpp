// The packets of the handshake, and which of those that arrive are believed. Pure.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "transport/transport.hpp"
#include "transport/verbs/connection/arrival.hpp"
#include "transport/verbs/connection/peer_info.hpp"

namespace tutti::transport::verbs {

// The content of an Address: the UD queue pair of a rank.
struct HandshakeCard {
  ibv_gid gid;
  std::uint64_t token;  // random: tells this process from an earlier one at the same place
  std::uint32_t queue_pair, queue_key;
  std::uint16_t lid;
  std::uint16_t mtu;            // ibv_mtu
  std::uint16_t presence_port;  // see presence.hpp
};
static_assert(sizeof(HandshakeCard) <= sizeof(Address));

struct Packet {
  static constexpr std::uint32_t kMagic = 0x74757474;
  static constexpr std::uint16_t kVersion = 5;
  // `busy`: there is no connection yet, and the sender has heard that one is asked for; or there
  // will be none any more.
  // `asks`: which writes to the sender's user memory has the receiver begun? `tells`: these.
  // `looks`: which notice has the receiver left with that number? `shows`: this one.
  enum class Type : std::uint16_t { request = 1, reply, confirm, busy, asks, tells, looks, shows };
  // `given_up`, of the first connection only: the sender's link has failed, for `cause`.
  enum class Busy : std::uint32_t { no, serves_others, lacks_memory, given_up };
  // Which of the two connections of a link; `busy` of the larger one: there will be none.
  enum class Of : std::uint32_t { first, larger };

  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion;
  Type type{};
  std::int32_t from = 0, to = 0;       // world ranks
  std::uint64_t token = 0;             // of the sender's card
  PeerInfo info{};                     // nothing from here on but what the type needs
  std::uint16_t mtu = 0, arrival = 0;  // ibv_mtu, Arrival
  InboxShape shape{};
  std::uint32_t rails = 1;
  Busy busy = Busy::no;
  Of of = Of::first;
  union {
    LaneInfos lanes{};  // of rails - 1
    Notice notice;      // of `shows`
  };
  Code cause = Code::success;
  // For `asks` and `tells`, and the notice of `looks` and `shows`: all of the first connection.
  std::uint32_t question = 0;
  std::uint64_t begun = 0;  // of `tells`: by invitation, whether their number is odd
};
static_assert(sizeof(Packet) <= 256);  // the smallest MTU

// The packet that a datagram holds. Anyone on the network can send us one: nullopt unless a rank of
// this job sent it to `rank` and all of it is possible. Leaves to the caller to compare the shape
// and the rails with its own: ranks may have different settings. `cards`: by world rank.
std::optional<Packet> read_packet(std::span<const std::byte> datagram, int rank,
                                  std::span<const HandshakeCard> cards) noexcept;

}  // namespace tutti::transport::verbs
