// Sends datagrams to the group, or to its members one by one.
#include "transport/verbs/datagrams/multicast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "transport/verbs/device/gid.hpp"

namespace tutti::transport::verbs {
namespace {

constexpr std::uint32_t kMulticastQueuePair = 0xffffff;
constexpr std::uint32_t kSendSlots = 32;  // datagrams that may be on their way out
constexpr std::uint32_t kSignalEach = 8;  // one completion in so many datagrams

std::uint32_t deepest_queue(const Device& device) {
  return static_cast<std::uint32_t>(std::min(device.limits().max_qp_wr, device.limits().max_cqe));
}

std::uint32_t capacity_for(const Device& device, std::uint32_t wanted) {
  const auto most = static_cast<std::uint32_t>(bytes_of(device.mtu()));
  if (wanted > most)
    throw Error(Code::bad_configuration,
                fmt::format("datagrams of {} bytes are wanted, and port {} of {} carries {}; raise "
                            "its MTU or ask for less",
                            wanted, device.port(), device.name(), most));
  return wanted == 0 ? most : wanted;
}

std::uint32_t receivers_for(const Device& device, const MulticastOptions& options) {
  const std::uint32_t receivers =
      options.delivery == Delivery::group ? 1 : std::max(options.members, 2u) - 1;
  if (receivers > deepest_queue(device) / kSendSlots)
    throw Error(Code::unsupported,
                fmt::format("datagrams to each of {} receivers do not fit the queues of {}, which "
                            "hold {}; broadcast by a multicast group, or by another algorithm",
                            receivers, device.name(), deepest_queue(device)));
  return receivers;
}

}  // namespace

Multicast::Multicast(const Device& device, const MulticastOptions& options,
                     const std::function<void(std::string_view)>& log)
    : device_(device),
      delivery_(options.delivery),
      capacity_(capacity_for(device, options.capacity)),
      slots_(std::clamp(options.slots, 4u, deepest_queue(device))),
      receivers_(receivers_for(device, options)),
      endpoint_(device, {.purpose = "datagrams; ask for fewer slots",
                         .capacity = capacity_,
                         .receive_slots = slots_,
                         .send_slots = kSendSlots,
                         .targets = receivers_,
                         .signal_each = kSignalEach}) {
  if (delivery_ == Delivery::each) {
    endpoint_.open(queue_key_ = random_queue_key());
    return;
  }
  group_.emplace(device, options.group, options.joining, log);
  endpoint_.open(queue_key_ = group_->queue_key());
  attachment_.emplace(device, endpoint_.queue_pair(), *group_);
  add_target(group_->path(), kMulticastQueuePair, queue_key_);
}

Multicast::Attachment::Attachment(const Device& device, ibv_qp* queue_pair, const Group& group)
    : queue_pair_(queue_pair), gid_(group.gid()), lid_(group.lid()) {
  if (const int error = ibv_attach_mcast(queue_pair_, &gid_, lid_))
    throw Error(Code::unsupported,
                fmt::format("device {} attaches no queue pair to a multicast group: {}; broadcast "
                            "by datagrams to each receiver, or by another algorithm",
                            device.name(), std::strerror(error)),
                kNoPeer, error);
}

Multicast::Attachment::~Attachment() { ibv_detach_mcast(queue_pair_, &gid_, lid_); }

void Multicast::add_target(ibv_ah_attr path, std::uint32_t queue_pair, std::uint32_t queue_key) {
  AddressHandle handle(ibv_create_ah(device_.pd(), &path));
  if (!handle)
    throw Error(Code::unreachable,
                fmt::format("there is no path for datagrams from port {} of {}: {}; is there a "
                            "route to the receivers (ip route)?",
                            device_.port(), device_.name(), std::strerror(errno)),
                kNoPeer, errno);
  targets_.push_back({std::move(handle), queue_pair, queue_key});
}

void Multicast::set_members(std::span<const MulticastCard> members) {
  if (delivery_ == Delivery::group) return;
  targets_.clear();
  for (const MulticastCard& card : members) {
    const bool own = card.queue_pair == endpoint_.number() && card.lid == device_.lid() &&
                     same(card.gid, device_.gid());
    if (!own) add_target(device_.path_to(card.lid, card.gid), card.queue_pair, card.queue_key);
  }
  if (targets_.size() > receivers_)
    throw Error(
        Code::bad_configuration,
        fmt::format("datagrams were set up for {} ranks, and {} have joined; open them with "
                    "the number of all members (MulticastOptions)",
                    receivers_ + 1, members.size()));
}

Post Multicast::send(const void* head, std::uint32_t head_bytes, const void* body,
                     std::uint32_t body_bytes) noexcept {
  if (failed_) return Post::failed;
  const Post post = endpoint_.send(targets_, head, head_bytes, body, body_bytes);
  failed_ = post == Post::failed;
  return post;
}

}  // namespace tutti::transport::verbs
