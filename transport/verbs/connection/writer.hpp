// Writer: the send side of one connection. It posts work requests, numbers them, and knows how many
// the send queue still takes.
//
// Data path: noexcept, returns a Post; nothing is locked or allocated. If the device refuses a work
// request, the link fails. Knows one queue pair; the transport polls the completion queue.
#pragma once

#include <optional>

#include "transport/link.hpp"
#include "transport/verbs/connection/connection.hpp"
#include "transport/verbs/connection/send_stretch.hpp"
#include "transport/verbs/connection/work_id.hpp"

namespace tutti::transport::verbs {

class Writer {
 public:
  // `link` is the one that this writer is a part of; `large`: by the larger of its connections.
  // Throws std::bad_alloc.
  Writer(const Connection& connection, Link& link, bool large = false);

  // As in Link.
  Post put(Ring ring, std::uint32_t index, const void* payload, const Trailer& trailer) noexcept;
  Post report(Ring ring, std::uint32_t consumed) noexcept;
  // One rail's share of a Link::write(): `notice` is sent behind the bytes, if there is one. done:
  // all of it was posted, and it is complete when completed() has reached posted(). again: nothing
  // was. failed: perhaps a part. A write that the whole queue has no room for fails the link.
  Post write(std::uint64_t source, std::uint32_t source_key, std::uint64_t target,
             std::uint32_t target_key, std::size_t bytes,
             const std::optional<Immediate>& notice) noexcept;
  // The result that write() would return for such a share; does nothing.
  Post may_write(std::size_t bytes, bool notice) noexcept;
  // Sends a write of no bytes, unless one is under way: a living peer's adapter acknowledges it.
  void probe() noexcept;
  // Tells the peer that this rank leaves, unless that was done.
  void send_disconnect() noexcept;
  bool sent_disconnect() const noexcept { return sent_disconnect_; }
  // Tells the peer that messages go to the larger inbox from now on.
  Post send_moved() noexcept;
  // The longest write that takes half of the queue at most, so that others have room beside it.
  std::size_t most_at_once() const noexcept;
  // Whether a write of so many bytes would be longer than that, or would be cut into longer pieces
  // than is good for the device, as the queue has too few places.
  bool is_short_for(std::size_t bytes) const noexcept;

  std::uint64_t posted() const noexcept { return posted_; }
  std::uint64_t completed() const noexcept { return completed_; }
  // A work request has completed, and with it all before it. Returns the number of the last one.
  std::uint64_t complete(WorkId id) noexcept { return completed_ = id.number(posted_); }
  // A work request has failed or was flushed. The device is through with it, and with all before.
  void fail(WorkId id) noexcept { failed_ = id.number(posted_); }
  // Whether the device may still read what work requests up to this one send.
  bool reads(std::uint64_t number) const noexcept {
    return completed_ < number && failed_ < number;
  }
  // The peer has left, and nothing more will complete: counts all as completed. Returns the same.
  std::uint64_t complete_all() noexcept { return completed_ = posted_; }
  // Whether everything has arrived. If nothing would tell, asks for it.
  bool idle() noexcept;

 private:
  bool has_room(std::uint32_t requests) const noexcept {
    return posted_ + requests - completed_ <= depth_;
  }
  // The gather list of one message.
  struct Gather {
    ibv_sge pieces[3];
    int count = 0;
    unsigned flags = 0;
    const std::byte* last_word = nullptr;  // in the last piece
  };
  Gather gather(const void* payload, const Trailer& trailer, std::uint32_t total,
                std::byte* staged) const noexcept;
  // Where a message is put together that is too long to go inline.
  struct Place {
    std::byte* begin = nullptr;
    std::uint32_t offset = 0, shared_bytes = 0;  // in the shared bytes; 0: it has its own place
    bool signaled = false;                       // its write asks for a completion
  };
  Place place_for(Ring ring, std::uint32_t index, std::uint32_t total) noexcept;
  void take(const Place& place) noexcept;
  std::size_t longest_piece() const noexcept;
  std::size_t piece_bytes(std::size_t bytes) const noexcept;
  void number(ibv_send_wr& request, bool signaled) noexcept;
  // Posts that request, and those behind it in its chain.
  Post post(ibv_send_wr& first) noexcept;
  Post post_immediate(Immediate immediate, bool signaled = false) noexcept;
  Post post_word(std::uint64_t offset, std::uint32_t value) noexcept;

  const Connection& connection_;
  Link& link_;
  const std::uint32_t depth_;
  const bool large_;
  // Numbers of work requests, counted from 1: the last one posted, the last one that asked for a
  // completion, the last one known to be completed, the last one known to have failed, the last
  // probe.
  std::uint64_t posted_ = 0, signaled_ = 0, completed_ = 0, failed_ = 0, probe_ = 0;
  bool sent_disconnect_ = false;
  std::optional<SendStretch> shared_;  // if the mirror has shared bytes
};

}  // namespace tutti::transport::verbs
