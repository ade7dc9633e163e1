// A queue pair's life from its creation until it is ready to send: the one place that knows what
// each step takes, for reliable connections (RC) and for datagrams (UD).
//
// Set-up regime: throws Error. Knows a device; knows no memory and no message.
#pragma once

#include <cstdint>
#include <memory>

#include "transport/verbs/device/device.hpp"

namespace tutti::transport::verbs {

using QueuePair = std::unique_ptr<ibv_qp, Releaser<ibv_destroy_qp>>;

// Creates a queue pair, with less room for inline data than wanted if the device has no more.
// `wanted.cap` becomes what the device has granted. Throws Error{locked_memory | out_of_memory |
// transport_failed}.
QueuePair create_queue_pair(const Device& device, ibv_qp_init_attr& wanted);

// Takes a queue pair to INIT. From there on receives may be posted. UD only: it will drop datagrams
// that do not carry `queue_key`. Throws Error{transport_failed}.
void initialize(const Device& device, ibv_qp* queue_pair, std::uint32_t queue_key = 0);

// Takes a UD queue pair from INIT to RTR (ready to receive) and to RTS (ready to send). Throws
// Error{transport_failed}.
void make_ready(ibv_qp* queue_pair);

// Takes a queue pair back to where it was when it was created. Throws Error{transport_failed}.
void reset(ibv_qp* queue_pair);

// The peer's queue pair as an RC queue pair must know it, and how long it waits for it.
struct ReliablePath {
  int peer;  // world rank, for messages
  ibv_ah_attr address;
  ibv_mtu mtu;                                    // the smaller of both ends
  std::uint32_t queue_pair;                       // the peer's
  std::uint32_t receive_sequence, send_sequence;  // numbers of the first packets, theirs and ours
  int timeout;          // 4.096 us * 2^timeout until a packet is sent again
  int retry_count;      // of packets that are not acknowledged; 7: for ever, on some devices
  int not_ready_count;  // of packets for which there was no receive; 7: for ever
};
// Makes an RC queue pair ready. Throws Error{unreachable | transport_failed}.
void make_ready(ibv_qp* queue_pair, const ReliablePath& path);

}  // namespace tutti::transport::verbs
