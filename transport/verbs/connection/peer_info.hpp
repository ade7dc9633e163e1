// A queue pair and its inbox as the peer's end needs them to connect and to write.
#pragma once

#include <infiniband/verbs.h>

#include <array>
#include <cstdint>

#include "transport/memory.hpp"

namespace tutti::transport::verbs {

// Sent to the peer before anything can be written.
struct PeerInfo {
  std::uint32_t queue_pair, packet_sequence;
  std::uint64_t inbox_address;
  std::uint32_t inbox_key;
  // Extended connection establishment: what the queue pair could do beyond the standard.
  std::uint32_t extended_vendor, extended_options;
};

// A lane's data for the peer (lane.hpp).
struct LaneInfo {
  ibv_gid gid;
  std::uint64_t inbox_address;
  std::uint32_t inbox_key, queue_pair, packet_sequence;
  std::uint16_t lid, mtu;  // ibv_mtu
};
using LaneInfos = std::array<LaneInfo, kMostRails - 1>;

}  // namespace tutti::transport::verbs
