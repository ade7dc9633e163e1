// The UD queue pair of a group: set-up first, then the data path.
#include "transport/verbs/multicast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.hpp"
#include "base/bits.hpp"
#include "transport/verbs/gid.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kMulticastQueuePair = 0xffffff;
constexpr std::uint32_t kGrhBytes = 40;   // a UD receive begins with the global route header
constexpr std::uint32_t kLead = 64;       // so that what follows it is aligned
constexpr std::uint32_t kSendSlots = 32;  // datagrams under way
constexpr std::uint32_t kSignalEach = 8;  // one completion in so many datagrams

std::uint32_t capacity_for(const Device& device, std::uint32_t wanted, std::uint32_t most) {
  if (wanted > most)
    throw Error(Code::bad_configuration,
                fmt::format("datagrams of {} bytes are wanted, and port {} of {} carries {}; raise "
                            "its MTU or ask for less",
                            wanted, device.port(), device.name(), most));
  return wanted == 0 ? most : wanted;
}

}  // namespace

Multicast::Multicast(const Device& device, const MulticastOptions& options,
                     const std::function<void(std::string_view)>& log)
    : device_(device),
      delivery_(options.delivery),
      most_(static_cast<std::uint32_t>(bytes_of(device.mtu()))),
      capacity_(capacity_for(device, options.capacity, most_)),
      slots_(std::clamp(options.slots, 4u,
                        static_cast<std::uint32_t>(
                            std::min(device.limits().max_qp_wr, device.limits().max_cqe)))),
      members_(delivery_ == Delivery::group ? 1 : std::max(options.members, 2u) - 1),
      stride_(round_up<std::size_t>(kLead + most_, kCacheLine)) {
  const auto deepest =
      static_cast<std::uint32_t>(std::min(device.limits().max_qp_wr, device.limits().max_cqe));
  if (members_ > deepest / kSendSlots)
    throw Error(Code::unsupported, fmt::format("datagrams to each of {} receivers do not fit the "
                                               "queues of {}, which hold {}; broadcast by a "
                                               "multicast group, or by another algorithm",
                                               members_, device.name(), deepest));
  if (delivery_ == Delivery::group) group_.emplace(device, options.group, options.joining, log);
  if (group_) queue_key_ = group_->queue_key();
  make_queue_pair(kSendSlots * members_);
  const std::size_t bytes = (slots_ + kSendSlots) * stride_;
  memory_ = own_pages(bytes, "datagrams; ask for fewer slots");
  region_ = register_memory(device, memory_.get(), bytes, IBV_ACCESS_LOCAL_WRITE);
  initialize(device, queue_pair_.get(), queue_key_);
  for (std::uint32_t i = 0; i < slots_; ++i) give_back(i);
  make_ready(queue_pair_.get());
  if (!group_) return;
  ibv_gid gid = group_->gid();
  if (const int error = ibv_attach_mcast(queue_pair_.get(), &gid, group_->lid()))
    throw Error(Code::unsupported,
                fmt::format("device {} attaches no queue pair to a multicast group: {}; broadcast "
                            "by datagrams to each receiver, or by another "
                            "algorithm",
                            device.name(), std::strerror(error)),
                kNoPeer, error);
  attached_ = true;
  try {
    add_target(group_->path(), kMulticastQueuePair);
  } catch (...) {  // no destructor runs after a constructor that throws, and an attached queue pair
                   // cannot be destroyed
    ibv_detach_mcast(queue_pair_.get(), &gid, group_->lid());
    throw;
  }
}

Multicast::~Multicast() {
  ibv_gid gid{};
  if (attached_) gid = group_->gid();
  if (attached_) ibv_detach_mcast(queue_pair_.get(), &gid, group_->lid());
}

void Multicast::make_queue_pair(std::uint32_t depth) {
  receive_queue_.reset(
      ibv_create_cq(device_.context(), static_cast<int>(slots_), nullptr, nullptr, 0));
  if (receive_queue_)
    send_queue_.reset(
        ibv_create_cq(device_.context(), static_cast<int>(kSendSlots + 1), nullptr, nullptr, 0));
  if (!send_queue_) throw_no_memory("creating a completion queue", slots_ * 64);
  ibv_qp_init_attr wanted{};
  wanted.send_cq = send_queue_.get();
  wanted.recv_cq = receive_queue_.get();
  wanted.qp_type = IBV_QPT_UD;
  wanted.cap = {depth, slots_, 1, 1, 0};
  queue_pair_ = create_queue_pair(device_, wanted);
}

void Multicast::add_target(ibv_ah_attr path, std::uint32_t queue_pair) {
  AddressHandle handle(ibv_create_ah(device_.pd(), &path));
  if (!handle)
    throw Error(Code::unreachable,
                fmt::format("there is no path for datagrams from port {} of {}: {}; is there a "
                            "route to the receivers (ip route)?",
                            device_.port(), device_.name(), std::strerror(errno)),
                kNoPeer, errno);
  targets_.push_back({std::move(handle), queue_pair});
}

void Multicast::set_members(std::span<const MulticastCard> members) {
  if (delivery_ == Delivery::group) return;
  targets_.clear();
  for (const MulticastCard& card : members) {
    const bool own = card.queue_pair == queue_pair_->qp_num && card.lid == device_.lid() &&
                     same(card.gid, device_.gid());
    if (!own) add_target(device_.path_to(card.lid, card.gid), card.queue_pair);
  }
  if (targets_.size() > members_)
    throw Error(Code::bad_configuration, fmt::format("{} members were announced, and {} came",
                                                     members_ + 1, members.size()));
}

// --- data path ---------------------------------------------------------------------------------

// A completion says that everything before it has left: a queue pair keeps order.
void Multicast::reap_sends() noexcept {
  ibv_wc completion;
  while (ibv_poll_cq(send_queue_.get(), 1, &completion) == 1) {
    left_ = static_cast<std::uint32_t>(completion.wr_id);
    if (completion.status != IBV_WC_SUCCESS) failed_ = true;
  }
}

Post Multicast::send(const void* head, std::uint32_t head_bytes, const void* body,
                     std::uint32_t body_bytes) noexcept {
  if (sent_ - left_ == kSendSlots) reap_sends();
  if (failed_) return Post::failed;
  if (sent_ - left_ == kSendSlots) return Post::again;
  std::byte* const place = receive_place(slots_ + sent_ % kSendSlots);
  std::memcpy(place, head, head_bytes);
  if (body_bytes != 0) std::memcpy(place + head_bytes, body, body_bytes);
  ibv_sge piece{reinterpret_cast<std::uint64_t>(place), head_bytes + body_bytes, region_->lkey};
  const std::uint32_t number = sent_ + 1;
  ibv_send_wr wr{};
  wr.wr_id = number;
  wr.sg_list = &piece;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_SEND;
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    const bool last = i + 1 == targets_.size();
    wr.send_flags =
        last && number % kSignalEach == 0 ? static_cast<unsigned>(IBV_SEND_SIGNALED) : 0u;
    wr.wr.ud = {targets_[i].path.get(), targets_[i].queue_pair, queue_key_};
    ibv_send_wr* bad = nullptr;
    if (ibv_post_send(queue_pair_.get(), &wr, &bad) != 0) {
      failed_ = true;
      return Post::failed;
    }
  }
  if (targets_.empty()) left_ = number;
  sent_ = number;
  return Post::done;
}

Datagram Multicast::receive() noexcept {
  ibv_wc completion;
  while (ibv_poll_cq(receive_queue_.get(), 1, &completion) == 1) {
    const auto slot = static_cast<std::uint32_t>(completion.wr_id);
    if (completion.status != IBV_WC_SUCCESS) {  // the queue pair is in error: nothing more will
                                                // come, and slots are not posted again
      failed_ = true;
      continue;
    }
    if (completion.byte_len >= kGrhBytes)
      return {receive_place(slot) + kLead, completion.byte_len - kGrhBytes, slot};
    give_back(slot);
  }
  return {};
}

// Room for the longest datagram, whoever sends it: one that does not fit would break the queue
// pair.
void Multicast::give_back(std::uint32_t slot) noexcept {
  ibv_sge piece{reinterpret_cast<std::uint64_t>(receive_place(slot) + kLead - kGrhBytes),
                kGrhBytes + most_, region_->lkey};
  ibv_recv_wr wr{slot, nullptr, &piece, 1};
  ibv_recv_wr* bad = nullptr;
  if (ibv_post_recv(queue_pair_.get(), &wr, &bad) != 0) failed_ = true;
}

}  // namespace tutti::transport::verbs
