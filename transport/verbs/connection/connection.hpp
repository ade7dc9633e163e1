// Connection: the memory and the queue pair of one reliable connection, from nothing until it is
// ready; what moves data over it is in writer.hpp and arrival.hpp.
//
// Set-up regime: throws Error. Knows a device and one peer's queue pair; knows no message.
#pragma once

#include <atomic>

#include "transport/inbox_shape.hpp"
#include "transport/verbs/connection/arrival.hpp"
#include "transport/verbs/device/memory.hpp"
#include "transport/verbs/connection/mirror.hpp"
#include "transport/verbs/connection/peer_info.hpp"
#include "transport/verbs/device/queue_pair.hpp"

namespace tutti::transport::verbs {

struct LinkOptions {
  Arrival arrival = Arrival::automatic;
  // 4.096 us * 2^timeout until a packet is sent again; 0: the transport chooses.
  int timeout = 0;
  int retry_count = 6;  // 7 would be for ever on rxe
  // Finite, and hardly ever needed: receives are posted for everything that credits allow.
  int not_ready_count = 6;
  // Devices round one more than this up to a power of two.
  std::uint32_t send_queue_depth = 255;
  std::uint32_t inline_bytes = 512;

  // The options for a device in software, which rounds a request's memory up to a power of two.
  LinkOptions in_software() const noexcept {
    LinkOptions result = *this;
    result.inline_bytes = 256;
    return result;
  }
  // The options for a connection that is still small. Messages of the ring `line` are inline;
  // receives may be shared with other connections, which use them up for a while.
  LinkOptions at_first() const noexcept {
    LinkOptions small = *this;
    small.not_ready_count = 7;
    small.send_queue_depth = 15;
    small.inline_bytes = 2 * kCacheLine;
    return small;
  }
};

// Where completions go, and whence receives are taken.
struct Queues {
  ibv_cq *sends, *receives;
  ibv_srq* shared = nullptr;  // null: the queue pair has receives of its own
};

class Connection {
 public:
  // Creates the queue pair, in the state INIT. Throws Error{locked_memory | out_of_memory |
  // transport_failed}.
  Connection(const Device& device, const Queues& queues, const LinkOptions& options, int peer,
             const InboxShape& shape);

  PeerInfo info() const noexcept;
  // Makes the queue pair ready. `arrival` and `mtu` are what both ends have agreed on. Throws
  // Error{unreachable | transport_failed}.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid);
  // May be asked by any thread.
  bool attached() const noexcept { return attached_.load(std::memory_order_acquire); }

  // `tail` where the device says that the bytes of a write become visible in order, else `imm`.
  // Some devices say so only of queue pairs that are ready to send: one is connected to itself and
  // asked.
  static Arrival arrival_for(const Device& device, ibv_cq* queue, const LinkOptions& options,
                             const InboxShape& shape) noexcept;

  // --- for the data path
  const Device& device() const noexcept { return device_; }
  const LinkOptions& options() const noexcept { return options_; }
  const InboxShape& shape() const noexcept { return shape_; }  // of both ends' inboxes
  ibv_qp* queue_pair() const noexcept { return queue_pair_.get(); }
  Arrival arrival() const noexcept { return arrival_; }
  const PeerInfo& peer_info() const noexcept { return peer_info_; }
  std::byte* inbox() const noexcept { return inbox_; }
  // Memory of one that is registered, and that its requests take, about.
  static std::size_t bytes(const InboxShape& shape, const LinkOptions& options) noexcept;
  // The places of messages that are too long to go inline, and where the first of them begins.
  const Mirror& mirror() const noexcept { return mirror_; }
  std::byte* staging() const noexcept { return staging_; }
  std::uint32_t staging_key() const noexcept { return region_->lkey; }
  // Bytes that a work request may carry itself, without a region.
  std::uint32_t inline_limit() const noexcept { return inline_limit_; }
  std::size_t packet_bytes() const noexcept { return packet_bytes_; }

 private:
  void allocate();

  const Device& device_;
  const LinkOptions options_;
  const int peer_;
  const InboxShape shape_;
  Arrival arrival_;
  Pages memory_;  // the inbox, then the mirror
  Mirror mirror_;
  std::byte *inbox_ = nullptr, *staging_ = nullptr;
  // One for inbox and mirror, since a registration costs as much as some messages. The peer could
  // write to the mirror, too: into messages that go to itself.
  MemoryRegion region_;
  QueuePair queue_pair_;
  ibv_ece extended_{};
  std::uint32_t inline_limit_ = 0, packet_sequence_ = 0;
  PeerInfo peer_info_{};
  std::atomic<bool> attached_{false};
  std::size_t packet_bytes_ = 4096;
};

}  // namespace tutti::transport::verbs
