// Models attempts to send and receive as protocols/rings.cpp, eager.hpp and pieces.cpp make them.
#include "collectives/analysis/shared_ring.hpp"

#include <algorithm>
#include <type_traits>

namespace tutti::collectives {
namespace {

template <class Value>
void append_bytes(std::string& key, const Value& value) {
  static_assert(std::has_unique_object_representations_v<Value>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void append_all(std::string& key, const std::vector<MessageNumber>& messages) {
  append_bytes(key, static_cast<std::uint8_t>(messages.size()));
  for (const MessageNumber message : messages) append_bytes(key, message);
}

}  // namespace

// --- the sender

bool SharedRing::look_for_room(MessageNumber message) noexcept {
  if (first_in_line_ != kNoMessage && first_in_line_ != message) return false;
  if (!out_.has_credit() && !out_.update(seen_)) fault_ = "credit for messages never sent";
  if (!out_.has_credit()) first_in_line_ = message;
  return out_.has_credit();
}

bool SharedRing::asked_for(MessageNumber message) const noexcept {
  return std::any_of(asks_.begin(), asks_.end(), [&](const Ask& ask) {
    return ask.message == message && out_.finds_slot(ask.freed);
  });
}

Change SharedRing::put(MessageNumber message, bool last) {
  const MessageNumber line = first_in_line_;
  const bool may = (out_.has_credit() && line == kNoMessage) || look_for_room(message);
  if (!may && !asked_for(message))
    return first_in_line_ == line ? Change::nothing : Change::lined_up;
  if (in_slots_.size() >= rules_.slots) fault_ = "a message is put into a slot that is not free";
  in_slots_.push_back(message);
  out_.sent();
  if (first_in_line_ == message) first_in_line_ = kNoMessage;
  std::erase_if(asks_, [&](const Ask& ask) {
    return !out_.finds_slot(ask.freed) || (last && ask.message == message);
  });
  return Change::sent;
}

// --- the receiver

bool SharedRing::has_arrived(std::uint32_t sequence) const noexcept {
  return static_cast<std::int32_t>(arrived_ - sequence) >= 0;
}

Change SharedRing::receive(MessageNumber message, int pieces, Waiting& waiting) {
  if (!in_.any_aside()) {
    if (!has_arrived(in_.first())) return Change::nothing;
    if (at(in_.first()) == message) return take(in_.first(), pieces, waiting, false);
  } else if (const auto kept = std::find(aside_.begin(), aside_.end(), message);
             kept != aside_.end()) {
    aside_.erase(kept);
    in_.take_aside();
    if (in_.owes_report()) report();
    return took(pieces, waiting, true);
  }
  std::uint32_t sequence = in_.first();
  for (; sequence != in_.end() && has_arrived(sequence); ++sequence)
    if (!in_.taken(sequence) && at(sequence) == message)
      return take(sequence, pieces, waiting, true);
  const std::uint32_t arrived = sequence - 1;
  const bool reports = rules_.reports_early ? in_.owes_report(arrived) : in_.owes_report();
  if (reports) report();
  Change asked = Change::nothing;
  if (rules_.sets_aside && in_.exhausts_slots(arrived)) asked = ask(message, arrived, waiting);
  return asked == Change::nothing && reports ? Change::reported : asked;
}

Change SharedRing::take(std::uint32_t sequence, int pieces, Waiting& waiting, bool searched) {
  at(sequence) = kNoMessage;
  in_.take(sequence);
  leave_slots();
  if (in_.owes_report()) report();
  return took(pieces, waiting, searched);
}

// Ends a receive as receive_eager() and receive_pieces() do.
Change SharedRing::took(int pieces, Waiting& waiting, bool searched) {
  using Phase = Waiting::Phase;
  if (++waiting.pieces == pieces) {
    if (waiting.phase == Phase::asked && (searched || pieces > 1)) --asking_;
    waiting = {.phase = Phase::begin, .pieces = waiting.pieces, .ticket = 0};
  }
  return Change::received;
}

// Forgets the messages whose slots are free now.
void SharedRing::leave_slots() {
  const std::uint32_t left = out_.count() - in_.freed();
  in_slots_.erase(in_slots_.begin(), in_slots_.end() - static_cast<std::ptrdiff_t>(left));
}

void SharedRing::report() noexcept {
  in_.told();
  reported_ = in_.consumed();
}

Change SharedRing::ask(MessageNumber message, std::uint32_t arrived, Waiting& waiting) {
  using Phase = Waiting::Phase;
  if (waiting.phase == Phase::asked) {
    if (static_cast<std::int32_t>(arrived - waiting.ticket) < 0) return Change::nothing;
  } else if (waiting.phase == Phase::begin || waiting.ticket != in_.consumed()) {
    waiting.phase = Phase::starved;
    waiting.ticket = in_.consumed();
    return Change::starved;
  }
  if (arrived - in_.consumed() > (asking_ + 2) * rules_.slots)
    fault_ = "a sender with every right to send counts as corrupt at the receiver";
  const std::uint32_t before = in_.freed();
  while (static_cast<std::int32_t>(arrived - in_.freed()) > 0) {
    aside_.push_back(at(in_.first()));
    in_.set_first_aside();
    leave_slots();
  }
  std::sort(aside_.begin(), aside_.end());
  if (ask_on_its_way_) return in_.freed() == before ? Change::nothing : Change::set_aside;
  ask_on_its_way_ = Ask{message, in_.freed()};
  if (waiting.phase != Phase::asked) ++asking_;
  waiting.phase = Phase::asked;
  waiting.ticket = in_.freed() + in_.slots();
  return Change::asked;
}

// --- between both

Change SharedRing::arrive() noexcept {
  if (arrived_ == out_.count()) return Change::nothing;
  ++arrived_;
  return Change::arrived;
}

Change SharedRing::tell() noexcept {
  if (seen_ == reported_) return Change::nothing;
  seen_ = reported_;
  return Change::told;
}

Change SharedRing::hear() {
  if (!ask_on_its_way_) return Change::nothing;
  if (!out_.has_sent(ask_on_its_way_->freed)) fault_ = "an ask that speaks of messages never sent";
  if (out_.finds_slot(ask_on_its_way_->freed)) asks_.push_back(*ask_on_its_way_);
  ask_on_its_way_.reset();
  return Change::heard;
}

void SharedRing::append_key(std::string& key) const {
  append_bytes(key, out_);
  append_bytes(key, first_in_line_);
  append_bytes(key, seen_);
  append_bytes(key, static_cast<std::uint8_t>(asks_.size()));
  for (const Ask& ask : asks_) append_bytes(key, ask);
  append_all(key, in_slots_);
  append_bytes(key, arrived_);
  append_bytes(key, static_cast<std::uint8_t>(ask_on_its_way_ ? 1 : 0));
  if (ask_on_its_way_) append_bytes(key, *ask_on_its_way_);
  append_bytes(key, in_);
  append_bytes(key, reported_);
  append_bytes(key, asking_);
  append_all(key, aside_);
}

}  // namespace tutti::collectives
