// From the peer's ready entry to the outcome that it is told.
#include "protocols/rendezvous_moves.hpp"

#include <new>
#include <utility>

namespace tutti::protocols {

using Phase = Transfer::Phase;
using transport::Post;
using transport::Ring;

RendezvousMoves::~RendezvousMoves() {
  for (const Parked& parked : parked_) memory_.release(parked.region);
}

Answer RendezvousMoves::send(Transfer& transfer, const MessageName& name, const void* data,
                             Bytes bytes) noexcept {
  if (transfer.phase == Phase::begin)
    if (const Answer answer = write(transfer, name, data, bytes); answer != Answer::done)
      return answer;
  if (transfer.phase == Phase::owes_finished) {
    // On the same queue pair, after the data: it cannot arrive before them.
    if (control_.send_finished(transfer.rendezvous) != Answer::done) return rings_.not_yet();
    transfer.phase = Phase::awaits_completion;
  }
  // A peer that has left has received all that it wanted, but perhaps not acknowledged the last
  // write.
  if (link_.completed() < transfer.ticket && !closed()) return rings_.not_yet();
  --unacknowledged_;
  transfer.phase = Phase::begin;
  memory_.release(std::exchange(transfer.region, nullptr));
  return Answer::done;
}

// Writes the data to the place that the peer's entry names.
Answer RendezvousMoves::write(Transfer& transfer, const MessageName& name, const void* data,
                              Bytes bytes) noexcept {
  take_entries();
  const ReadyEntry* const entry = entry_for(name);
  if (!entry) return Answer::again;
  // The receiver may have given up meanwhile, and its memory may be somebody else's. It has told us
  // so before: read that first.
  control_.read();
  if (listener_.unwanted(name, link_.peer())) return Answer::again;
  if (entry->target.length != static_cast<std::uint64_t>(bytes))
    return complaint_.about_exchange(
        Code::size_mismatch,
        "it expects %lld bytes where %lld are sent: do all ranks pass the same sizes?",
        static_cast<long long>(entry->target.length), bytes);
  if (!memory_.hold(transfer, data, bytes, false)) return Answer::failed;
  const bool notify = link_.notifies();
  switch (link_.write(data, UserMemory::registration(transfer), entry->target,
                      static_cast<std::size_t>(bytes),
                      notify ? std::optional(entry->rendezvous) : std::nullopt, &transfer.ticket)) {
    case Post::again: return rings_.not_yet();
    case Post::failed: return Answer::failed;
    case Post::refused:
      return complaint_.about_exchange(
          Code::bad_buffer,
          "its buffer cannot be written, or this rank's cannot be read: "
          "is each as long as the call says?");
    case Post::done: transfer.ticket = 0; break;
    case Post::posted: break;
  }
  transfer.rendezvous = entry->rendezvous;
  transfer.phase = notify ? Phase::awaits_completion : Phase::owes_finished;
  ++unacknowledged_;
  waiting_.reset(entry->rendezvous);
  return Answer::done;
}

// --- ready entries

// They do not stay in their slots: whatever entries came before it, there is room for the one that
// the next send needs.
void RendezvousMoves::take_entries() noexcept {
  rings_.take_all(Ring::ready, [this](const Arrived& message) {
    const auto entry = message.as<ReadyEntry>();
    if (entry.rendezvous >= kMostRendezvous) return;
    entries_[entry.rendezvous] = {message.trailer->name, entry};
    waiting_.set(entry.rendezvous);
  });
}

const ReadyEntry* RendezvousMoves::entry_for(const MessageName& name) const noexcept {
  for (std::size_t id = 0; id < kMostRendezvous; ++id)
    if (waiting_[id] && entries_[id].name == name) return &entries_[id].entry;
  return nullptr;
}

// The receiver waits for this before it gives its buffer back. It uses the identifier for nothing
// else until then, so the entry is still the one that was taken.
void RendezvousMoves::withdraw() noexcept {
  for (std::uint32_t id = 0; id < kMostRendezvous; ++id) {
    const MessageName& name = entries_[id].name;
    if (waiting_[id] && listener_.unwanted(name, link_.peer())) {
      waiting_.reset(id);
      to_be_withdrawn_.set(id);
    }
    if (to_be_withdrawn_[id] &&
        control_.send_withdrawn(id, listener_.why_unwanted(name.communicator)) == Answer::done)
      to_be_withdrawn_.reset(id);
  }
}

// --- giving up

void RendezvousMoves::abandon(Transfer& transfer) noexcept {
  if (transfer.phase != Phase::owes_finished && transfer.phase != Phase::awaits_completion) return;
  --unacknowledged_;
  if (transfer.phase == Phase::owes_finished) to_be_withdrawn_.set(transfer.rendezvous);
  if (!transfer.region || !adapter_reads(transfer.ticket)) return;
  registration::Region* const region = std::exchange(transfer.region, nullptr);
  try {
    parked_.push_back({region, transfer.ticket});
  } catch (const std::bad_alloc&) {  // better registered for ever than released while it is read
  }
}

void RendezvousMoves::release_parked() noexcept {
  std::erase_if(parked_, [this](const Parked& parked) {
    if (adapter_reads(parked.ticket)) return false;
    memory_.release(parked.region);
    return true;
  });
}

void RendezvousMoves::progress() noexcept {
  take_entries();
  if (waiting_.any() || to_be_withdrawn_.any()) withdraw();
  if (!parked_.empty()) release_parked();
}

}  // namespace tutti::protocols
