// Rings: short messages between this rank and one peer, through the slots of two inboxes.
//
// Promises: a message is put only into a slot that is free, and the first transfer that found none
// gets the next one. An arrived message is found by its name, whatever arrived before it, and stays
// in its slot until it is consumed: the memory for messages that nobody waits for yet is the ring
// itself, and credits (flow.hpp) bound it. Nothing blocks.
//
// No message waits until another one is taken, except by the receive that names it. A receive that
// waits while the peer has no credit left ASKS for its message:
//
//     receiver                                      sender
//
//     all messages that the peer had credit
//     for have come, the wanted one is not
//     among them: tells the peer of slots
//     that are free again, or, if there are
//     none, sets all aside (aside.hpp),
//     which frees their slots, without credit
//     and sends Ask{name, ring, freed}          ->  keeps the ask. A message of that name goes at
//                                                   once, without credit and past the line, while a
//                                               <-  ringful has not been sent since `freed`
//     takes it; if a ringful of others came
//     first, asks again
//
// Why a message goes that its sender tries to put and its receiver waits for, though nothing else
// is ever taken: suppose that it does not. Only so many others have credit, or are asked for, so in
// the end no message moves, and all that were sent have come. The sender knows of no credit, since
// the first in line would use it. So the receiver has told of all that it has consumed, finds all
// credit used up, and asks. Its ask comes, since both ranks empty the control ring whatever their
// calls wait for. It says that the slots of all messages were freed, so the sender finds one, and
// puts the message.
//
// What bounds memory: without credit a message goes only to a receive that waits for it. So a
// connection sets aside at most as many messages as its rings have slots, and for each receive that
// waits, one message, or a ringful of pieces. A peer that sends more is distrusted. An ask may
// cross the message that it asks for, or the call may fail: both ranks forget it when a ringful has
// been sent since, and need no word for it.
//
// Growth (transport/growth.hpp): where both ends begin with small inboxes, a connection asks for
// large ones when the small ones have cost something: messages waited for a slot, or were cut. One
// that gets along with few slots stays small for long, since to make large inboxes costs as much as
// thousands of messages. The number of a message says where it stands in either inbox, and sender
// and receiver may have different ideas of how many slots there are. The sender's is what counts
// for credit; it never has fewer than the receiver knows of. A receiver that knows of fewer asks
// sooner than it must, and asks again sooner than its ask is forgotten; a message that it takes
// over has a slot to which nobody writes, as all messages that are not consumed have numbers less
// than a ringful apart, of the larger ring too.
//
// Leaves to the caller: which ring a message takes, and what its payload means. Knows names, slots
// and credits; knows no protocol.
#pragma once

#include <array>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/function_ref.hpp"
#include "protocols/aside.hpp"
#include "protocols/flow.hpp"
#include "protocols/news.hpp"
#include "protocols/transfer.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

// An arrived message where it lies, valid until it is consumed. The numbers are copies, and were
// checked: a broken peer may write its message again while this rank reads it. Two registers hold
// it, in which functions return it: through memory it would take longer than the rest of a search,
// since no processor forwards a load that is wider than the stores before it.
struct Arrived {
  const transport::Trailer* place = nullptr;  // where the trailer stands; null: no message
  transport::Length bytes;
  std::uint32_t sequence = 0;  // of no meaning for a message that was set aside

  explicit operator bool() const noexcept { return place; }
  const std::byte* payload() const noexcept {
    return reinterpret_cast<const std::byte*>(place) - transport::padded(bytes);
  }
  MessageName name() const noexcept { return transport::read_once(&place->name); }
  // A copy of the payload; nullopt: it has another length.
  template <class Body>
  std::optional<Body> as() const noexcept {
    if (bytes != sizeof(Body)) return std::nullopt;
    return transport::read_once(reinterpret_cast<const Body*>(payload()));
  }
};
static_assert(sizeof(Arrived) <= 2 * sizeof(void*) && std::is_trivially_copyable_v<Arrived>);

// In the control ring: a receive waits for a message, and the peer has no credit for it.
struct Ask {
  static constexpr Ordinal kOrdinal = 0;  // of its name there; those of Control begin behind it
  MessageName name;
  std::uint32_t freed;  // how many slots of the ring have been freed
  transport::Ring ring;
};

class Rings {
 public:
  // Both must outlive the rings. The listener says which messages nobody will ever ask for.
  Rings(transport::Link& link, Listener& listener);

  // --- sending

  // Sends one message; its bytes may be reused at once. In the rings for messages by length they
  // are those of the transfer's view if it has one. If there is no slot and no transfer waits for
  // one, `transfer` is the first in line: until it succeeds or leaves the line, no other gets a
  // slot of that ring. Null: never in line (control messages).
  Answer put(transport::Ring ring, const Transfer* transfer, const MessageName& name,
             const void* data, transport::Length bytes) noexcept;
  // Whether there is a slot, and no other transfer is first in line. If there is no slot, the same
  // as for put().
  bool may_put(transport::Ring ring, const Transfer* transfer) noexcept {
    const State& state = at(ring);
    return (connected_ && state.out.has_credit() && !state.first_in_line) ||
           look_for_room(ring, transfer);
  }
  void leave_line(const Transfer& transfer) noexcept;
  // Whether more than half of the peer's slots are free.
  bool half_free(transport::Ring ring) noexcept {
    OutFlow& out = at(ring).out;
    if (!out.half_free() && !out.update(inbox_.reported(ring))) distrust_credits(ring);
    return out.half_free();
  }
  // again; failed once the link has failed.
  Answer not_yet() const noexcept {
    return link_.state().failed() ? Answer::failed : Answer::again;
  }

  // --- receiving

  // The oldest arrived message of that name. Does not ask whether the link has failed: a message
  // that came before is still received, and a poll stays cheap. `transfer` waits for it, and asks
  // for it if need be; null: nobody waits. Inlined, because each poll of a receive comes here:
  // mostly nothing has come, or the oldest of all messages is the one.
  [[gnu::always_inline]] Arrived find(transport::Ring ring, const MessageName& name,
                                      Transfer* transfer = nullptr) noexcept {
    const InFlow& in = at(ring).in;
    if (!in.any_aside()) [[likely]] {
      if (!inbox_.arrived(ring, in.first())) return {};
      const Arrived oldest = read(ring, in.first());
      if (!oldest || oldest.name() == name) [[likely]]
        return oldest;
    }
    return search(ring, name, transfer);
  }
  // The message is about to be delivered: others are likely to come soon.
  void fetch_ahead(transport::Ring ring, const Arrived& message) const noexcept {
    inbox_.fetch_ahead(ring, message.sequence, message.bytes);
  }
  // It was delivered in so many ticks: for its sender, see transport::ReadClock.
  void note_read(const Arrived& message, std::uint64_t ticks) noexcept {
    if (transport::ReadClock* const clock = link_.capabilities().read_clock)
      clock->took(message.bytes.stored(),
                  static_cast<double>(ticks) / static_cast<double>(message.bytes));
  }
  // Frees the message's slot.
  void consume(transport::Ring ring, const Arrived& message) noexcept {
    InFlow& in = at(ring).in;
    if (!in.any_aside() || !release_aside(in, message)) [[likely]]
      in.take(message.sequence);
    if (in.owes_report()) report(ring);
  }
  // For rings that are read in order: calls take(message) for all messages that are there, and
  // consumes them. At most a ringful: a broken peer could go on for ever.
  template <class Take>
  void take_all(transport::Ring ring, Take&& take) noexcept {
    const InFlow& in = at(ring).in;
    for (std::uint32_t left = in.slots(); left > 0 && inbox_.arrived(ring, in.first()); --left) {
      const Arrived message = read(ring, in.first());
      if (!message) return;
      take(message);
      consume(ring, message);
    }
  }
  // Calls visit(ring, message) for what has come and was not consumed.
  void each_unconsumed(FunctionRef<void(transport::Ring, const Arrived&)> visit) noexcept;
  // Frees the slots of messages that nobody will ever ask for.
  void drop_unwanted() noexcept;
  // Tells the peer how many slots are free again, if no message has told it for most of a ring.
  void send_reports() noexcept;
  // A receive has its message, or gets it in another way.
  void stop_asking(transport::Ring ring, Transfer& transfer) noexcept {
    using Phase = Transfer::Phase;
    if (transfer.phase == Phase::begin) [[likely]]
      return;
    if (transfer.phase == Phase::asked) --at(ring).asking;
    if (transfer.phase == Phase::asked || transfer.phase == Phase::starved)
      transfer.phase = Phase::begin;
  }
  // The peer asks for a message.
  void hear(const Ask& ask) noexcept;

  // --- growth

  // A connection is hot when transfers have had to wait for a slot so many times, where to go on in
  // another slot counts as kCut waits, for the packet and its acknowledgement; when this part of
  // the bytes of a large inbox was written to user memory; or when its messages took so many times
  // the bytes of a large inbox.
  static constexpr std::uint32_t kHotWhenShort = 128, kCut = 2;
  static constexpr std::uint64_t kHotWhenWritten = 8, kHotWhenCarried = 4;
  // The longest payload that a slot of the peer's ring takes now.
  Bytes most(transport::Ring ring) const noexcept {
    return link_.outbox().shape()[ring].capacity();
  }
  // Asks for larger inboxes if it is time, and goes over to them when they are there.
  void grow() noexcept {
    if (may_grow_) [[unlikely]]
      look_after_growth();
  }

 private:
  struct State {  // of one ring, both directions
    OutFlow out;
    InFlow in;
    // The transfer that gets the next slot. If others overtook it, they could fill the peer's ring
    // with messages that the peer cannot use yet, and the one that it waits for would find no slot.
    const Transfer* first_in_line = nullptr;
    // Receives that have asked; those that were abandoned count for ever, as their messages may
    // still come.
    std::uint32_t asking = 0;
  };
  State& at(transport::Ring ring) noexcept { return rings_[static_cast<std::size_t>(ring)]; }
  const State& at(transport::Ring ring) const noexcept {
    return rings_[static_cast<std::size_t>(ring)];
  }
  // Every trailer that the peer wrote is read here, and its credits are taken in: they ride on
  // whatever comes. Null if it cannot be: then the link has failed.
  Arrived read(transport::Ring ring, std::uint32_t sequence) noexcept {
    OutFlow& out = at(ring).out;
    const transport::Trailer* const place = inbox_.trailer(ring, sequence);
    const transport::Length bytes = transport::read_once(&place->bytes);
    const std::uint32_t number = transport::read_once(&place->sequence);
    if (number == sequence && bytes <= inbox_.shape()[ring].capacity() &&
        out.update(transport::read_once(&place->consumed))) [[likely]]
      return {place, bytes, sequence};
    distrust(ring, sequence, number, bytes);
    return {};
  }
  bool look_for_room(transport::Ring ring, const Transfer* transfer) noexcept;
  Arrived search(transport::Ring ring, const MessageName& name, Transfer* transfer) noexcept;
  void ask(transport::Ring ring, const MessageName& name, Transfer& transfer,
           std::uint32_t arrived) noexcept;
  bool has_right_to(transport::Ring ring, std::uint32_t arrived) noexcept;
  bool set_aside_all(transport::Ring ring, std::uint32_t arrived) noexcept;
  bool release_aside(InFlow& in, const Arrived& message) noexcept;
  bool asked_for(transport::Ring ring, const MessageName& name) noexcept;
  void forget_old_asks() noexcept;
  void drop_unwanted(transport::Ring ring) noexcept;
  // Calls visit(message), which may consume it, for what has come and is in its slot.
  template <class Visit>
  void each_in_slots(transport::Ring ring, Visit&& visit) noexcept {
    const InFlow& in = at(ring).in;
    const std::uint32_t end = in.end();  // it moves while messages are consumed
    for (std::uint32_t sequence = in.first(); sequence != end && inbox_.arrived(ring, sequence);
         ++sequence) {
      if (in.taken(sequence)) continue;
      const Arrived message = read(ring, sequence);
      if (!message) return;
      visit(message);
    }
  }
  void report(transport::Ring ring) noexcept;
  // The transfer, if there is one, waits for a slot from now on.
  void get_in_line(State& ring, const Transfer* transfer) noexcept {
    if (!transfer || ring.first_in_line) return;
    ring.first_in_line = transfer;
    ++short_of_slots_;
  }
  void look_after_growth() noexcept;
  bool is_hot() const noexcept;
  void grow_in() noexcept;
  void fail_for_memory() noexcept;
  void distrust(transport::Ring ring, std::uint32_t sequence, std::uint32_t number,
                std::uint32_t bytes) noexcept;
  void distrust_credits(transport::Ring ring) noexcept;

  transport::Link& link_;
  transport::Inbox& inbox_;  // the link's
  Listener& listener_;
  bool connected_ = false;  // the link was seen connected: messages may be put
  // One of the two inboxes, or both, may still grow; the connection has asked for that.
  bool may_grow_, asked_for_more_ = false;
  std::uint32_t short_of_slots_ = 0;  // how often
  std::array<State, transport::kRings> rings_;
  Aside aside_;
  // Of the peer: for each receive that waits one, and a call has fewer of these. So many are kept
  // until the old ones among them are looked for.
  static constexpr std::size_t kFewAsks = 16, kMostAsks = std::size_t{1} << kOrdinalBits;
  std::vector<Ask> asks_;
  std::size_t asks_kept_ = kFewAsks;
};

}  // namespace tutti::protocols
