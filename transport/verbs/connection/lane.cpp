// Makes a lane, and counts the shares that it carries.
#include "transport/verbs/connection/lane.hpp"

#include <algorithm>

namespace tutti::transport::verbs {
namespace {

// Nothing is written to it. (Each ring has a slot, as rings must.)
constexpr InboxShape kSmallest = [] {
  InboxShape shape;
  for (RingShape& ring : shape.rings) ring = {kCacheLine, 1};
  return shape;
}();

int completions(const LinkOptions& options) {
  return static_cast<int>(Receives::needed_for(kSmallest) + options.send_queue_depth);
}

Queues queues_of(Rail& rail, const LinkOptions& options) {
  ibv_cq* const queue = rail.queues.room_for(completions(options));
  return {queue, queue};
}

}  // namespace

Lane::Lane(Rail& rail, const LinkOptions& options, Link& link)
    : mtu_(rail.mtu),
      connection_(rail.device, queues_of(rail, options), options, link.peer(), kSmallest),
      receives_(connection_.queue_pair(), link.peer(), kSmallest),
      writer_(connection_, link) {
  rail.queues.take(completions(options));
}

LaneInfo Lane::info() const noexcept {
  const PeerInfo info = connection_.info();
  const Device& device = connection_.device();
  return {device.gid(),
          info.inbox_address,
          info.inbox_key,
          info.queue_pair,
          info.packet_sequence,
          device.lid(),
          static_cast<std::uint16_t>(mtu_)};
}

void Lane::attach(const LaneInfo& peer) {
  const auto mtu = static_cast<ibv_mtu>(std::min(peer.mtu, static_cast<std::uint16_t>(mtu_)));
  connection_.attach(
      {peer.queue_pair, peer.packet_sequence, peer.inbox_address, peer.inbox_key, 0, 0},
      Arrival::imm, mtu, peer.lid, peer.gid);
}

std::uint64_t Shares::add(const Marks& posted) noexcept {
  const Marks& before = messages_[last_ % messages_.size()];
  Marks& marks = messages_[++last_ % messages_.size()];
  std::transform(posted.begin(), posted.end(), before.begin(), marks.begin(),
                 [](std::uint64_t now, std::uint64_t then) { return std::max(now, then); });
  return last_;
}

std::uint64_t Shares::complete(const Marks& completed) noexcept {
  const auto whole = [&](const Marks& posted) {
    for (std::size_t rail = 0; rail < rails_; ++rail)
      if (completed[rail] < posted[rail]) return false;
    return true;
  };
  while (completed_ < last_ && whole(messages_[(completed_ + 1) % messages_.size()])) ++completed_;
  return completed_;
}

}  // namespace tutti::transport::verbs
