// Registers the memory of a connection, and brings its queue pair to ready.
#include "transport/verbs/connection/connection.hpp"

#include "base/error.hpp"
#include "base/pages.hpp"
#include "base/random.hpp"

namespace tutti::transport::verbs {

namespace {

// Sizes of a work request, beside inline data, and of a completion. They differ by device;
// these are rxe's, which are long.
constexpr std::size_t kRequestBytes = 192, kCompletionBytes = 64;

}  // namespace

std::size_t Connection::bytes(const InboxShape& shape, const LinkOptions& options) noexcept {
  return round_up_to_pages(shape.bytes() + Mirror(shape, options.inline_bytes).bytes()) +
         options.send_queue_depth * (kRequestBytes + options.inline_bytes + kCompletionBytes);
}

Connection::Connection(const Device& device, const Queues& queues, const LinkOptions& options,
                       int peer, const InboxShape& shape)
    : device_(device),
      options_(options),
      peer_(peer),
      shape_(shape),
      arrival_(options.arrival),
      mirror_(shape, 0) {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = queues.sends;
  wanted.recv_cq = queues.receives;
  wanted.srq = queues.shared;
  wanted.qp_type = IBV_QPT_RC;
  wanted.cap = {options.send_queue_depth, queues.shared ? 0 : Receives::needed_for(shape), 3, 1,
                options.inline_bytes};
  queue_pair_ = create_queue_pair(device, wanted);
  inline_limit_ = wanted.cap.max_inline_data;
  allocate();
  packet_sequence_ = static_cast<std::uint32_t>(random_number()) & 0xffffff;
  initialize(device, queue_pair_.get());
  if (ibv_query_ece(queue_pair_.get(), &extended_) != 0) extended_ = {};  // most devices have none
}

void Connection::allocate() {
  const std::size_t bytes = shape_.bytes();
  mirror_ = Mirror(shape_, inline_limit_);
  memory_ = own_pages(round_up_to_pages(bytes + mirror_.bytes()), "a connection");
  inbox_ = memory_.get();
  staging_ = inbox_ + bytes;
  region_ = register_memory(device_, inbox_, bytes + mirror_.bytes(),
                            IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
}

PeerInfo Connection::info() const noexcept {
  return {queue_pair_->qp_num, packet_sequence_,    reinterpret_cast<std::uint64_t>(inbox_),
          region_->rkey,       extended_.vendor_id, extended_.options};
}

void Connection::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                        const ibv_gid& gid) {
  arrival_ = arrival;
  peer_info_ = peer;
  packet_bytes_ = static_cast<std::size_t>(bytes_of(mtu));
  // Both ends compute the same: what both can do.
  if (ibv_ece agreed{extended_.vendor_id, extended_.options & peer.extended_options, 0};
      agreed.options != 0 && agreed.vendor_id == peer.extended_vendor)
    ibv_set_ece(queue_pair_.get(), &agreed);
  make_ready(queue_pair_.get(),
             {peer_, device_.path_to(lid, gid), mtu, peer.queue_pair, peer.packet_sequence,
              packet_sequence_, options_.timeout, options_.retry_count, options_.not_ready_count});
  attached_.store(true, std::memory_order_release);
}

Arrival Connection::arrival_for(const Device& device, ibv_cq* queue, const LinkOptions& options,
                                const InboxShape& shape) noexcept {
  try {
    Connection itself(device, {queue, queue}, options.at_first(), kNoPeer, first_shape(shape));
    itself.attach(itself.info(), Arrival::imm, device.mtu(), device.lid(), device.gid());
    return ibv_query_qp_data_in_order(itself.queue_pair(), IBV_WR_RDMA_WRITE, 0) ? Arrival::tail
                                                                                 : Arrival::imm;
  } catch (const std::exception&) {
    return Arrival::imm;
  }
}

}  // namespace tutti::transport::verbs
