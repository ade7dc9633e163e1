// Eager, pieces and rendezvous, and the credits and control messages between them.
#include "protocols/channel.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

namespace tutti::protocols {

using transport::Link;
using transport::Post;
using transport::Ring;
using transport::State;
using transport::Trailer;

namespace {
constexpr std::size_t at(Ring ring) { return static_cast<std::size_t>(ring); }
constexpr Ring ring_of(Protocol protocol) {
  return static_cast<Ring>(protocol);
}  // line, small, eager: the same numbers
// Where a rendezvous stands. A receive waits for its end; a send tells of it where the wire does
// not, and waits for its own memory.
enum Phase : std::uint8_t { kBegin, kWaitFinished, kTellFinished, kWaitCompletion };
const std::byte* payload_of(const Trailer* trailer) {
  return reinterpret_cast<const std::byte*>(trailer) - transport::padded(trailer->bytes);
}
// Ranks whose calls match send no such message to one that waits for `wanted`: it is of an earlier
// call, or of another one in its place.
constexpr bool cannot_be(const MessageName& came, const MessageName& wanted) {
  if (came.communicator != wanted.communicator) return false;
  const auto ahead = static_cast<std::int32_t>(came.collective - wanted.collective);
  return ahead < 0 || (ahead == 0 && came.mark() != wanted.mark());
}
}  // namespace

Channel::Channel(Link& link, registration::Cache* cache, Listener& listener)
    : link_(link),
      cache_(cache),
      listener_(listener),
      limits_(limits_of(link.shape(), link.writes_directly())) {
  for (std::size_t r = 0; r < transport::kRings; ++r) {
    out_[r] = OutFlow(link.shape().rings[r].slots);
    in_[r] = InFlow(link.shape().rings[r].slots);
  }
}

Channel::~Channel() {
  revoke_abandoned();
  for (const Parked& parked : parked_) cache_->release(parked.region);
}

// --- messages ----------------------------------------------------------------------------------

Answer Channel::send(Transfer& transfer, const MessageName& name, const void* data,
                     Bytes bytes) noexcept {
  const Protocol protocol = protocol_for(bytes, limits_);
  if (protocol <= Protocol::eager)
    return put(ring_of(protocol), &transfer, name, data, static_cast<std::uint32_t>(bytes));
  return protocol == Protocol::pieces ? send_pieces(transfer, name, data, bytes)
                                      : send_rendezvous(transfer, name, data, bytes);
}

Answer Channel::recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                     const Operand* operand) noexcept {
  const Protocol protocol = protocol_for(bytes, limits_);
  if (protocol <= Protocol::eager)
    return receive_eager(ring_of(protocol), name, data, bytes, operand);
  if (protocol == Protocol::pieces) return receive_pieces(transfer, name, data, bytes, operand);
  return receive_rendezvous(transfer, name, data, bytes);
}

// Whether there is a slot, and whether it is this transfer's turn. Null: it needs no turn.
bool Channel::may_put(Ring ring, const Transfer* transfer) noexcept {
  if (!ready_) {
    if (link_.state() == State::connecting) return false;
    ready_ = true;
  }
  const Transfer*& first = turn_[at(ring)];
  if (transfer && first && first != transfer) return false;
  OutFlow& out = out_[at(ring)];
  if (!out.has_credit() && !out.update(link_.reported(ring))) impossible_credit(ring);
  if (!out.has_credit() && transfer) first = transfer;
  return out.has_credit();
}

Answer Channel::put(Ring ring, const Transfer* transfer, const MessageName& name, const void* data,
                    std::uint32_t bytes) noexcept {
  if (!may_put(ring, transfer)) return waiting();
  OutFlow& out = out_[at(ring)];
  InFlow& in = in_[at(ring)];
  const Trailer trailer{name, bytes, in.consumed(), out.next_sequence()};
  switch (link_.put(ring, out.next_index(), data, trailer)) {
    case Post::done:
    case Post::posted:
      out.sent();
      in.told();
      if (turn_[at(ring)] == transfer) turn_[at(ring)] = nullptr;
      return Answer::done;
    case Post::again:
      if (transfer) turn_[at(ring)] = transfer;
      return waiting();
    case Post::refused:
    case Post::failed: break;
  }
  return Answer::failed;
}

// The oldest arrived message of that name. Messages before it stay where they are.
const Trailer* Channel::find(Ring ring, const MessageName& name) noexcept {
  if (!aside_.empty())
    if (const Trailer* kept = aside_.find(ring, name)) return kept;
  InFlow& in = in_[at(ring)];
  std::uint32_t sequence = in.first();
  for (; sequence != in.end() && link_.arrived(ring, sequence); ++sequence) {
    if (in.taken(sequence)) continue;
    const Trailer* trailer = link_.trailer(ring, in.index(sequence));
    // Every look at a trailer is a chance for credits: they ride on whatever comes the other way.
    if (!out_[at(ring)].update(trailer->consumed)) {
      impossible_credit(ring);
      return nullptr;
    }
    if (trailer->name == name) return trailer;
    if (cannot_be(trailer->name, name) && listener_.unwanted(trailer->name, peer()))
      consume(ring, trailer);
  }
  if (sequence == in.end()) make_room(ring, name);
  return nullptr;
}

// The ring is full, and what is wanted is not in it. Other messages of its own communicator will be
// asked for in time (the verifier proves of every schedule that one slot is enough); those of
// others may wait for what the program does after this.
void Channel::make_room(Ring ring, const MessageName& wanted) noexcept {
  InFlow& in = in_[at(ring)];
  for (std::uint32_t sequence = in.first(), end = in.end(); sequence != end; ++sequence) {
    if (in.taken(sequence)) continue;
    const Trailer* trailer = link_.trailer(ring, in.index(sequence));
    if (trailer->name.communicator == wanted.communicator) continue;
    if (!aside_.keep(ring, trailer)) break;  // what comes later must not be found earlier
    in.take(sequence);
  }
  if (in.owes_report()) report(ring);
}

void Channel::consume(Ring ring, const Trailer* trailer) noexcept {
  if (!aside_.empty() && aside_.release(trailer)) return;
  InFlow& in = in_[at(ring)];
  // The sequence is told by the slot, not by the trailer: with arrival by completion the trailer's
  // word is data like any other.
  const auto offset =
      static_cast<std::uint32_t>(reinterpret_cast<const std::byte*>(trailer) -
                                 reinterpret_cast<const std::byte*>(link_.trailer(ring, 0)));
  const std::uint32_t index = offset / link_.shape()[ring].slot_bytes;
  const std::uint32_t slots = link_.shape()[ring].slots;
  in.take(in.first() + ((index - in.index(in.first())) & (slots - 1)));
  if (in.owes_report()) report(ring);
}

void Channel::report(Ring ring) noexcept {
  InFlow& in = in_[at(ring)];
  if (link_.state() != State::connecting && link_.report(ring, in.consumed()) == Post::done)
    in.told();
}

Answer Channel::receive_eager(Ring ring, const MessageName& name, void* data, Bytes bytes,
                              const Operand* operand) noexcept {
  const Trailer* trailer = find(ring, name);
  if (!trailer)
    return Answer::again;  // the executor looks at failures now and then, not at each poll
  if (trailer->bytes != bytes)
    return complain(
        Code::size_mismatch,
        "a message of %lld bytes came where %lld were expected: do all ranks pass the same sizes?",
        trailer->bytes, bytes);
  if (bytes != 0) {
    if (operand)
      operand->apply(payload_of(trailer), data, 0, bytes);
    else
      std::memcpy(data, payload_of(trailer), static_cast<std::size_t>(bytes));
  }
  consume(ring, trailer);
  return Answer::done;
}

// --- pieces: where one copy is forbidden, or slower --------------------------------------------

// All pieces bear the message's name and follow each other in the eager ring, so their order is
// their place.
Answer Channel::send_pieces(Transfer& transfer, const MessageName& name, const void* data,
                            Bytes bytes) noexcept {
  while (transfer.moved < bytes) {
    const auto piece = static_cast<std::uint32_t>(std::min(bytes - transfer.moved, limits_.eager));
    const Answer answer = put(Ring::eager, &transfer, name,
                              static_cast<const std::byte*>(data) + transfer.moved, piece);
    if (answer != Answer::done) return answer;
    transfer.moved += piece;
  }
  return Answer::done;
}

Answer Channel::receive_pieces(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                               const Operand* operand) noexcept {
  while (transfer.moved < bytes) {
    const Trailer* trailer = find(Ring::eager, name);
    if (!trailer) return Answer::again;
    if (trailer->bytes > bytes - transfer.moved)
      return complain(Code::size_mismatch,
                      "a message of more than %lld bytes came where %lld were expected: do all "
                      "ranks pass the same sizes?",
                      bytes, bytes);
    std::byte* const place = static_cast<std::byte*>(data) + transfer.moved;
    if (operand)
      operand->apply(payload_of(trailer), place, transfer.moved, trailer->bytes);
    else
      std::memcpy(place, payload_of(trailer), trailer->bytes);
    transfer.moved += trailer->bytes;
    consume(Ring::eager, trailer);
  }
  return Answer::done;
}

// --- rendezvous --------------------------------------------------------------------------------

bool Channel::register_memory(Transfer& transfer, const void* data, Bytes bytes,
                              bool writable) noexcept {
  if (transfer.region || !link_.registrar()) return true;
  try {
    transfer.region = cache_->acquire(data, static_cast<std::size_t>(bytes), writable);
    return true;
  } catch (const Error& error) {
    complaint_ = error.code;
    std::snprintf(complaint_text_, sizeof complaint_text_, "%s", error.message.c_str());
  } catch (const std::exception& error) {
    complaint_ = Code::out_of_memory;
    std::snprintf(complaint_text_, sizeof complaint_text_, "registering memory failed: %s",
                  error.what());
  }
  return false;
}

Answer Channel::send_rendezvous(Transfer& transfer, const MessageName& name, const void* data,
                                Bytes bytes) noexcept {
  if (transfer.phase == kBegin) {
    take_ready_entries();
    std::size_t found = 0;
    while (found < kRendezvous &&
           !(ready_entry_waits_[found] && ready_entries_[found].name == name))
      ++found;
    if (found == kRendezvous) return Answer::again;
    // The receiver may have given up meanwhile, and its memory be somebody else's: it has said so
    // before that.
    read_control();
    if (listener_.unwanted(name, peer())) return Answer::again;
    const ReadyEntry entry = ready_entries_[found].entry;
    if (entry.target.length != static_cast<std::uint64_t>(bytes))
      return complain(
          Code::size_mismatch,
          "the peer expects %lld bytes where %lld are sent: do all ranks pass the same sizes?",
          static_cast<long long>(entry.target.length), bytes);
    if (!register_memory(transfer, data, bytes, false)) return Answer::failed;
    const bool notify = link_.notifies();
    const transport::Registration none;
    switch (link_.write(data, transfer.region ? transfer.region->registration : none, entry.target,
                        static_cast<std::size_t>(bytes),
                        notify ? std::optional(entry.rendezvous) : std::nullopt,
                        &transfer.ticket)) {
      case Post::again: return waiting();
      case Post::failed: return Answer::failed;
      case Post::refused:
        return complain(
            Code::bad_buffer,
            "its buffer cannot be written, or ours not be read: is each as long as the call says?");
      case Post::done: transfer.ticket = 0; break;
      case Post::posted: break;
    }
    transfer.rendezvous = entry.rendezvous;
    transfer.phase = notify ? kWaitCompletion : kTellFinished;
    ++unacknowledged_;
    ready_entry_waits_.reset(found);
  }
  if (transfer.phase == kTellFinished) {
    // Same queue pair, after the data: it cannot arrive before them.
    if (!tell_finished(transfer.rendezvous)) return waiting();
    transfer.phase = kWaitCompletion;
  }
  // A peer that has left had all that it wanted, but may not have said so of the last write.
  if (link_.completed() < transfer.ticket && !closed()) return waiting();
  --unacknowledged_;
  if (transfer.region) cache_->release(std::exchange(transfer.region, nullptr));
  return Answer::done;
}

Answer Channel::receive_rendezvous(Transfer& transfer, const MessageName& name, void* data,
                                   Bytes bytes) noexcept {
  if (transfer.phase == kBegin) {
    if (!may_take_rendezvous(name.communicator) || !may_put(Ring::ready, &transfer))
      return waiting();
    if (!register_memory(transfer, data, bytes, true)) return Answer::failed;
    std::uint32_t id = 0;
    while (rendezvous_used_[id]) ++id;
    const ReadyEntry entry{
        {reinterpret_cast<std::uint64_t>(data), static_cast<std::uint64_t>(bytes),
         transfer.region ? transfer.region->registration.remote_key : 0},
        id};
    const Answer answer = put(Ring::ready, &transfer, name, &entry, sizeof entry);
    if (answer != Answer::done) return answer;
    rendezvous_used_.set(id);
    rendezvous_finished_.reset(id);
    rendezvous_withdrawn_.reset(id);
    rendezvous_owner_[id] = name.communicator;
    transfer.rendezvous = id;
    transfer.phase = kWaitFinished;
  }
  read_control();
  if (!answered(transfer.rendezvous)) return Answer::again;
  const bool arrived = rendezvous_finished_[transfer.rendezvous];
  rendezvous_used_.reset(transfer.rendezvous);
  transfer.phase = kBegin;
  if (transfer.region) cache_->release(std::exchange(transfer.region, nullptr));
  return arrived
             ? Answer::done
             : complain(
                   withdrawal_code_,
                   "it has given up the call in which it was to send; see the error it returned");
}

// No communicator takes so many that others find none.
bool Channel::may_take_rendezvous(CommunicatorId communicator) const noexcept {
  if (rendezvous_used_.count() < kRendezvous / 2) return true;
  if (rendezvous_used_.all()) return false;
  for (std::size_t id = 0; id < kRendezvous; ++id)
    if (rendezvous_used_[id] && rendezvous_owner_[id] == communicator) return false;
  return true;
}

void Channel::finished(std::uint32_t rendezvous) noexcept {
  if (rendezvous >= kRendezvous) return;
  rendezvous_finished_.set(rendezvous);
  end_abandoned(rendezvous);
}

// "Nothing will come" is another word than "it is there". The communicator has failed at the
// sender, so it has failed here.
void Channel::withdrawn(const Withdrawal& withdrawal) noexcept {
  if (withdrawal.rendezvous >= kRendezvous) return;
  rendezvous_withdrawn_.set(withdrawal.rendezvous);
  withdrawal_code_ = withdrawal.cause.code;
  listener_.hear(withdrawal.cause, peer());
  end_abandoned(withdrawal.rendezvous);
}

void Channel::end_abandoned(std::uint32_t rendezvous) noexcept {
  if (!rendezvous_abandoned_[rendezvous]) return;
  rendezvous_abandoned_.reset(rendezvous);
  rendezvous_used_.reset(rendezvous);
  if (auto* region = std::exchange(abandoned_regions_[rendezvous], nullptr))
    cache_->release(region);
}

template <class Body>
Answer Channel::put_control(Control kind, const Body& body) noexcept {
  return put(Ring::control, nullptr, {0, 0, static_cast<Ordinal>(kind)}, &body, sizeof body);
}

bool Channel::tell_finished(std::uint32_t rendezvous) noexcept {
  return put_control(Control::finished, rendezvous) == Answer::done;
}

// The peer keeps its identifier until the answer, so the entry is still the one that is answered.
bool Channel::tell_withdrawn(std::uint32_t rendezvous) noexcept {
  const CommunicatorId communicator = ready_entries_[rendezvous].name.communicator;
  return put_control(Control::withdrawn,
                     Withdrawal{rendezvous, listener_.why_unwanted(communicator)}) == Answer::done;
}

void Channel::abandon(Transfer& transfer) noexcept {
  for (const Transfer*& first : turn_)
    if (first == &transfer) first = nullptr;
  registration::Region* const region = std::exchange(transfer.region, nullptr);
  if (transfer.phase >= kTellFinished) --unacknowledged_;
  switch (transfer.phase) {
    case kWaitFinished:
      rendezvous_abandoned_.set(transfer.rendezvous);
      abandoned_regions_[transfer.rendezvous] = region;
      if (answered(transfer.rendezvous)) end_abandoned(transfer.rendezvous);
      return;
    case kTellFinished: withdrawals_due_.set(transfer.rendezvous); [[fallthrough]];
    case kWaitCompletion:
      if (region && link_.completed() < transfer.ticket) try {
          parked_.push_back({region, transfer.ticket});
          return;
        } catch (const std::bad_alloc&) {
          return;  // better registered for ever than read by the adapter when it is not
        }
      break;
    default: break;
  }
  if (region) cache_->release(region);
}

void Channel::revoke_abandoned() noexcept {
  for (registration::Region*& region : abandoned_regions_)
    if (region) {
      cache_->revoke(region);
      cache_->release(std::exchange(region, nullptr));
    }
}

void Channel::release_parked() noexcept {
  std::erase_if(parked_, [this](const Parked& parked) {
    if (link_.completed() < parked.ticket && !failed() && !closed()) return false;
    cache_->release(parked.region);
    return true;
  });
}

// Out of their slots, so that the ring has room for the entry that our next send needs, whatever
// came before it.
void Channel::take_ready_entries() noexcept {
  InFlow& in = in_[at(Ring::ready)];
  while (link_.arrived(Ring::ready, in.first())) {
    const Trailer* trailer = link_.trailer(Ring::ready, in.index(in.first()));
    if (!out_[at(Ring::ready)].update(trailer->consumed)) impossible_credit(Ring::ready);
    Ready ready;
    ready.name = trailer->name;
    std::memcpy(&ready.entry, payload_of(trailer), sizeof ready.entry);
    if (ready.entry.rendezvous < kRendezvous) {
      ready_entries_[ready.entry.rendezvous] = ready;
      ready_entry_waits_.set(ready.entry.rendezvous);
    }
    consume(Ring::ready, trailer);
  }
}

// --- control -----------------------------------------------------------------------------------

void Channel::read_control() noexcept {
  while (const auto id = link_.finished()) finished(*id);
  InFlow& in = in_[at(Ring::control)];
  while (link_.arrived(Ring::control, in.first())) {
    const Trailer* trailer = link_.trailer(Ring::control, in.index(in.first()));
    out_[at(Ring::control)].update(trailer->consumed);
    const auto read = [&]<class Body>(Body body) {
      std::memcpy(&body, payload_of(trailer), sizeof body);
      return body;
    };
    switch (static_cast<Control>(trailer->name.ordinal)) {
      case Control::finished: finished(read(std::uint32_t{})); break;
      case Control::withdrawn: withdrawn(read(Withdrawal{})); break;
      case Control::news: listener_.hear(read(News{}), peer()); break;
    }
    consume(Ring::control, trailer);
  }
}

// What will never be asked for must not keep its slot.
void Channel::skip_unwanted(Ring ring) noexcept {
  if (!aside_.empty())
    aside_.drop([this](const MessageName& name) { return listener_.unwanted(name, peer()); });
  InFlow& in = in_[at(ring)];
  for (std::uint32_t sequence = in.first(); sequence != in.end() && link_.arrived(ring, sequence);
       ++sequence) {
    if (in.taken(sequence)) continue;
    const Trailer* trailer = link_.trailer(ring, in.index(sequence));
    out_[at(ring)].update(trailer->consumed);
    if (listener_.unwanted(trailer->name, peer())) consume(ring, trailer);
  }
}

// Entries of calls that have failed here. Their receivers wait for an answer before they give the
// memory back.
void Channel::drop_ready_entries() noexcept {
  for (std::uint32_t id = 0; id < kRendezvous && (ready_entry_waits_ | withdrawals_due_).any();
       ++id) {
    if (ready_entry_waits_[id] && listener_.unwanted(ready_entries_[id].name, peer())) {
      ready_entry_waits_.reset(id);
      withdrawals_due_.set(id);
    }
    if (withdrawals_due_[id] && tell_withdrawn(id)) withdrawals_due_.reset(id);
  }
}

void Channel::progress() noexcept {
  read_control();
  take_ready_entries();
  for (const Ring ring : {Ring::line, Ring::small, Ring::eager}) skip_unwanted(ring);
  drop_ready_entries();
  if (!parked_.empty()) release_parked();
  for (std::size_t r = 0; r < transport::kRings; ++r)
    if (in_[r].owes_report()) report(static_cast<Ring>(r));
  if (news_count_ != 0) send_news();
}

void Channel::announce(const News& news) noexcept {
  if (news_count_ == news_.size()) return;  // full: the peer still gets the earlier ones
  news_[news_count_++] = news;
  send_news();
}

// Never with the last half of the credits: announcements need some.
void Channel::mention(const News& news) noexcept {
  if (news_count_ == 0 && out_[at(Ring::control)].half_free()) put_control(Control::news, news);
}

void Channel::send_news() noexcept {
  while (news_count_ != 0) {
    if (put_control(Control::news, news_[news_count_ - 1]) == Answer::again) return;
    --news_count_;
  }
}

Answer Channel::complain(Code code, const char* format, long long a, long long b) noexcept {
  complaint_ = code;
  const int used = std::snprintf(complaint_text_, sizeof complaint_text_,
                                 "from rank %d of MPI_COMM_WORLD: ", peer());
  std::snprintf(complaint_text_ + used, sizeof complaint_text_ - static_cast<std::size_t>(used),
                format, a, b);
  return Answer::failed;
}

// A peer that has consumed more than was sent is broken, or not who it seems to be: nothing it says
// can be trusted.
Answer Channel::impossible_credit(Ring ring) noexcept {
  char text[128];
  std::snprintf(
      text, sizeof text,
      "rank %d of MPI_COMM_WORLD gives credits for messages that were never sent (ring %d)", peer(),
      static_cast<int>(ring));
  link_.fail(Code::transport_failed, text);
  return Answer::failed;
}

}  // namespace tutti::protocols
