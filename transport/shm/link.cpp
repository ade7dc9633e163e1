// Stores, the kernel's copy, and the lock that tells of the peer's death.
#include "transport/shm/link.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <sys/uio.h>

namespace tutti::transport::shm {

ShmLink::ShmLink(const InboxShape& shape, int peer, Segment& segment, int local_rank,
                 int local_peer)
    : Link(shape, peer),
      segment_(segment),
      local_peer_(local_peer),
      peer_inbox_(segment.inbox(local_peer, local_rank)),
      pid_(segment.member(local_peer).pid),
      direct_(segment.direct(local_peer)) {
  inbox_ = segment.inbox(local_rank, local_peer);
  credits_ = reinterpret_cast<const std::uint32_t*>(inbox_);
  // The link is made all the same: what a peer wrote before it died may still be read.
  if (!segment_.lives(local_peer_) && segment_.member(local_peer_).farewell == 0)
    peer_is_gone("its process no longer exists");
  else
    state_.store(State::ready, std::memory_order_release);
}

Post ShmLink::put(Ring ring, std::uint32_t index, const void* payload,
                  const Trailer& trailer) noexcept {
  if (failed()) return Post::failed;
  std::byte* end = peer_inbox_ + shape_.slot_end(ring, index);
  auto* target = reinterpret_cast<Trailer*>(end - sizeof(Trailer));
  if (trailer.bytes != 0)
    std::memcpy(end - sizeof(Trailer) - padded(trailer.bytes), payload, trailer.bytes);
  target->name = trailer.name;
  target->bytes = trailer.bytes;
  target->consumed = trailer.consumed;
  __atomic_store_n(&target->sequence, trailer.sequence, __ATOMIC_RELEASE);
  return Post::done;
}

Post ShmLink::report(Ring ring, std::uint32_t consumed) noexcept {
  auto* counters = reinterpret_cast<std::uint32_t*>(peer_inbox_);
  __atomic_store_n(&counters[static_cast<std::size_t>(ring)], consumed, __ATOMIC_RELEASE);
  return Post::done;
}

Post ShmLink::write(const void* source, const Registration&, const RemoteKey& target,
                    std::size_t bytes, std::optional<std::uint32_t>, std::uint64_t*) noexcept {
  if (failed()) return Post::failed;
  const auto* from = static_cast<const std::byte*>(source);
  std::uint64_t to = target.address;
  while (bytes > 0) {
    // Another process may have the number by now, or the process another program.
    if (!segment_.lives(local_peer_)) {
      peer_is_gone("its process has ended");
      return Post::failed;
    }
    // One call moves at most 2 GiB less one page, so this may take several.
    iovec local{const_cast<std::byte*>(from), bytes};
    iovec remote{reinterpret_cast<void*>(to), bytes};
    const ssize_t moved = process_vm_writev(pid_, &local, 1, &remote, 1, 0);
    if (moved <= 0) {
      if (errno == EINTR) continue;
      if (errno == EFAULT) return Post::refused;
      char text[128];
      std::snprintf(text, sizeof text, "writing into its memory failed: %s", std::strerror(errno));
      peer_is_gone(text);
      return Post::failed;
    }
    from += moved;
    to += static_cast<std::uint64_t>(moved);
    bytes -= static_cast<std::size_t>(moved);
  }
  return Post::done;
}

void ShmLink::probe() noexcept {
  if (state() != State::ready) return;
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
