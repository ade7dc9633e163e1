// Makes the larger side of a link, stage by stage.
#include "transport/verbs/connection/larger.hpp"

namespace tutti::transport::verbs {

void Larger::want() noexcept {
  Stage possible = Stage::possible;
  if (stage_.compare_exchange_strong(possible, Stage::wanted)) context_.wants_larger();
}

void Larger::make() {
  owned_ = std::make_unique<LargeSide>(context_, link_);
  link_.inbox().place_larger(owned_->connection.inbox());
  side_.store(owned_.get(), std::memory_order_release);
  stage_.store(Stage::begun, std::memory_order_release);
}

void Larger::attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
                    const ibv_gid& gid, const LaneInfos& lanes) {
  for (std::size_t i = 0; i < owned_->lanes.size(); ++i)
    if (!owned_->lanes[i].connection().attached()) owned_->lanes[i].attach(lanes[i]);
  owned_->connection.attach(peer, arrival, mtu, lid, gid);
}

LaneInfos Larger::lane_infos() const noexcept {
  LaneInfos infos{};
  for (std::size_t i = 0; i < owned_->lanes.size(); ++i) infos[i] = owned_->lanes[i].info();
  return infos;
}

void Larger::become_ready() noexcept {
  stage_.store(Stage::ready, std::memory_order_release);
  link_.outbox().let_grow();
}

}  // namespace tutti::transport::verbs
