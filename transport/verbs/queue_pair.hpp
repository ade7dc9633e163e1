// A queue pair's way from its creation until it is ready to send: the one place that knows what
// each step takes, for reliable connections (RC) and for datagrams (UD).
//
// Set-up regime: throws Error. Knows a device; knows no memory and no message.
#pragma once

#include <cstdint>
#include <memory>

#include "transport/verbs/device.hpp"

namespace tutti::transport::verbs {

using QueuePair = std::unique_ptr<ibv_qp, Releaser<ibv_destroy_qp>>;

// A device that cannot copy that much data into a work request (inline) is asked for half of it,
// down to 32 bytes; `wanted.cap` becomes what it has granted. Throws Error{locked_memory |
// out_of_memory | transport_failed}.
QueuePair create_queue_pair(const Device& device, ibv_qp_init_attr& wanted);

// The step to INIT, from which on receives may be posted. `queue_key` for UD: the queue pair drops
// datagrams that carry another one. Throws Error{transport_failed}.
void initialize(const Device& device, ibv_qp* queue_pair, std::uint32_t queue_key = 0);

// The steps to RTR (ready to receive) and RTS (ready to send) of a UD queue pair. Throws
// Error{transport_failed}.
void make_ready(ibv_qp* queue_pair);

// What a reliable queue pair has to know of the peer's one, and how patient it is with it.
struct ReliablePath {
  int peer;  // world rank, for messages
  ibv_ah_attr address;
  ibv_mtu mtu;                                    // the smaller of both ends
  std::uint32_t queue_pair;                       // the peer's
  std::uint32_t receive_sequence, send_sequence;  // numbers of the first packets, theirs and ours
  int timeout;      // 4.096 us * 2^timeout until a packet is sent again
  int retry_count;  // of packets that are not acknowledged; 7: for ever, on some devices
};
// The same for RC. Throws Error{unreachable | transport_failed}.
void make_ready(ibv_qp* queue_pair, const ReliablePath& path);

}  // namespace tutti::transport::verbs
