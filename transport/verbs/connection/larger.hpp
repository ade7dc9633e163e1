// Larger: the larger side of a link, from the request for it until messages may go by it.
//
// The rank's thread requests it; the handshake's thread makes it, in its own time. A link that
// cannot have one keeps the small side for its messages.
#pragma once

#include <atomic>
#include <memory>

#include "transport/verbs/connection/peer_info.hpp"
#include "transport/verbs/connection/side.hpp"

namespace tutti::transport::verbs {

class Larger {
 public:
  // The link's inbox and outbox hear of the larger side.
  Larger(LinkContext& context, Link& link) noexcept : context_(context), link_(link) {}

  enum class Stage : std::uint8_t { possible, wanted, begun, ready, impossible };
  Stage stage() const noexcept { return stage_.load(std::memory_order_acquire); }
  // Null: it was not made yet.
  LargeSide* side() const noexcept { return side_.load(std::memory_order_acquire); }
  std::size_t rails() const noexcept { return 1 + context_.rails.size(); }

  // For the rank's thread. Once is enough.
  void want() noexcept;

  // --- for the handshake's thread

  // Throws as Connection.
  void make();
  // Throws as Connection::attach. From here on the peer may write to it. Begins where an earlier
  // call has thrown.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid, const LaneInfos& lanes);
  LaneInfos lane_infos() const noexcept;
  // The peer's end can receive, too.
  void become_ready() noexcept;
  // This end's messages stay with the small side.
  void give_up() noexcept { stage_.store(Stage::impossible, std::memory_order_release); }

 private:
  LinkContext& context_;
  Link& link_;
  std::unique_ptr<LargeSide> owned_;
  std::atomic<LargeSide*> side_{nullptr};  // the side, once it is made
  std::atomic<Stage> stage_{Stage::possible};
};

}  // namespace tutti::transport::verbs
