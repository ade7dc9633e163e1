// Sets the UD queue pair up; then its data path.
#include "transport/verbs/datagrams/endpoint.hpp"

#include <cstring>

#include "base/bits.hpp"
#include "base/random.hpp"
#include "base/types.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kGrhBytes = 40;  // a UD receive begins with the global route header
// It stands at the end of a gap, so that the datagram behind it is aligned.
constexpr std::uint32_t kLead = kCacheLine;
static_assert(kGrhBytes <= kLead);

CompletionQueue create_queue(const Device& device, std::uint32_t room, ibv_comp_channel* events) {
  CompletionQueue queue(ibv_create_cq(device.context(), static_cast<int>(room), nullptr, events,
                                      events ? device.completion_vector() : 0));
  if (!queue) throw_no_memory("creating a completion queue", std::size_t{64} * room);
  return queue;
}

}  // namespace

std::uint32_t random_queue_key() {
  return static_cast<std::uint32_t>(random_number()) & 0x7fffffff;
}

// A receive has room for the longest datagram, whoever sends it: one that did not fit would put the
// queue pair into its error state.
Endpoint::Endpoint(const Device& device, const EndpointOptions& options)
    : device_(device),
      options_(options),
      longest_(static_cast<std::uint32_t>(bytes_of(device.mtu()))),
      receive_stride_(round_up<std::size_t>(kLead + longest_, kCacheLine)),
      send_stride_(round_up<std::size_t>(options.capacity, kCacheLine)),
      receive_queue_(create_queue(device, options.receive_slots, options.events)),
      send_queue_(create_queue(device, options.send_slots, nullptr)) {
  ibv_qp_init_attr wanted{};
  wanted.send_cq = send_queue_.get();
  wanted.recv_cq = receive_queue_.get();
  wanted.qp_type = IBV_QPT_UD;
  wanted.cap = {options.send_slots * options.targets, options.receive_slots, 1, 1, 0};
  queue_pair_ = create_queue_pair(device, wanted);
  const std::size_t bytes =
      options.receive_slots * receive_stride_ + options.send_slots * send_stride_;
  memory_ = own_pages(bytes, options.purpose);
  region_ = register_memory(device, memory_.get(), bytes, IBV_ACCESS_LOCAL_WRITE);
}

void Endpoint::open(std::uint32_t queue_key) {
  if (open_) reset();
  open_ = true;
  try {
    initialize(device_, queue_pair_.get(), queue_key);
    failed_ = false;
    for (std::uint32_t slot = 0; slot < options_.receive_slots; ++slot) give_back(slot);
    make_ready(queue_pair_.get());
  } catch (const Error&) {
    failed_ = true;
    throw;
  }
}

// Once the queue pair is reset nothing completes any more.
void Endpoint::reset() {
  transport::verbs::reset(queue_pair_.get());
  ibv_wc completion;
  for (const CompletionQueue* queue : {&receive_queue_, &send_queue_})
    while (ibv_poll_cq(queue->get(), 1, &completion) == 1) continue;
  left_ = sent_;
}

std::byte* Endpoint::receive_place(std::uint32_t slot) const noexcept {
  return memory_.get() + slot * receive_stride_ + kLead;
}

std::byte* Endpoint::send_place(std::uint32_t number) const noexcept {
  return memory_.get() + options_.receive_slots * receive_stride_ +
         number % options_.send_slots * send_stride_;
}

// A completion says that everything before it has left: a queue pair keeps order.
void Endpoint::reap_sends() noexcept {
  ibv_wc completion;
  while (ibv_poll_cq(send_queue_.get(), 1, &completion) == 1) {
    left_ = static_cast<std::uint32_t>(completion.wr_id);
    if (completion.status != IBV_WC_SUCCESS) failed_ = true;
  }
}

Post Endpoint::send(std::span<const Target> targets, const void* head, std::uint32_t head_bytes,
                    const void* body, std::uint32_t body_bytes) noexcept {
  if (sent_ - left_ == options_.send_slots) reap_sends();
  if (failed()) return Post::failed;
  if (sent_ - left_ == options_.send_slots) return Post::again;
  std::byte* const place = send_place(sent_);
  std::memcpy(place, head, head_bytes);
  if (body_bytes != 0) std::memcpy(place + head_bytes, body, body_bytes);
  ibv_sge piece{reinterpret_cast<std::uint64_t>(place), head_bytes + body_bytes, region_->lkey};
  const std::uint32_t number = sent_ + 1;
  ibv_send_wr wr{};
  wr.wr_id = number;
  wr.sg_list = &piece;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_SEND;
  for (const Target& target : targets) {
    const bool last = &target == &targets.back();
    wr.send_flags = last && number % options_.signal_each == 0 ? unsigned{IBV_SEND_SIGNALED} : 0u;
    wr.wr.ud = {target.path.get(), target.queue_pair, target.queue_key};
    ibv_send_wr* bad = nullptr;
    if (ibv_post_send(queue_pair_.get(), &wr, &bad) != 0) return Post::failed;
  }
  if (targets.empty()) left_ = number;
  sent_ = number;
  return Post::done;
}

Datagram Endpoint::receive() noexcept {
  ibv_wc completion;
  while (ibv_poll_cq(receive_queue_.get(), 1, &completion) == 1) {
    const auto slot = static_cast<std::uint32_t>(completion.wr_id);
    if (completion.status != IBV_WC_SUCCESS)
      failed_ = true;  // the queue pair is in error: the slot is not posted again
    else if (completion.byte_len >= kGrhBytes)
      return {receive_place(slot), completion.byte_len - kGrhBytes, slot};
    else
      give_back(slot);
  }
  return {};
}

void Endpoint::give_back(std::uint32_t slot) noexcept {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(receive_place(slot) - kGrhBytes),
                kGrhBytes + longest_, region_->lkey};
  ibv_recv_wr wr{slot, nullptr, &piece, 1};
  ibv_recv_wr* bad = nullptr;
  if (ibv_post_recv(queue_pair_.get(), &wr, &bad) != 0) failed_ = true;
}

}  // namespace tutti::transport::verbs
