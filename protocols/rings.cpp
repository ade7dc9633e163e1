// Sends and finds messages in the rings: slots, credits, and the search for a name.
#include "protocols/rings.hpp"

namespace tutti::protocols {

using transport::Post;
using transport::Ring;
using transport::Trailer;

namespace {

// Whether a message that came cannot be of a call that this rank will still make, if it now waits
// for `wanted`: it is of an earlier call, or of another call with the same number. Ranks whose
// calls match send no such message.
constexpr bool is_stray(const MessageName& came, const MessageName& wanted) {
  if (came.of_same_call(wanted)) return came.mark() != wanted.mark();
  return came.communicator == wanted.communicator && is_earlier(came.collective, wanted.collective);
}

}  // namespace

Rings::Rings(transport::Link& link, Listener& listener)
    : link_(link),
      inbox_(link.inbox()),
      listener_(listener),
      growth_(link, rings_),
      most_unreported_(1u << (link.capabilities().report_bits - 2)) {
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    const bool rarely =
        link.capabilities().reports_by_packets && static_cast<Ring>(r) <= Ring::eager;
    const Reports reports = rarely ? Reports::late : Reports::at_half;
    rings_[r] = {OutFlow(link.outbox().shape().rings[r].slots),
                 InFlow(link.inbox().shape().rings[r].slots, reports)};
  }
}

// --- sending

bool Rings::look_for_room(Ring ring, const Transfer* transfer) noexcept {
  if (!connected_) {
    if (link_.state() == transport::State::connecting) return false;
    connected_ = true;
  }
  RingState& state = at(ring);
  if (transfer && state.first_in_line && state.first_in_line != transfer) return false;
  OutFlow& out = state.out;
  if (!out.has_credit() && !out.update(inbox_.reported(ring))) fail_for_credits(ring);
  if (!out.has_credit()) get_in_line(state, transfer);
  return out.has_credit();
}

Answer Rings::put(Ring ring, const Transfer* transfer, const MessageName& name, const void* data,
                  transport::Length length) noexcept {
  RingState& state = at(ring);
  if (!may_put(ring, transfer) && !asks_.allow(name, state.out)) return not_yet();
  auto& [out, in, first_in_line, asking, reported] = state;
  const Trailer trailer{name, length, in.consumed(), out.next_sequence()};
  PackedView* const view = transfer && ring <= Ring::eager ? transfer->view : nullptr;
  const Post post = view ? link_.put_packed(ring, out.next_index(), *view,
                                            static_cast<const std::byte*>(data), trailer)
                         : link_.put(ring, out.next_index(), data, trailer);
  switch (post) {
    case Post::done:
    case Post::posted:
      out.sent();
      in.told();
      if (first_in_line == transfer) first_in_line = nullptr;
      if (length.more()) growth_.note_cut();
      return Answer::done;
    case Post::again: get_in_line(state, transfer); return not_yet();
    case Post::refused:
    case Post::failed: break;
  }
  return Answer::failed;
}

void Rings::leave_line(const Transfer& transfer) noexcept {
  for (RingState& ring : rings_)
    if (ring.first_in_line == &transfer) ring.first_in_line = nullptr;
}

// --- receiving

// All that has come, by name; find() did not see it at once.
Arrived Rings::search(Ring ring, const MessageName& name, Transfer* transfer) noexcept {
  const InFlow& in = at(ring).in;
  if (in.any_aside())
    if (const Trailer* kept = aside_.find(ring, name)) return {kept, kept->length};
  std::uint32_t sequence = in.first();
  for (; sequence != in.end() && inbox_.arrived(ring, sequence); ++sequence) {
    if (in.taken(sequence)) continue;
    const Arrived message = read(ring, sequence);
    if (!message || message.name() == name) return message;
    if (is_stray(message.name(), name) && listener_.unwanted(message.name(), link_.peer()))
      consume(ring, message);
  }
  // A peer that knows of no credit is told of each one that it has; only one that has none is
  // asked.
  const std::uint32_t arrived = sequence - 1;
  if (in.owes_report(arrived)) report(ring);
  if (transfer && in.exhausts_slots(arrived)) ask(ring, name, *transfer, arrived);
  return {};
}

// Each poll of a rank that waits comes here, and mostly nothing is there.
void Rings::drop_unwanted() noexcept {
  for (const Ring ring : {Ring::line, Ring::small, Ring::eager}) {
    const InFlow& in = at(ring).in;
    if (in.any_aside() || inbox_.arrived(ring, in.first())) drop_unwanted(ring);
  }
}

void Rings::drop_unwanted(Ring ring) noexcept {
  InFlow& in = at(ring).in;
  if (in.any_aside())
    in.take_aside(aside_.drop(
        ring, [this](const MessageName& name) { return listener_.unwanted(name, link_.peer()); }));
  each_in_slots(ring, [&](const Arrived& message) {
    if (listener_.unwanted(message.name(), link_.peer())) consume(ring, message);
  });
}

void Rings::each_unconsumed(FunctionRef<void(Ring, const Arrived&)> visit) noexcept {
  for (const Ring ring : {Ring::line, Ring::small, Ring::eager})
    each_in_slots(ring, [&](const Arrived& message) { visit(ring, message); });
  aside_.each([&](Ring ring, const Trailer* kept) { visit(ring, {kept, kept->length}); });
}

// false: the message is in its slot.
bool Rings::release_aside(InFlow& in, const Arrived& message) noexcept {
  if (!aside_.release(message.place)) return false;
  in.take_aside();
  return true;
}

void Rings::send_reports() noexcept {
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    const RingState& ring = rings_[r];
    if (ring.in.owes_report() || ring.in.consumed() - ring.reported >= most_unreported_)
      report(static_cast<Ring>(r));
  }
}

// If the link has no room now, send_reports() tries again.
void Rings::report(Ring ring) noexcept {
  RingState& state = at(ring);
  const std::uint32_t credits = state.in.consumed();
  if (link_.state() == transport::State::connecting || link_.report(ring, credits) != Post::done)
    return;
  state.in.told();
  state.reported = credits;
}

// --- asks (asks.hpp)

// `arrived` messages have come, and the wanted one is not among them. The first poll that finds
// this only notes it, because receives that are polled next may take what is there. If there is no
// room for the ask, the next poll sends it.
void Rings::ask(Ring ring, const MessageName& name, Transfer& transfer,
                std::uint32_t arrived) noexcept {
  using Phase = Transfer::Phase;
  const InFlow& in = at(ring).in;
  if (transfer.phase == Phase::asked) {
    if (static_cast<std::int32_t>(arrived - transfer.ticket) < 0) return;
  } else if (transfer.phase == Phase::begin || transfer.ticket != in.consumed()) {
    transfer.phase = Phase::starved;
    transfer.ticket = in.consumed();
    return;
  }
  if (!has_right_to(ring, arrived) || !set_aside_all(ring, arrived)) return;
  const Ask ask{name, in.freed(), ring};
  const transport::Length length(sizeof ask);
  if (put(Ring::control, nullptr, {0, 0, Ask::kOrdinal}, &ask, length) != Answer::done) return;
  if (transfer.phase != Phase::asked) ++at(ring).asking;
  transfer.phase = Phase::asked;
  transfer.ticket = ask.freed + in.slots();
}

// Whether the peer may have sent so many: by credit, and for the receives that have asked, with the
// one that is about to. It may know of the larger ring already.
bool Rings::has_right_to(Ring ring, std::uint32_t arrived) noexcept {
  const std::uint64_t slots = link_.outbox().full_shape()[ring].slots;
  const auto& [out, in, first_in_line, asking, reported] = at(ring);
  if (std::uint32_t{arrived - in.consumed()} <= (std::uint64_t{asking} + 2) * slots) return true;
  link_.fail_as_corrupt("it has sent messages for which it had no credit (ring %lld)",
                        static_cast<long long>(ring));
  return false;
}

// Empties the slots of the first `arrived` messages.
bool Rings::set_aside_all(Ring ring, std::uint32_t arrived) noexcept {
  InFlow& in = at(ring).in;
  while (static_cast<std::int32_t>(arrived - in.freed()) > 0) {
    const Arrived message = read(ring, in.first());
    if (!message) return false;
    // Without the mark: what is read is a copy.
    const transport::Length length(message.length.bytes(), message.length.more());
    if (!aside_.keep(ring, {message.name(), length, 0, 0}, message.payload())) {
      fail_for_memory();
      return false;
    }
    in.set_first_aside();
  }
  return true;
}

void Rings::hear(const Ask& ask) noexcept {
  if (ask.ring > Ring::eager || !at(ask.ring).out.has_sent(ask.freed))
    return fail_for_credits(ask.ring);
  switch (asks_.keep(ask.name, at(ask.ring).out, ask.freed)) {
    case Asks::Kept::yes: return;
    case Asks::Kept::too_many:
      return link_.fail_as_corrupt("it has asked for more than %lld messages", Asks::kMost);
    case Asks::Kept::no_memory: return fail_for_memory();
  }
}

// --- failures

void Rings::fail_for_memory() noexcept {
  link_.fail(Code::out_of_memory, "no memory for messages that came before they were waited for",
             Fault::of_this_rank);
}

// Says what is wrong with message number `sequence`.
void Rings::fail_as_corrupt(Ring ring, std::uint32_t sequence, std::uint32_t number,
                            std::uint32_t bytes) noexcept {
  const std::uint32_t capacity = inbox_.shape()[ring].capacity();
  if (number != sequence)
    link_.fail_as_corrupt("its message number %lld carries the number %lld", sequence, number);
  else if (bytes > capacity)
    link_.fail_as_corrupt("a message of %lld bytes came through slots of %lld", bytes, capacity);
  else
    fail_for_credits(ring);
}

void Rings::fail_for_credits(Ring ring) noexcept {
  link_.fail_as_corrupt("it gives credits for messages that were never sent (ring %lld)",
                        static_cast<long long>(ring));
}

}  // namespace tutti::protocols
