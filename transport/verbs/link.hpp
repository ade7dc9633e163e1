// The link over reliable connections, one for each rail: their writers, their receives, and what
// their completions mean. The first carries everything but the other rails' shares of large
// messages (lane.hpp).
//
// Nothing is locked or allocated on the data path. The transport polls the completion queue for all
// links and hands each completion to its link.
#pragma once

#include "transport/link.hpp"
#include "transport/verbs/connection.hpp"
#include "transport/verbs/lane.hpp"
#include "transport/verbs/writer.hpp"

namespace tutti::transport::verbs {

class VerbsLink final : public Link {
 public:
  // `rails`: the devices beyond the first. Throws as Connection.
  VerbsLink(const Device& device, ibv_cq* queue, Rails& rails, Registrar& registrar,
            const LinkOptions& options, int peer, const InboxShape& shape);

  // --- set-up, by the handshake
  const Connection& connection() const noexcept { return connection_; }
  std::size_t rails() const noexcept { return 1 + lanes_.size(); }
  // Throws as Connection::attach. From here on the peer may write to us.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid, const LaneInfos& lanes);
  LaneInfos lane_infos() const noexcept;
  // The peer's queue pair can receive, too.
  void ready() noexcept { state_.store(State::ready, std::memory_order_release); }

  // --- data path
  Post put(Ring ring, std::uint32_t index, const void* payload,
           const Trailer& trailer) noexcept override {
    return writer_.put(ring, index, payload, trailer);
  }
  Post report(Ring ring, std::uint32_t consumed) noexcept override {
    return writer_.report(ring, consumed);
  }
  Post write(const void* source, const Registration& registration, const RemoteKey& target,
             std::size_t bytes, std::optional<std::uint32_t> notify,
             std::uint64_t* ticket) noexcept override;
  void progress() noexcept override {}  // the transport polls for all links
  void probe() noexcept override;
  bool drained() noexcept override;
  void say_farewell() noexcept;
  Registrar* registrar() noexcept override { return &registrar_; }
  bool notifies() const noexcept override { return true; }
  const char* kind() const noexcept override { return "verbs"; }
  // A completion of this link's queue pair on a rail.
  void complete(const ibv_wc& completion, std::size_t rail) noexcept;

  // Completions that one link can have under way.
  static std::uint32_t completions_for(const InboxShape& shape,
                                       const LinkOptions& options) noexcept {
    return Receives::needed_for(shape) + options.send_queue_depth;
  }

 private:
  Writer& writer(std::size_t rail) noexcept {
    return rail == 0 ? writer_ : lanes_[rail - 1].writer();
  }
  Post write_shares(std::size_t count, const void* source, const Registration& registration,
                    const RemoteKey& target, std::size_t bytes, std::optional<std::uint32_t> notify,
                    std::uint64_t* ticket) noexcept;
  void count_completed() noexcept;
  void take(Immediate immediate) noexcept;
  void take_finished(Immediate immediate) noexcept;
  void broke(const ibv_wc& completion, const Device& device) noexcept;

  Registrar& registrar_;
  Connection connection_;
  Receives receives_;
  Writer writer_;
  std::deque<Lane> lanes_;                            // by rail, without the first
  std::unique_ptr<Shares> shares_;                    // if there are lanes
  std::array<std::uint8_t, kInvitations> notices_{};  // that have come, by rendezvous
  std::array<std::uint32_t, kRings> credits_by_immediate_{};
};

}  // namespace tutti::transport::verbs
