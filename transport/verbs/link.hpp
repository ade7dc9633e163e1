// The link over one reliable connection: its writer, its receives, and what their completions mean.
//
// Nothing is locked or allocated on the data path. The transport polls the completion queue for all
// links and hands each completion to its link.
#pragma once

#include "transport/link.hpp"
#include "transport/verbs/connection.hpp"
#include "transport/verbs/writer.hpp"

namespace tutti::transport::verbs {

class VerbsLink final : public Link {
 public:
  // Throws as Connection.
  VerbsLink(const Device& device, ibv_cq* queue, Registrar& registrar, const LinkOptions& options,
            int peer, const InboxShape& shape);

  // --- set-up, by the handshake
  const Connection& connection() const noexcept { return connection_; }
  // Throws as Connection::attach. From here on the peer may write to us.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid);
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
             std::uint64_t* ticket) noexcept override {
    return writer_.write(source, registration, target, bytes, notify, ticket);
  }
  void progress() noexcept override {}  // the transport polls for all links
  void probe() noexcept override;
  bool drained() noexcept override;
  void say_farewell() noexcept;
  Registrar* registrar() noexcept override { return &registrar_; }
  bool notifies() const noexcept override { return true; }
  const char* kind() const noexcept override { return "verbs"; }
  // A completion of this link's queue pair.
  void complete(const ibv_wc& completion) noexcept;

  // Completions that one link can have under way.
  static std::uint32_t completions_for(const InboxShape& shape,
                                       const LinkOptions& options) noexcept {
    return Receives::needed_for(shape) + options.send_queue_depth;
  }

 private:
  void take(Immediate immediate) noexcept;
  void broke(const ibv_wc& completion) noexcept;

  Registrar& registrar_;
  Connection connection_;
  Receives receives_;
  Writer writer_;
  std::array<std::uint32_t, kRings> credits_by_immediate_{};
};

}  // namespace tutti::transport::verbs
