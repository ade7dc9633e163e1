// Link: one-sided writes to ONE peer, and how this rank learns of those that arrive. The seam
// between protocols and transports.
//
// A link knows inboxes and bytes; it knows no communicator, no matching, no collective. Two
// implementations carry jobs (verbs/, shm/); a third is for tests (the hostile one in
// tests/protocols).
//
// Data-path regime: every function is noexcept and returns a Post; state() says why a link
// failed. A link is used by one thread at a time; state() may be read by any.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/packed_view.hpp"
#include "transport/capabilities.hpp"
#include "transport/inbox.hpp"
#include "transport/link_state.hpp"
#include "transport/memory.hpp"
#include "transport/notice.hpp"

namespace tutti::transport {

enum class Post : std::uint8_t {
  done,     // accepted, and the local bytes may be reused now
  posted,   // accepted; the local bytes may be reused once completed() has reached the ticket
  again,    // back-pressure: nothing was done; make progress everywhere, then try again
  failed,   // the link is dead: see state()
  refused,  // by write() only: memory at one of the two ends is not mapped or may not be accessed;
            // the link itself is well
};

// What a rank does in a collective beside sending one message.
struct Load {
  int receivers = 1;     // ranks that it sends to
  bool receives = true;  // it also receives
  bool packs = false;    // what it sends is brought together on its way
};

class Link {
 public:
  // `shape`: how both inboxes look in the end; `first`: the shape of both inboxes until they grow;
  // nullopt: they never do.
  Link(const InboxShape& shape, int peer, const std::optional<InboxShape>& first = std::nullopt)
      : shape_(shape),
        out_shape_(first.value_or(shape)),
        peer_(peer),
        inbox_(out_shape_, shape),
        small_(first.has_value()) {}
  virtual ~Link() = default;
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  // --- data path

  // Writes one message into slot `index` of the peer's `ring`: `payload` (trailer.bytes long, at
  // most the ring's capacity), then the trailer, its arrival mark last. The caller holds a credit
  // for that slot. `payload` may be reused at once. Returns done, again or failed.
  virtual Post put(Ring ring, std::uint32_t index, const void* payload,
                   const Trailer& trailer) noexcept = 0;

  // The same for bytes of a view: the payload is what travels for the addresses from `payload` on
  // in its room, and is packed into the slot where the transport can.
  virtual Post put_packed(Ring ring, std::uint32_t index, PackedView& view,
                          const std::byte* payload, const Trailer& trailer) noexcept {
    view.bring(payload, trailer.bytes);
    return put(ring, index, payload, trailer);
  }

  // Tells the peer that `consumed` slots of `ring` in OUR inbox are free again, counted from the
  // connection's beginning, modulo 2^32. Returns done, again or failed. A later report makes an
  // earlier one unnecessary.
  virtual Post report(Ring ring, std::uint32_t consumed) noexcept = 0;

  // Writes `bytes` from `source` straight to the peer's memory. `registration` covers the source
  // (ignored if the transport needs none). With `notify`, which only a link that `notifies` takes,
  // the peer's finished() yields that number once all bytes are there. Returns posted, with the
  // ticket that completed() must reach before the source may be reused, or any other Post. `failed`
  // sets the ticket, too, if a part was posted: see reads().
  virtual Post write(const void* source, const Registration& registration, const RemoteKey& target,
                     std::size_t bytes, std::optional<std::uint32_t> notify,
                     std::uint64_t* ticket) noexcept = 0;

  // Reads `bytes` from the peer's memory to `target`: only over a link that `fetches`. Returns
  // done, failed or refused.
  virtual Post fetch(void* /*target*/, const RemoteKey& /*source*/,
                     std::size_t /*bytes*/) noexcept {
    return Post::refused;
  }

  // Asks the peer for a sign of life (a zero-byte write, a lock), without blocking; if the peer is
  // dead, the link fails sooner or later. Called now and then while a rank waits for this peer.
  virtual void probe() noexcept = 0;

  // What the peer has left for those to whom it cannot connect (Transport::leave_notice()), one
  // after the other, each once.
  virtual std::optional<Notice> notice() noexcept { return std::nullopt; }

  // Whether the device may still read a source that write() was given, up to that ticket. It may
  // after the link has failed, too.
  virtual bool reads(std::uint64_t ticket) const noexcept { return completed_ < ticket; }

  // Grows while the device makes headway with what it was given, also within one write().
  virtual std::uint64_t headway() const noexcept { return completed_; }

  // Sends the farewell, unless that was done. true once everything given to the link has been
  // acknowledged, or never will be.
  virtual bool drained() noexcept = 0;

  // --- growth
  //
  // A connection may begin with small inboxes, and get larger ones when it proves hot. Each of the
  // two grows by itself. The sender moves from one message to the next, in all rings at once; the
  // receiver learns of it from the transport, takes over what has come to the small inbox and was
  // not consumed (rings.hpp), and reads the large one from then on.

  // One of the two inboxes, or both, may still grow.
  bool small() const noexcept { return small_; }
  // Asks for larger inboxes both ways. They may come later, or never.
  virtual void ask_for_more() noexcept {}
  // The peer's larger inbox is there to be written: grow_out() may be called.
  bool may_grow_out() const noexcept { return may_grow_out_.load(std::memory_order_acquire); }
  // From here on put() takes slots of the large inbox. Returns done, again or failed.
  virtual Post grow_out() noexcept { return Post::failed; }
  // inbox().must_grow(), and what was not consumed has been taken over: the inbox grows.
  virtual void grow_in() noexcept {
    inbox_.grow();
    small_ = !grown_out_;
  }
  // How the peer's inbox looks now. shape() is how both look in the end.
  const InboxShape& out_shape() const noexcept { return out_shape_; }
  // Bytes that write() has taken, while the connection is small.
  std::uint64_t written() const noexcept { return written_; }

  // --- facts

  const Capabilities& capabilities() const noexcept { return capabilities_; }
  // Where a message may either be fetched or come in pieces: whether to fetch one of so many bytes
  // takes less time. Asked once for each, by its sender.
  virtual bool fetch_pays(Bytes /*bytes*/, const Load& /*load*/) noexcept { return true; }
  virtual const char* kind() const noexcept = 0;  // as Transport::kind()
  // For people, such as "process 4711 is stopped". Empty: that is not known. Throws std::bad_alloc.
  virtual std::string state_of_peer() { return {}; }

  // --- what every link has

  // What the peer has sent.
  Inbox& inbox() noexcept { return inbox_; }
  const Inbox& inbox() const noexcept { return inbox_; }
  // To read a payload that said how it was stored has taken so many ticks a byte. A hint for its
  // sender, which may take it or not.
  virtual void note_read(Stored /*stored*/, double /*ticks_per_byte*/) noexcept {}
  std::uint64_t completed() const noexcept { return completed_; }

  const LinkState& state() const noexcept { return state_; }
  int peer() const noexcept { return peer_; }  // world rank
  const InboxShape& shape() const noexcept { return shape_; }

  // Makes the link failed, for the first cause it is given; later ones are ignored. Soon the peer's
  // end fails, too, and reads() says no. Safe from any thread.
  void fail(Code code, const char* text, Fault fault = Fault::of_peer) noexcept {
    if (state_.fail(code, text, fault)) break_off(code);
  }

  // The peer has written what no rank writes: it is broken, or not who it seems to be, and nothing
  // that it says can be trusted. Makes the link failed. `format` takes `a` and `b`.
  void distrust(const char* format, long long a = 0, long long b = 0) noexcept;

 protected:
  // Called once, by the constructor of a link that can more than the least.
  void set_capabilities(const Capabilities& capabilities) noexcept { capabilities_ = capabilities; }
  // The peer can be written to; or it has left.
  void become(State from, State to) noexcept { state_.change(from, to); }
  // Called once, by fail(): this end sends nothing more, though its process lives and the device or
  // the kernel vouches for it. Sees that the peer finds out when it asks for a sign of life, needs
  // no credit for it, and tells the code if it can. From any thread.
  virtual void break_off(Code /*code*/) noexcept {}
  // The same at the other end: the peer has told that its end has failed, and the code.
  void fail_as_peer_did(Code code) noexcept;
  bool grown_out() const noexcept { return grown_out_; }
  void note_grown_out() noexcept {
    out_shape_ = shape_;
    grown_out_ = true;
    small_ = !inbox_.grown();
  }
  void note_finished(std::uint32_t id) noexcept {
    if (!inbox_.note_finished(id)) distrust("it has finished more transfers than can be under way");
  }

  const InboxShape shape_;
  InboxShape out_shape_;
  const int peer_;
  std::uint64_t completed_ = 0, written_ = 0;
  std::atomic<bool> may_grow_out_{false};

 private:
  LinkState state_;
  Capabilities capabilities_;
  Inbox inbox_;
  bool small_, grown_out_ = false;
};

}  // namespace tutti::transport
