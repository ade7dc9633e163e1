// The link over reliable connections: a small one at first, then a larger one, which on each rail
// beyond the first has a lane (lane.hpp) for shares of large messages. Its completions.
//
// The larger connection is made by the handshake's thread, in its own time, when one end finds that
// the link is hot (larger.hpp); if one of both ends cannot, the link stays small. Then each end by
// itself goes over to it: the word `moved` is the last by the small queue pair, and messages by
// the large one wait until that word was read. Reports of consumed slots stay with the small
// queue pair, whose order they need.
//
// Nothing is locked or allocated on the data path. The transport polls the completion queues for
// all links and hands each completion to its link.
#pragma once

#include "transport/link.hpp"
#include "transport/verbs/connection/larger.hpp"
#include "transport/verbs/connection/notices.hpp"
#include "transport/verbs/connection/writes.hpp"

namespace tutti::transport::verbs {

class VerbsLink final : public Link, private Growth, private Parts {
 public:
  // Throws as Connection.
  VerbsLink(LinkContext& context, int peer);

  // --- set-up, by the handshake
  const Connection& connection() const noexcept { return first_.connection; }
  // Throws as Connection::attach. From here on the peer may write to us.
  void attach(const PeerInfo& peer, Arrival arrival, ibv_mtu mtu, std::uint16_t lid,
              const ibv_gid& gid);
  // The peer's queue pair can receive, too.
  void ready() noexcept { become(State::connecting, State::ready); }
  bool has_queue_pair(std::uint32_t number) const noexcept;

  // Whether the link has failed since this was asked last.
  bool take_failure() noexcept { return untold_.exchange(false); }
  // The peer's end has failed, for that cause.
  void peer_gave_up(Code cause) noexcept;
  // Questions about writes that are under way, and the answers.
  Writes& writes() noexcept { return writes_; }
  // Notices of the peer for ranks to which it cannot connect.
  NoticesOfPeer& notices() noexcept { return notices_; }
  Larger& larger() noexcept { return larger_; }

  // --- data path
  Post put(Ring ring, std::uint32_t index, const void* payload,
           const Trailer& trailer) noexcept override {
    return writer_->put(ring, index, payload, trailer);
  }
  Post report(Ring ring, std::uint32_t consumed) noexcept override {
    return first_.writer.report(ring, consumed);
  }
  Post write(const void* source, const Registration& registration, const RemoteKey& target,
             std::size_t bytes, std::optional<std::uint32_t> notify,
             std::uint64_t* ticket) noexcept override;
  void probe() noexcept override;
  std::optional<Notice> notice() noexcept override { return notices_.next(); }
  bool reads(std::uint64_t ticket) const noexcept override;
  std::uint64_t progress_count() const noexcept override;
  bool drained() noexcept override;
  void send_disconnect() noexcept;
  const char* kind() const noexcept override { return "verbs"; }
  // A completion of one of this link's queue pairs on a rail.
  void complete(const ibv_wc& completion, std::size_t rail) noexcept;

 private:
  void break_off(Code code) noexcept override;
  void ask_for_more() noexcept override { larger_.want(); }
  Post grow_out() noexcept override;
  void grow_in() noexcept override;
  std::uint64_t written() const noexcept override { return written_; }
  std::size_t part_bytes(std::size_t bytes) noexcept override;
  std::size_t most_at_once(std::size_t bytes) noexcept override;
  Post write_part(const void* source, const Registration& registration, const RemoteKey& target,
                  std::size_t bytes, std::uint32_t invitation,
                  std::uint64_t* ticket) noexcept override;
  void give_up(std::uint32_t invitation) noexcept override { writes_.give_parts_up(invitation); }
  void look_for_notice() noexcept;
  Post write_all(const void* source, const Registration& registration, const RemoteKey& target,
                 std::size_t bytes, std::optional<std::uint32_t> notify,
                 std::uint64_t* ticket) noexcept;
  Post write_shares(std::size_t count, const void* source, const Registration& registration,
                    const RemoteKey& target, std::size_t bytes, std::optional<std::uint32_t> notify,
                    std::uint64_t* ticket) noexcept;
  bool should_grow_before(std::size_t bytes) noexcept;
  Writer& writer_of(WorkId id, std::size_t rail) noexcept;
  void count_completed() noexcept;
  void handle(Immediate immediate, bool large) noexcept;
  void handle_finished(Immediate immediate) noexcept;
  void handle_moved(bool large) noexcept;
  bool peer_has_left() noexcept {
    return state() == State::closed || (disconnect_is_deferred_ && inbox().must_grow());
  }
  void broke(const ibv_wc& completion, const Device& device) noexcept;
  // The peer's disconnect came by the large queue pair, but `moved`, sent before it by the small
  // one, did not.
  bool left_in_between() noexcept {
    return disconnect_is_deferred_ && !inbox().must_grow() && !inbox().grown();
  }

  LinkContext& context_;
  Side first_;
  Larger larger_;
  Writer* writer_ = &first_.writer;  // of messages: of the first side, then of the large one
  LargeSide* out_ = nullptr;         // the large side, once messages go by it
  std::uint64_t written_ = 0;        // bytes, to user memory
  std::uint64_t first_tickets_ = 0;  // the first side's writer had posted so many then
  bool disconnect_is_deferred_ = false;
  std::atomic<bool> untold_{false};  // this end has failed, and the peer was not told why
  // After an error, when the peer may have left in between: what is in the completion queues by the
  // first probe has been taken by the second.
  enum class Doubt : std::uint8_t { none, raised, probed } doubt_ = Doubt::none;
  std::array<std::uint8_t, kInvitations> shares_come_{};  // of the peer's writes, by rendezvous
  Writes writes_;
  NoticesOfPeer notices_;
};

}  // namespace tutti::transport::verbs
