// Link: one-sided writes to ONE peer. The seam between protocols and transports.
//
// This class has what every link does. The peer writes to its inbox (inbox.hpp); functions of some
// links only are interfaces of their own, which a link has or lacks (capabilities.hpp). It knows
// inboxes and bytes; it knows no communicator, no matching, no collective. Two implementations
// carry jobs (verbs/, shm/); a third is for tests (the hostile one in tests/protocols).
//
// Data-path regime: every function is noexcept and returns a Post; state() says why a link failed.
// A link is used by one thread at a time; state() may be read by any.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/packed_view.hpp"
#include "transport/capabilities.hpp"
#include "transport/growth.hpp"
#include "transport/inbox.hpp"
#include "transport/link_state.hpp"
#include "transport/memory.hpp"
#include "transport/notice.hpp"
#include "transport/post.hpp"

namespace tutti::transport {

class Link {
 public:
  // `shape`: how both inboxes look in the end; `first`: the shape of both inboxes until they grow;
  // nullopt: they never do.
  Link(const InboxShape& shape, int peer, const std::optional<InboxShape>& first = std::nullopt)
      : peer_(peer), inbox_(first.value_or(shape), shape), outbox_(inbox_.shape(), shape) {
    assert(shape.valid() && inbox_.shape().valid());
  }
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // --- messages

  // Writes one message into slot `index` of the peer's `ring`: `payload` (trailer.length.bytes()
  // long, at most the ring's capacity), then the trailer, its arrival mark last. The caller holds a
  // credit for that slot. `payload` may be reused at once. Returns done, again or failed.
  virtual Post put(Ring ring, std::uint32_t index, const void* payload,
                   const Trailer& trailer) noexcept = 0;

  // put() for bytes of a view: the payload is the data that the addresses from `payload` on in its
  // room stand for, and is packed into the slot where the transport can.
  virtual Post put_packed(Ring ring, std::uint32_t index, PackedView& view,
                          const std::byte* payload, const Trailer& trailer) noexcept {
    view.bring(payload, trailer.length.bytes());
    return put(ring, index, payload, trailer);
  }

  // Tells the peer that `consumed` slots of `ring` in OUR inbox are free again, counted from the
  // connection's beginning, modulo 2^32. Returns done, again or failed. A later report makes an
  // earlier one unnecessary.
  virtual Post report(Ring ring, std::uint32_t consumed) noexcept = 0;

  // Messages that the peer has sent; and this rank's knowledge of the peer's inbox.
  Inbox& inbox() noexcept { return inbox_; }
  Outbox& outbox() noexcept { return outbox_; }

  // --- user memory

  // Writes `bytes` from `source` straight to the peer's memory. `registration` covers the source
  // (ignored if the transport needs none). With `notify`, which only a link that `notifies` takes,
  // the peer's Inbox::finished() yields that number once all bytes are there. A link that has parts
  // takes no more than Parts::most_at_once(). Returns posted, with the ticket that completed() must
  // reach before the source may be reused, or any other Post. `failed` sets the ticket, too, if a
  // part was posted: see reads().
  virtual Post write(const void* source, const Registration& registration, const RemoteKey& target,
                     std::size_t bytes, std::optional<std::uint32_t> notify,
                     std::uint64_t* ticket) noexcept = 0;

  // All tickets up to this one are complete.
  std::uint64_t completed() const noexcept { return completed_; }

  // Whether the device may still read a source that write() was given, up to that ticket: of this
  // write, or of one before it. It may after the link has failed, too.
  virtual bool reads(std::uint64_t ticket) const noexcept { return completed_ < ticket; }

  // Grows while the device makes progress with what it was given, also within one write().
  virtual std::uint64_t progress_count() const noexcept { return completed_; }

  // The optional interfaces that it has.
  const Capabilities& capabilities() const noexcept { return capabilities_; }

  // --- the peer

  int peer() const noexcept { return peer_; }     // world rank
  virtual const char* kind() const noexcept = 0;  // as Transport::kind()

  // Asks the peer for a sign of life (a zero-byte write, a lock), without blocking; if the peer is
  // dead, the link fails sooner or later. Called now and then while a rank waits for this peer.
  virtual void probe() noexcept = 0;

  // For people, such as "process 4711 is stopped". Empty: that is not known. Throws std::bad_alloc.
  virtual std::string state_of_peer() { return {}; }

  // Notices of the peer for ranks to which it cannot connect (Transport::leave_notice()), one after
  // the other, each once.
  virtual std::optional<Notice> notice() noexcept { return std::nullopt; }

  // Sends the disconnect, unless that was done. true once everything given to the link was
  // acknowledged, or never will be.
  virtual bool drained() noexcept = 0;

  // --- failure

  const LinkState& state() const noexcept { return state_; }

  // Makes the link failed, for the first cause it is given; later ones are ignored. Soon the peer's
  // end fails, too, and reads() says no. Safe from any thread.
  void fail(Code code, const char* text, Fault fault = Fault::of_peer) noexcept {
    if (state_.fail(code, text, fault)) break_off(code);
  }

  // Makes the link failed because the peer has written what no rank writes: it is broken, or
  // another process, and none of its messages can be trusted. `format` takes `a` and `b`.
  void fail_as_corrupt(const char* format, long long a = 0, long long b = 0) noexcept;

 protected:
  // Called once, by the constructor of a link that can more than the least.
  void set_capabilities(const Capabilities& capabilities) noexcept { capabilities_ = capabilities; }
  // The peer can be written to; or it has left.
  void become(State from, State to) noexcept { state_.change(from, to); }
  // Called once, by fail(): this end sends nothing more, though its process lives and the device or
  // the kernel vouches for it. Sees that the peer finds out when it asks for a sign of life, needs
  // no credit for it, and tells the code if it can. From any thread.
  virtual void break_off(Code /*code*/) noexcept {}
  // Fails this end, because the peer has told that its end has failed, with that code.
  void fail_as_peer_did(Code code) noexcept;
  void note_finished(std::uint32_t id) noexcept {
    if (!inbox_.note_finished(id))
      fail_as_corrupt("it has finished more transfers than can be under way");
  }
  // All tickets up to this one are complete.
  void note_completed(std::uint64_t ticket) noexcept { completed_ = ticket; }

 private:
  const int peer_;
  std::uint64_t completed_ = 0;
  Inbox inbox_;
  Outbox outbox_;
  Capabilities capabilities_;
  LinkState state_;
};

}  // namespace tutti::transport
