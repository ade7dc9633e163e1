// Slots, credits and the search for a name.
#include "protocols/rings.hpp"

#include <cstdio>

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

Rings::Rings(transport::Link& link, Listener& listener) : link_(link), listener_(listener) {
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    const std::uint32_t slots = link.shape().rings[r].slots;
    rings_[r] = {OutFlow(slots), InFlow(slots)};
  }
}

// --- sending

bool Rings::may_put(Ring ring, const Transfer* transfer) noexcept {
  if (!connected_) {
    if (link_.state() == transport::State::connecting) return false;
    connected_ = true;
  }
  auto& [out, in, first_in_line] = at(ring);
  if (transfer && first_in_line && first_in_line != transfer) return false;
  if (!out.has_credit() && !out.update(link_.reported(ring))) fail_for_credits(ring);
  if (!out.has_credit() && transfer) first_in_line = transfer;
  return out.has_credit();
}

Answer Rings::put(Ring ring, const Transfer* transfer, const MessageName& name, const void* data,
                  std::uint32_t bytes) noexcept {
  if (!may_put(ring, transfer)) return not_yet();
  auto& [out, in, first_in_line] = at(ring);
  const Trailer trailer{name, bytes, in.consumed(), out.next_sequence()};
  switch (link_.put(ring, out.next_index(), data, trailer)) {
    case Post::done:
    case Post::posted:
      out.sent();
      in.told();
      if (first_in_line == transfer) first_in_line = nullptr;
      return Answer::done;
    case Post::again:
      if (transfer) first_in_line = transfer;
      return not_yet();
    case Post::refused:
    case Post::failed: break;
  }
  return Answer::failed;
}

void Rings::leave_line(const Transfer& transfer) noexcept {
  for (State& ring : rings_)
    if (ring.first_in_line == &transfer) ring.first_in_line = nullptr;
}

// --- receiving

Arrived Rings::search(Ring ring, const MessageName& name) noexcept {
  if (!aside_.empty())
    if (const Trailer* kept = aside_.find(ring, name)) return {kept, 0, true};
  const InFlow& in = at(ring).in;
  std::uint32_t sequence = in.first();
  for (; sequence != in.end() && link_.arrived(ring, sequence); ++sequence) {
    if (in.taken(sequence)) continue;
    const Arrived message = read(ring, sequence);
    if (!message || message.trailer->name == name) return message;
    if (is_stray(message.trailer->name, name) &&
        listener_.unwanted(message.trailer->name, link_.peer()))
      consume(ring, message);
  }
  if (sequence == in.end()) make_room(ring, name);
  if (in.owes_report()) report(ring);
  return {};
}

// The ring is full, and the wanted message is not in it. Other messages of its call will be asked
// for in time (the verifier proves that one slot is enough for every schedule). Those of other
// calls may not be: the program makes the call after this one, or the call waits for a third rank,
// which may wait for this one.
void Rings::make_room(Ring ring, const MessageName& wanted) noexcept {
  InFlow& in = at(ring).in;
  for (std::uint32_t sequence = in.first(), end = in.end(); sequence != end; ++sequence) {
    if (in.taken(sequence)) continue;
    const Trailer* trailer = read(ring, sequence).trailer;
    if (!trailer) return;
    if (trailer->name.of_same_call(wanted)) continue;
    if (!aside_.keep(ring, trailer)) break;  // a later message must not be found before this one
    in.take(sequence);
  }
}

void Rings::drop_unwanted() noexcept {
  if (!aside_.empty())
    aside_.drop([this](const MessageName& name) { return listener_.unwanted(name, link_.peer()); });
  drop_unwanted(Ring::line);
  drop_unwanted(Ring::small);
  drop_unwanted(Ring::eager);
}

void Rings::drop_unwanted(Ring ring) noexcept {
  const InFlow& in = at(ring).in;
  for (std::uint32_t sequence = in.first(); sequence != in.end() && link_.arrived(ring, sequence);
       ++sequence) {
    if (in.taken(sequence)) continue;
    const Arrived message = read(ring, sequence);
    if (!message) return;
    if (listener_.unwanted(message.trailer->name, link_.peer())) consume(ring, message);
  }
}

void Rings::send_reports() noexcept {
  for (std::size_t r = 0; r < transport::kRings; ++r)
    if (rings_[r].in.owes_report()) report(static_cast<Ring>(r));
}

// If the link has no room now, send_reports() tries again.
void Rings::report(Ring ring) noexcept {
  InFlow& in = at(ring).in;
  if (link_.state() != transport::State::connecting &&
      link_.report(ring, in.consumed()) == Post::done)
    in.told();
}

// A peer that has consumed more than was sent is broken, or not who it seems to be: nothing that it
// says can be trusted.
void Rings::fail_for_credits(Ring ring) noexcept {
  char text[128];
  std::snprintf(
      text, sizeof text,
      "rank %d of MPI_COMM_WORLD gives credits for messages that were never sent (ring %d)",
      link_.peer(), static_cast<int>(ring));
  link_.fail(Code::transport_failed, text);
}

}  // namespace tutti::protocols
