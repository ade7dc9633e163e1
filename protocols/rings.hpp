// Rings: short messages between this rank and one peer, through the slots of two inboxes.
//
// Promises: a message is put only into a slot that is free, and the first transfer that found none
// gets the next one. An arrived message is found by its name, whatever arrived before it, and stays
// in its slot until it is consumed: the memory for messages that nobody waits for yet is the ring
// itself, and credits (flow.hpp) bound it. Nothing blocks.
//
// No message waits until another one is taken, except by the receive that names it: a receive that
// waits while the peer has no credit left asks for its message (asks.hpp).
//
// Where both ends begin with small inboxes, they may grow meanwhile (ring_growth.hpp).
//
// Leaves to the caller: which ring a message takes, and what its payload means. Knows names, slots
// and credits; knows no protocol.
#pragma once

#include "base/function_ref.hpp"
#include "protocols/arrived.hpp"
#include "protocols/aside.hpp"
#include "protocols/asks.hpp"
#include "protocols/news.hpp"
#include "protocols/ring_growth.hpp"
#include "protocols/ring_state.hpp"
#include "protocols/transfer.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

class Rings {
 public:
  // Both must outlive the rings. The listener says which messages nobody will ever ask for.
  Rings(transport::Link& link, Listener& listener);
  Rings(const Rings&) = delete;
  Rings& operator=(const Rings&) = delete;

  // --- sending

  // Sends one message; its bytes may be reused at once. In the rings for messages by length they
  // are those of the transfer's view if it has one. If there is no slot and no transfer waits for
  // one, `transfer` is the first in line: until it succeeds or leaves the line, no other gets a
  // slot of that ring. Null: never in line (control messages).
  Answer put(transport::Ring ring, const Transfer* transfer, const MessageName& name,
             const void* data, transport::Length length) noexcept;
  // Whether there is a slot, and no other transfer is first in line. If there is no slot, the same
  // as for put().
  bool may_put(transport::Ring ring, const Transfer* transfer) noexcept {
    const RingState& state = at(ring);
    return (connected_ && state.out.has_credit() && !state.first_in_line) ||
           look_for_room(ring, transfer);
  }
  void leave_line(const Transfer& transfer) noexcept;
  // Whether more than half of the peer's slots are free.
  bool half_free(transport::Ring ring) noexcept {
    OutFlow& out = at(ring).out;
    if (!out.half_free() && !out.update(inbox_.reported(ring))) fail_for_credits(ring);
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
  // Prefetches the slot of a later message, while that one is delivered.
  void prefetch(transport::Ring ring, const Arrived& message) const noexcept {
    inbox_.prefetch(ring, message.sequence, message.length.bytes());
  }
  // The watch to tell when the message is read; null: the link has none, or set no mark.
  transport::ReadWatch* read_watch(const Arrived& message) const noexcept {
    return message.length.mark() == 0 ? nullptr : link_.capabilities().read_watch;
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
  // Tells the peer how many slots are free again, if no message has told it for most of a ring, or
  // if the last report is so old that the peer could take it for a new one, or the next one for an
  // old one: counts go round.
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

  // The longest payload that a slot of the peer's ring takes now.
  Bytes max_payload(transport::Ring ring) const noexcept {
    return link_.outbox().shape()[ring].capacity();
  }
  // Asks for larger inboxes if it is time, and goes over to them when they are there.
  void grow() noexcept {
    if (growth_.may_grow()) [[unlikely]]
      growth_.progress(
          [this](transport::Ring ring, std::uint32_t sequence) { return read(ring, sequence); });
  }

 private:
  RingState& at(transport::Ring ring) noexcept { return rings_[static_cast<std::size_t>(ring)]; }
  const RingState& at(transport::Ring ring) const noexcept {
    return rings_[static_cast<std::size_t>(ring)];
  }
  // Every trailer that the peer wrote is read here, and its credits are taken in: they ride on
  // whatever comes. Null if it cannot be: then the link has failed.
  Arrived read(transport::Ring ring, std::uint32_t sequence) noexcept {
    OutFlow& out = at(ring).out;
    const transport::Trailer* const place = inbox_.trailer(ring, sequence);
    const transport::Length length = transport::read_once(&place->length);
    const std::uint32_t number = transport::read_once(&place->sequence);
    if (number == sequence && length.bytes() <= inbox_.shape()[ring].capacity() &&
        out.update(transport::read_once(&place->consumed))) [[likely]]
      return {place, length, sequence};
    fail_as_corrupt(ring, sequence, number, length.bytes());
    return {};
  }
  bool look_for_room(transport::Ring ring, const Transfer* transfer) noexcept;
  Arrived search(transport::Ring ring, const MessageName& name, Transfer* transfer) noexcept;
  void ask(transport::Ring ring, const MessageName& name, Transfer& transfer,
           std::uint32_t arrived) noexcept;
  bool has_right_to(transport::Ring ring, std::uint32_t arrived) noexcept;
  bool set_aside_all(transport::Ring ring, std::uint32_t arrived) noexcept;
  bool release_aside(InFlow& in, const Arrived& message) noexcept;
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
  void get_in_line(RingState& ring, const Transfer* transfer) noexcept {
    if (!transfer || ring.first_in_line) return;
    ring.first_in_line = transfer;
    growth_.note_wait();
  }
  void fail_for_memory() noexcept;
  void fail_as_corrupt(transport::Ring ring, std::uint32_t sequence, std::uint32_t number,
                       std::uint32_t bytes) noexcept;
  void fail_for_credits(transport::Ring ring) noexcept;

  transport::Link& link_;
  transport::Inbox& inbox_;  // the link's
  Listener& listener_;
  bool connected_ = false;  // the link was seen connected: messages may be put
  RingGrowth growth_;
  RingStates rings_;
  const std::uint32_t most_unreported_;  // credits
  Aside aside_;
  Asks asks_;  // of the peer
};

}  // namespace tutti::protocols
