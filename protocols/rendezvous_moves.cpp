// The moving half of rendezvous: from the peer's ready entry to the outcome that it gets.
#include "protocols/rendezvous_moves.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace tutti::protocols {

using Phase = Transfer::Phase;
using transport::Post;
using transport::Ring;

namespace {

// Without the bytes that were written.
transport::RemoteKey rest_of(transport::RemoteKey memory, Bytes moved) noexcept {
  memory.address += static_cast<std::uint64_t>(moved);
  memory.length -= static_cast<std::uint64_t>(moved);
  return memory;
}

}  // namespace

RendezvousMoves::~RendezvousMoves() { release_abandoned(); }

Answer RendezvousMoves::move(Access access, Transfer& transfer, const MessageName& name, void* data,
                             Bytes bytes) noexcept {
  if (transfer.phase <= Phase::writes_parts)
    if (const Answer answer = start(access, transfer, name, data, bytes); answer != Answer::done)
      return answer;
  if (transfer.phase == Phase::owes_finished) {
    // The data is there: the writes of a link that does not notify have ended when they are done.
    if (control_.send_finished(transfer.rendezvous) != Answer::done) return rings_.not_yet();
    transfer.phase = Phase::awaits_completion;
  }
  // A peer that has left has received all that it wanted, but perhaps not acknowledged the last
  // write.
  if (link_.completed() < transfer.ticket && !closed()) return rings_.not_yet();
  --unacknowledged_;
  transfer.phase = Phase::begin;
  memory_.release(transfer);
  return Answer::done;
}

bool RendezvousMoves::may_receive(const Transfer& transfer, const MessageName& name) noexcept {
  if (transfer.phase == Phase::owes_finished || transfer.phase == Phase::awaits_completion)
    return true;
  take_entries();
  return waiting_.any() && entry_for(Access::read, name);
}

// Moves the data between `data` and the place that the peer's entry names.
Answer RendezvousMoves::start(Access access, Transfer& transfer, const MessageName& name,
                              void* data, Bytes bytes) noexcept {
  take_entries();
  const ReadyEntry* const entry = entry_for(access, name);
  if (!entry) {
    request(access, transfer, name);
    return Answer::again;
  }
  // The peer may have given up meanwhile, and its memory may be somebody else's. It has told us so
  // before: read that first.
  control_.read();
  if (listener_.unwanted(name, link_.peer())) return Answer::again;
  const bool writes = access == Access::write;
  if (entry->memory.length != static_cast<std::uint64_t>(bytes)) {
    const auto theirs = static_cast<long long>(entry->memory.length);
    return complaint_.about_exchange(
        Code::calls_differ,
        "%lld bytes are expected where %lld are sent: do all ranks pass the same sizes?",
        writes ? theirs : bytes, writes ? bytes : theirs);
  }
  switch (memory_.hold(transfer, data, bytes, !writes)) {
    case UserMemory::Hold::failed: return Answer::failed;
    // Registering may take long: the peer may have given up meanwhile, without an answer from this
    // rank. Its news is polled before anything is written.
    case UserMemory::Hold::registered: return rings_.not_yet();
    case UserMemory::Hold::held: break;
  }
  if (transfer.phase != Phase::writes_parts) transfer.ticket = 0;
  switch (!writes         ? fetch(*entry, transfer, data, bytes)
          : transfer.view ? write_packed(*entry, transfer, data, bytes)
                          : write_in_parts(*entry, transfer, data, bytes)) {
    case Post::again: return rings_.not_yet();
    case Post::failed: park(transfer); return Answer::failed;
    case Post::refused:
      return complaint_.about_exchange(Code::bad_buffer,
                                       "its buffer cannot be accessed, or this rank's cannot: is "
                                       "each as long as the call says?");
    case Post::done:
    case Post::posted: break;
  }
  transfer.rendezvous = entry->rendezvous;
  transfer.phase =
      writes && link_.capabilities().notifies ? Phase::awaits_completion : Phase::owes_finished;
  ++unacknowledged_;
  waiting_.reset(entry->rendezvous);
  return Answer::done;
}

// again, too, if the peer has revoked the invitation: it has failed, and will say why.
Post RendezvousMoves::write(const ReadyEntry& entry, const transport::RemoteKey& target,
                            Transfer& transfer, const void* data, Bytes bytes) noexcept {
  transport::Revocation* const revocation = link_.capabilities().revocation;
  if (revocation && !revocation->enter(entry.rendezvous)) return Post::again;
  const Post post =
      link_.write(data, UserMemory::registration(transfer), target, static_cast<std::size_t>(bytes),
                  link_.capabilities().notifies ? std::optional(entry.rendezvous) : std::nullopt,
                  &transfer.ticket);
  if (revocation) revocation->leave(entry.rendezvous);
  return post;
}

// Packs the next part. While the peer's entry is not here, each attempt packs one more. Data that
// go to several peers are packed as a whole: their transfers, each at another place, would pack
// parts anew that others have packed.
void RendezvousMoves::pack_part(Transfer& transfer, const void* data, Bytes bytes) noexcept {
  const Bytes rest = bytes - transfer.brought;
  if (rest == 0) return;
  transport::Parts* const parts = link_.capabilities().parts;
  const auto part = parts && !transfer.view->is_read_often()
                        ? static_cast<Bytes>(parts->part_bytes(static_cast<std::size_t>(bytes)))
                        : 0;
  const Bytes now = part == 0 ? rest : std::min(part, rest);
  transfer.view->bring(static_cast<const std::byte*>(data) + transfer.brought, now);
  transfer.brought += now;
}

// Packs each part while the one before it is on its way.
Post RendezvousMoves::write_packed(const ReadyEntry& entry, Transfer& transfer, const void* data,
                                   Bytes bytes) noexcept {
  while (transfer.brought < bytes) {
    if (transfer.brought > transfer.moved)
      if (const Post post = write_part(entry, transfer, data, transfer.brought - transfer.moved);
          post != Post::posted)
        return post;
    pack_part(transfer, data, bytes);
  }
  return write_in_parts(entry, transfer, data, bytes);
}

// The rest of the message goes in as few parts as the link allows. The last part is written as a
// whole message is, and it alone notifies.
Post RendezvousMoves::write_in_parts(const ReadyEntry& entry, Transfer& transfer, const void* data,
                                     Bytes bytes) noexcept {
  if (transport::Parts* const parts = link_.capabilities().parts)
    for (;;) {
      const auto rest = static_cast<std::size_t>(bytes - transfer.moved);
      const std::size_t most = parts->most_at_once(rest);
      if (most == 0) return Post::again;
      if (rest <= most) break;
      if (const Post post = write_part(entry, transfer, data, static_cast<Bytes>(most));
          post != Post::posted)
        return post;
    }
  const Post post =
      write(entry, rest_of(entry.memory, transfer.moved), transfer,
            static_cast<const std::byte*>(data) + transfer.moved, bytes - transfer.moved);
  if (post == Post::posted) parts_[entry.rendezvous] = 0;
  return post;
}

// A link that has parts has no invitations that can be revoked: the peer asks what is under way.
Post RendezvousMoves::write_part(const ReadyEntry& entry, Transfer& transfer, const void* data,
                                 Bytes bytes) noexcept {
  const Post post = link_.capabilities().parts->write_part(
      static_cast<const std::byte*>(data) + transfer.moved, UserMemory::registration(transfer),
      rest_of(entry.memory, transfer.moved), static_cast<std::size_t>(bytes), entry.rendezvous,
      &transfer.ticket);
  if (post != Post::posted) return post;
  transfer.moved += bytes;
  transfer.rendezvous = entry.rendezvous;
  transfer.phase = Phase::writes_parts;
  parts_[entry.rendezvous] = transfer.ticket;
  return post;
}

// again, too, if the peer has revoked the invitation: its program may have changed the buffer
// since, and what was read may be that.
Post RendezvousMoves::fetch(const ReadyEntry& entry, const Transfer& transfer, void* data,
                            Bytes bytes) noexcept {
  transport::Fetching& fetching = *link_.capabilities().fetching;
  const auto length = static_cast<std::size_t>(bytes);
  const Post post = transfer.view
                        ? fetching.fetch_packed(*transfer.view, static_cast<std::byte*>(data),
                                                entry.memory, length)
                        : fetching.fetch(data, entry.memory, length);
  const transport::Revocation* const revocation = link_.capabilities().revocation;
  const bool counts = !revocation || !revocation->is_revoked(entry.rendezvous);
  return post == Post::failed || counts ? post : Post::again;
}

// Requests an entry, once. Before half of its identifiers are used the peer sends an entry at once;
// if that many entries wait here, it may have to save identifiers. Without room for the request the
// next poll tries again.
void RendezvousMoves::request(Access access, Transfer& transfer, const MessageName& name) noexcept {
  if (transfer.phase == Phase::begin && waiting_.count() >= kMostRendezvous / 2 &&
      control_.send_request({name, access}) == Answer::done)
    transfer.phase = Phase::asked;
}

// --- ready entries

// They do not stay in their slots: whatever entries came before it, there is room for the one that
// the next transfer needs.
void RendezvousMoves::take_entries() noexcept {
  rings_.take_all(Ring::ready, [this](const Arrived& message) {
    const auto entry = message.as<ReadyEntry>();
    if (!entry || !entry->credible(link_.capabilities().fetching))
      return link_.fail_as_corrupt("its ready entry of %lld bytes makes no sense",
                                   message.length.bytes());
    const std::uint32_t id = entry->rendezvous;
    if (waiting_[id] || to_be_withdrawn_[id])
      return link_.fail_as_corrupt("it has sent two ready entries for transfer %lld", id);
    entries_[id] = {message.name(), *entry};
    waiting_.set(id);
  });
}

const ReadyEntry* RendezvousMoves::entry_for(Access access,
                                             const MessageName& name) const noexcept {
  for (std::size_t id = 0; id < kMostRendezvous; ++id)
    if (waiting_[id] && entries_[id].name == name && entries_[id].entry.access == access)
      return &entries_[id].entry;
  return nullptr;
}

// The inviting rank waits for this before it gives its buffer back. It uses the identifier for
// nothing else until then, so the entry is still the one that was taken.
void RendezvousMoves::withdraw() noexcept {
  for (std::uint32_t id = 0; id < kMostRendezvous; ++id) {
    const MessageName& name = entries_[id].name;
    if (waiting_[id] && listener_.unwanted(name, link_.peer())) {
      waiting_.reset(id);
      to_be_withdrawn_.set(id);
    }
    if (to_be_withdrawn_[id] && gave_parts_up(id) &&
        control_.send_withdrawn(id, listener_.why_unwanted(name, link_.peer())) == Answer::done)
      to_be_withdrawn_.reset(id);
  }
}

// Whether no part is on its way of a message whose end will not come: the peer may use its buffer
// when it knows.
bool RendezvousMoves::gave_parts_up(std::uint32_t id) noexcept {
  if (parts_[id] == 0) return true;
  if (link_.completed() < parts_[id]) return false;
  parts_[id] = 0;
  link_.capabilities().parts->give_up(id);
  return true;
}

// --- giving up

// A message that was written in part still has its entry here, and that gets withdrawn.
void RendezvousMoves::abandon(Transfer& transfer) noexcept {
  if (transfer.phase == Phase::writes_parts) return park(transfer);
  if (transfer.phase != Phase::owes_finished && transfer.phase != Phase::awaits_completion) return;
  --unacknowledged_;
  if (transfer.phase == Phase::owes_finished) to_be_withdrawn_.set(transfer.rendezvous);
  park(transfer);
}

void RendezvousMoves::park(Transfer& transfer) noexcept {
  if (!adapter_reads(transfer.ticket)) return;
  abandoned_ = std::max(abandoned_, transfer.ticket);
  registration::Region* const region = memory_.take(transfer);
  if (!region) return;
  try {
    parked_.push_back({region, transfer.ticket});
  } catch (const std::bad_alloc&) {  // better registered for ever than released while it is read
  }
}

void RendezvousMoves::release(const Parked& parked) noexcept {
  parked.revoked ? memory_.release_revoked(parked.region) : memory_.release(parked.region);
}

void RendezvousMoves::release_parked() noexcept {
  std::erase_if(parked_, [this](const Parked& parked) {
    if (adapter_reads(parked.ticket)) return false;
    release(parked);
    return true;
  });
}

void RendezvousMoves::revoke_abandoned() noexcept {
  for (Parked& parked : parked_)
    if (!std::exchange(parked.revoked, true)) memory_.revoke(parked.region);
}

// The adapter may go on: it has lost the right, unless others use the region.
void RendezvousMoves::release_abandoned() noexcept {
  for (const Parked& parked : parked_) release(parked);
  parked_.clear();
  abandoned_ = 0;
}

void RendezvousMoves::progress() noexcept {
  take_entries();
  if (waiting_.any() || to_be_withdrawn_.any()) withdraw();
  if (!parked_.empty()) release_parked();
}

}  // namespace tutti::protocols
