// The data path over one reliable-connected queue pair: puts, reports, large writes, probes.
//
// Arrival is a strategy of the connection (DESIGN §3): `tail` (one write, the receiver polls its
// last word), `flag` (body, then the last word in a write of its own), `imm` (write with immediate;
// the receiver learns of it from the completion queue). Nothing is locked or allocated here. Knows
// one queue pair; the completion queue is polled by the transport.
#pragma once

#include "transport/link.hpp"
#include "transport/verbs/arrival.hpp"
#include "transport/verbs/memory.hpp"
#include "transport/verbs/queue_pair.hpp"

namespace tutti::transport::verbs {

// What each side tells the other before anything can be written; see handshake.hpp.
struct PeerInfo {
  std::uint32_t queue_pair, packet_sequence;
  std::uint64_t inbox_address;
  std::uint32_t inbox_key;
};

struct LinkOptions {
  Arrival arrival = Arrival::automatic;
  int timeout =
      0;  // 4.096 us * 2^timeout until a packet is sent again; 0: as the transport chooses
  int retry_count = 6;  // 7 would be for ever on rxe
  std::uint32_t send_queue_depth = 256;
  std::uint32_t inline_bytes = 512;
};

// Immediate data: what kind of arrival, and a number.
enum class Immediate : std::uint32_t {
  ring = 0 /* … kRings - 1 */,
  credit = 5,
  finished = 6,
  farewell = 7
};

class VerbsLink final : public Link {
 public:
  // Creates the queue pair (INIT, receives posted). Throws Error{locked_memory | out_of_memory |
  // transport_failed}.
  VerbsLink(const Device& device, ibv_cq* queue, Registrar& registrar, const LinkOptions& options,
            int peer, const InboxShape& shape);

  // Where the device says that bytes of a write become visible in order, the trailing word alone
  // tells of arrival. Some devices say so of queue pairs that are ready to send only: one is
  // connected to itself and asked.
  static Arrival safe_arrival(const Device& device, ibv_cq* queue, Registrar& registrar,
                              const LinkOptions& options, const InboxShape& shape) noexcept;

  // --- set-up, by the handshake ----------------------------------------------------------------
  PeerInfo info() const noexcept;
  Arrival arrival() const noexcept { return arrival_; }
  // INIT → RTR → RTS. `arrival` and `mtu` are what both ends agreed upon. Throws Error{unreachable
  // | transport_failed}.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid);
  bool attached() const noexcept { return attached_; }
  const PeerInfo& peer_info() const noexcept { return peer_info_; }
  void ready() noexcept { state_.store(State::ready, std::memory_order_release); }

  // --- data path -------------------------------------------------------------------------------
  Post put(Ring ring, std::uint32_t index, const void* payload,
           const Trailer& trailer) noexcept override;
  Post report(Ring ring, std::uint32_t consumed) noexcept override;
  Post write(const void* source, const Registration& registration, const RemoteKey& target,
             std::size_t bytes, std::optional<std::uint32_t> notify,
             std::uint64_t* ticket) noexcept override;
  void progress() noexcept override {}  // the transport polls for all links
  void probe() noexcept override;
  bool drained() noexcept override;
  Registrar* registrar() noexcept override { return &registrar_; }
  bool notifies() const noexcept override { return arrival_ == Arrival::imm; }
  const char* kind() const noexcept override { return "verbs"; }
  void say_farewell() noexcept;

  // A completion of this link's queue pair. Send completions carry the number of the last work
  // request they cover.
  void complete(const ibv_wc& completion, std::uint64_t sequence) noexcept;

  static std::uint32_t receives_for(const InboxShape& shape) noexcept;
  static std::uint32_t completions_for(const InboxShape& shape,
                                       const LinkOptions& options) noexcept {
    return receives_for(shape) + options.send_queue_depth;
  }
  std::size_t memory_bytes() const noexcept { return 2 * shape_.bytes(); }

 private:
  bool has_room(std::uint32_t requests) const noexcept {
    return posted_ + requests - completed_ <= options_.send_queue_depth;
  }
  ibv_send_wr request(ibv_sge* pieces, int count, ibv_wr_opcode opcode, std::uint64_t address,
                      std::uint32_t key) noexcept;
  void sign(ibv_send_wr& request, bool wanted) noexcept;
  Post post(ibv_send_wr& first, std::uint32_t count) noexcept;
  Post post_immediate(Immediate kind, std::uint32_t low, bool signaled = false) noexcept;
  Post post_word(std::uint64_t offset, std::uint32_t value, bool signaled = false) noexcept;
  void take_immediate(std::uint32_t word) noexcept;
  void repost(std::uint32_t count) noexcept;
  void look_for_farewell() noexcept;
  void broken(const ibv_wc& completion) noexcept;

  const Device& device_;
  Registrar& registrar_;
  const LinkOptions options_;
  Arrival arrival_;
  Pages memory_;  // the inbox, then the staging mirror of the peer's inbox
  std::byte* staging_ = nullptr;
  MemoryRegion inbox_region_, staging_region_;
  QueuePair queue_pair_;
  std::uint32_t inline_limit_ = 0, packet_sequence_ = 0;
  PeerInfo peer_info_{};
  bool attached_ = false;
  std::array<std::uint32_t, kRings> credits_by_immediate_{};
  // A device in software acknowledges, and so counts its retries anew, at the end of a request or
  // after some 64 packets, and a retry starts at the first packet that was lost. With 1 % of
  // packets lost, writes of more packets give up on a peer that lives, and shorter ones cost.
  static constexpr std::size_t kPacketsAcknowledged = 32;
  std::size_t packet_bytes_ = 4096;
  std::uint64_t posted_ = 0, signaled_ = 0, probe_ = 0;  // numbers of work requests, from 1
  std::uint32_t owed_receives_ = 0;
  bool said_farewell_ = false;
};

// wr_id: a receive (bit 63) or a send, the peer, and for sends the number of the work request.
constexpr std::uint64_t kReceiveMark = std::uint64_t{1} << 63;
constexpr int kPeerShift = 40;
constexpr std::uint64_t kSequenceMask = (std::uint64_t{1} << kPeerShift) - 1;
constexpr int peer_of(std::uint64_t id) {
  return static_cast<int>((id & ~kReceiveMark) >> kPeerShift);
}

}  // namespace tutti::transport::verbs
