// Stores, the kernel's copy, and the lock that tells of the peer's death.
#include "transport/shm/link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

namespace tutti::transport::shm {

ShmLink::ShmLink(const InboxShape& shape, int peer, Segment& segment, int local_rank,
                 int local_peer)
    : Link(shape, peer),
      segment_(segment),
      local_rank_(local_rank),
      local_peer_(local_peer),
      peer_inbox_(segment.inbox(local_peer, local_rank)),
      my_marks_(segment.marks(local_peer, local_rank)),
      peers_marks_(segment.marks(local_rank, local_peer)),
      my_invitations_(segment.invitations(local_rank, local_peer)),
      peer_invitations_(segment.invitations(local_peer, local_rank)),
      pid_(segment.member(local_peer).pid),
      copy_(segment.copy(local_peer)),
      stores_(shape[Ring::eager].slots, segment.read_times(local_rank, local_peer)),
      reads_(segment.read_times(local_peer, local_rank)) {
  inbox_ = segment.inbox(local_rank, local_peer);
  credits_ = reinterpret_cast<const std::uint32_t*>(inbox_);
  constexpr auto line = static_cast<std::size_t>(Ring::line);
  note_allocated(Ring::line, first_slots(shape));
  open_ = 1u << line;
  opened_ = &peers_marks_;
  // The link is made all the same: what a peer wrote before it died may still be read.
  if (!segment_.lives(local_peer_) && segment_.member(local_peer_).farewell == 0)
    peer_is_gone("its process no longer exists");
  else
    state_.store(State::ready, std::memory_order_release);
}

Post ShmLink::put(Ring ring, std::uint32_t index, const void* payload,
                  const Trailer& trailer) noexcept {
  if (failed()) return Post::failed;
  if (index >= allocated_[static_cast<std::size_t>(ring)] && !allocate(ring, index))
    return Post::failed;
  std::byte* end = peer_inbox_ + slot_end(ring, index);
  auto* target = reinterpret_cast<Trailer*>(end - sizeof(Trailer));
  Stored stored = Stored::untold;
  if (trailer.bytes != 0)
    stored = stores_.copy(end - sizeof(Trailer) - padded(trailer.bytes), payload, trailer.bytes);
  target->name = trailer.name;
  target->bytes = trailer.bytes.with(stored);
  target->consumed = trailer.consumed;
  __atomic_store_n(&target->sequence, trailer.sequence, __ATOMIC_RELEASE);
  // What is stored after a line that the peer has read waits for it in the processor's store
  // buffer, which a call of a collective fills.
  const std::uint32_t soon = (index + kMessagesAhead) & (shape_[ring].slots - 1);
  const std::byte* const later = peer_inbox_ + slot_end(ring, soon);
  for (std::uint32_t line = 1; line <= lines_to_fetch(trailer.bytes); ++line)
    fetch_to_write(later - std::size_t{line} * kCacheLine);
  return Post::done;
}

// The slots before `end`. The peer polls the slot behind the last one that was written, so the last
// one that is there is not written to.
void ShmLink::note_allocated(Ring ring, std::uint32_t end) noexcept {
  allocated_[static_cast<std::size_t>(ring)] = end == shape_[ring].slots ? end : end - 1;
}

// Slots are first used in their order. A ready entry invites the peer to this rank's memory.
bool ShmLink::allocate(Ring ring, std::uint32_t index) noexcept {
  constexpr std::uint32_t kAtLeast = 4096;
  const RingShape& shape = shape_[ring];
  const std::uint32_t more = std::max(kAtLeast / shape.slot_bytes, 2u);
  const std::uint32_t end = std::min(index + more, shape.slots);
  const std::size_t from = shape_.ring_offset(ring) + std::size_t{index} * shape.slot_bytes;
  const std::size_t bytes = std::size_t{end - index} * shape.slot_bytes;
  int error = segment_.allocate(local_peer_, local_rank_, from, bytes);
  if (error == 0 && ring == Ring::ready)
    error = segment_.allocate_invitations(local_rank_, local_peer_);
  if (error != 0) {
    __atomic_or_fetch(&my_marks_, Segment::kBroken, __ATOMIC_RELEASE);
    char text[160];
    std::snprintf(text, sizeof text,
                  "/dev/shm has no room for %zu more bytes of the connection to rank %d of "
                  "MPI_COMM_WORLD; enlarge it (mount -o remount,size=…)",
                  bytes, peer_);
    fail(Code::out_of_memory, text);
    return false;
  }
  note_allocated(ring, end);
  __atomic_or_fetch(&my_marks_, 1u << static_cast<std::uint32_t>(ring), __ATOMIC_RELEASE);
  return true;
}

Post ShmLink::report(Ring ring, std::uint32_t consumed) noexcept {
  auto* counters = reinterpret_cast<std::uint32_t*>(peer_inbox_);
  __atomic_store_n(&counters[static_cast<std::size_t>(ring)], consumed, __ATOMIC_RELEASE);
  return Post::done;
}

Post ShmLink::write(const void* source, const Registration&, const RemoteKey& target,
                    std::size_t bytes, std::optional<std::uint32_t>, std::uint64_t*) noexcept {
  return move(process_vm_writev, const_cast<void*>(source), target.address, bytes);
}

Post ShmLink::fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept {
  return move(process_vm_readv, target, source.address, bytes);
}

// One call moves at most 2 GiB less one page, so this may take several.
Post ShmLink::move(Move by, void* mine, std::uint64_t theirs, std::size_t bytes) noexcept {
  if (failed()) return Post::failed;
  auto* here = static_cast<std::byte*>(mine);
  while (bytes > 0) {
    // Another process may have the number by now, or the process another program.
    if (!segment_.lives(local_peer_)) {
      peer_is_gone("its process has ended");
      return Post::failed;
    }
    const iovec local{here, bytes};
    const iovec remote{reinterpret_cast<void*>(theirs), bytes};
    const ssize_t moved = by(pid_, &local, 1, &remote, 1, 0);
    if (moved <= 0) {
      if (errno == EINTR) continue;
      if (errno == EFAULT) return Post::refused;
      char text[128];
      std::snprintf(text, sizeof text, "accessing its memory failed: %s", std::strerror(errno));
      peer_is_gone(text);
      return Post::failed;
    }
    here += moved;
    theirs += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return Post::done;
}

// --- invitations: open until the guest enters or the owner takes it back, whoever is first

void ShmLink::check(std::uint8_t state) noexcept {
  if (state > Invitations::taken_back)
    distrust("it has brought an invitation into state %lld, which cannot be", state);
}

bool ShmLink::enter(std::uint32_t invitation) noexcept {
  std::uint8_t state = Invitations::open;
  if (peer_invitations_.states[invitation].compare_exchange_strong(state, Invitations::entered))
    return true;
  check(state);
  return false;
}

void ShmLink::leave(std::uint32_t invitation) noexcept {
  peer_invitations_.states[invitation] = Invitations::open;
}

// What was read before is older than what is read here.
bool ShmLink::taken_back(std::uint32_t invitation) const noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return peer_invitations_.states[invitation] == Invitations::taken_back;
}

bool ShmLink::take_back(std::uint32_t invitation) noexcept {
  std::uint8_t state = Invitations::open;
  if (my_invitations_.states[invitation].compare_exchange_strong(state, Invitations::taken_back))
    return true;
  check(state);
  return state != Invitations::entered;
}

void ShmLink::renew(std::uint32_t invitation) noexcept {
  my_invitations_.states[invitation] = Invitations::open;
}

void ShmLink::probe() noexcept {
  if (state() != State::ready) return;
  if ((__atomic_load_n(&peers_marks_, __ATOMIC_ACQUIRE) & Segment::kBroken) != 0)
    return peer_is_gone("it found no room in /dev/shm for what it had to send to this rank");
  const bool gone = !segment_.lives(local_peer_);
  if (segment_.member(local_peer_).farewell != 0)
    state_.store(State::closed, std::memory_order_release);
  else if (gone)
    peer_is_gone("its process has ended");
}

void ShmLink::peer_is_gone(const char* how) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD (process %d on this node) has failed: %s", peer_, pid_,
                how);
  fail(Code::peer_failed, text);
}

}  // namespace tutti::transport::shm
