// Endpoint: a UD queue pair with the memory of its datagrams.
//
// Constructor and open(): set-up regime, they throw Error. The rest is data path; one thread may
// receive while another sends. Knows a device and slots of bytes; knows no peer and no message.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "transport/datagrams.hpp"
#include "transport/verbs/device/memory.hpp"
#include "transport/verbs/device/queue_pair.hpp"

namespace tutti::transport::verbs {

// A queue key that strangers do not know. Keys with the highest bit set are the system's.
std::uint32_t random_queue_key();

struct EndpointOptions {
  const char* purpose;                 // for messages: "the handshake"
  std::uint32_t capacity;              // bytes of the longest datagram that is sent
  std::uint32_t receive_slots;         // datagrams that there is room for; more are lost
  std::uint32_t send_slots;            // datagrams that may be on their way out
  std::uint32_t targets = 1;           // how many a datagram goes to, at most
  std::uint32_t signal_each = 1;       // one completion in so many datagrams
  ibv_comp_channel* events = nullptr;  // where arrivals are announced, if anywhere
};

class Endpoint {
 public:
  // Throws Error{locked_memory | out_of_memory | transport_failed}.
  Endpoint(const Device& device, const EndpointOptions& options);
  // Posts the receives and makes the queue pair ready. It drops datagrams that carry another queue
  // key. Once more: the same after the queue pair has failed; what was under way is lost. Nobody
  // may send or receive meanwhile.
  void open(std::uint32_t queue_key);

  ibv_qp* queue_pair() const noexcept { return queue_pair_.get(); }
  std::uint32_t number() const noexcept { return queue_pair_->qp_num; }
  ibv_cq* receive_queue() const noexcept { return receive_queue_.get(); }

  struct Target {
    AddressHandle path;
    std::uint32_t queue_pair, queue_key;
  };
  // Sends `head`, then `body`, as one datagram to each target; both may be reused at once. done: it
  // is on its way, or lost. again: no room yet. failed: the device refuses it.
  Post send(std::span<const Target> targets, const void* head, std::uint32_t head_bytes,
            const void* body = nullptr, std::uint32_t body_bytes = 0) noexcept;
  // The next datagram that has arrived; its data is aligned to a cache line.
  Datagram receive() noexcept;
  void give_back(std::uint32_t slot) noexcept;
  // The queue pair is in error: nothing will be sent or received any more.
  bool failed() const noexcept { return failed_.load(std::memory_order_relaxed); }

 private:
  void reset();
  void reap_sends() noexcept;
  std::byte* receive_place(std::uint32_t slot) const noexcept;
  std::byte* send_place(std::uint32_t number) const noexcept;

  const Device& device_;
  const EndpointOptions options_;
  const std::uint32_t longest_;  // bytes of a datagram that the port's MTU carries
  const std::size_t receive_stride_, send_stride_;
  CompletionQueue receive_queue_, send_queue_;
  QueuePair queue_pair_;
  Pages memory_;  // receive slots, then send slots
  MemoryRegion region_;
  bool open_ = false;
  std::uint32_t sent_ = 0, left_ = 0;  // datagrams given to the queue pair; that have left it
  std::atomic<bool> failed_{false};
};

}  // namespace tutti::transport::verbs
