// Puts by stores, writes by the kernel's copy, and probes the peer by its lock.
#include "transport/shm/link.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>

#include "base/ticks.hpp"

namespace tutti::transport::shm {

ShmLink::ShmLink(const InboxShape& shape, int peer, Segment& segment, int local_rank,
                 int local_peer, bool cores_shared)
    : Link(shape, peer),
      segment_(segment),
      local_rank_(local_rank),
      local_peer_(local_peer),
      peer_inbox_(segment.inbox(local_peer, local_rank)),
      my_marks_(segment.marks(local_peer, local_rank)),
      peers_marks_(segment.marks(local_rank, local_peer)),
      revocation_(*this, segment, local_rank, local_peer),
      pid_(segment.members()[local_peer].pid),
      secret_(segment.members()[local_peer].secret),
      secret_address_(segment.members()[local_peer].secret_address),
      secret_is_own_(segment.members()[local_peer].secret_is_own != 0),
      cores_shared_(cores_shared),
      stores_(shape[Ring::eager].slots, segment.read_times(local_rank, local_peer)),
      reads_(segment.read_times(local_peer, local_rank)),
      fetches_(segment.invitations(local_rank, local_peer).fetch_times),
      fetch_clock_(segment.invitations(local_peer, local_rank).fetch_times),
      packed_fetches_(segment.invitations(local_rank, local_peer).fetch_times,
                      Fetches::Tries::later),
      room_for_pieces_(segment.has_room()) {
  const Copy copy = segment.copy(local_peer);
  set_capabilities({.writes_directly = copy != Copy::twice,
                    .passes_pieces = copy != Copy::once,
                    .reports_by_packets = false,
                    .fetching = copy != Copy::twice ? this : nullptr,
                    .read_watch = &reads_,
                    .revocation = &revocation_});
  inbox().place(segment.inbox(local_rank, local_peer));
  inbox().open_by(&peers_marks_, 1u << static_cast<std::uint32_t>(Ring::line));
  note_allocated(Ring::line, first_slots(shape));
  // The link is made nevertheless: messages that a peer wrote before it died may still be read.
  if (!segment_.members().lives(local_peer_) && segment_.members()[local_peer_].disconnected == 0)
    peer_is_gone("its process no longer exists");
  else
    become(State::connecting, State::ready);
}

// `fill` writes the payload to the place it gets, and says how it was stored.
template <class Fill>
[[gnu::always_inline]] inline Post ShmLink::put_filled(Ring ring, std::uint32_t index,
                                                       const Trailer& trailer,
                                                       Fill&& fill) noexcept {
  if (state().failed()) return Post::failed;
  if (index >= allocated_[static_cast<std::size_t>(ring)] && !allocate(ring, index))
    return Post::failed;
  std::byte* end = peer_inbox_ + inbox().slot_end(ring, index);  // both have the same shape
  auto* target = reinterpret_cast<Trailer*>(end - sizeof(Trailer));
  StoreKind stored = StoreKind::untold;
  if (trailer.length.bytes() != 0)
    stored = fill(end - sizeof(Trailer) - padded(trailer.length.bytes()));
  target->name = trailer.name;
  target->length = trailer.length.with_mark(static_cast<std::uint32_t>(stored));
  target->consumed = trailer.consumed;
  __atomic_store_n(&target->sequence, trailer.sequence, __ATOMIC_RELEASE);
  // Stores that follow one to a line that the peer has read wait for it in the processor's store
  // buffer, which a call of a collective fills. The string instruction reads no line that it
  // writes.
  const std::uint32_t soon = (index + kMessagesAhead) & (inbox().shape()[ring].slots - 1);
  prefetch<PrefetchFor::writing>(peer_inbox_ + inbox().slot_end(ring, soon),
                                 stored == StoreKind::string ? 0 : trailer.length.bytes());
  return Post::done;
}

Post ShmLink::put(Ring ring, std::uint32_t index, const void* payload,
                  const Trailer& trailer) noexcept {
  return put_filled(ring, index, trailer, [&](std::byte* place) {
    return stores_.copy(place, payload, trailer.length.bytes());
  });
}

Post ShmLink::put_packed(Ring ring, std::uint32_t index, PackedView& view, const std::byte* payload,
                         const Trailer& trailer) noexcept {
  if (view.is_read_often()) return Link::put_packed(ring, index, view, payload, trailer);
  return put_filled(ring, index, trailer, [&](std::byte* place) {
    return stores_.pack(place, view, payload, trailer.length.bytes());
  });
}

// The slots before `end`. The peer polls the slot behind the last one that was written, so the last
// one that is there is not written to.
void ShmLink::note_allocated(Ring ring, std::uint32_t end) noexcept {
  allocated_[static_cast<std::size_t>(ring)] = end == outbox().shape()[ring].slots ? end : end - 1;
}

// Slots are first used in their order.
bool ShmLink::allocate(Ring ring, std::uint32_t index) noexcept {
  constexpr std::uint32_t kAtLeast = 4096;
  const RingShape& shape = outbox().shape()[ring];
  const std::uint32_t more = std::max(kAtLeast / shape.slot_bytes, 2u);
  const std::uint32_t end = std::min(index + more, shape.slots);
  if (allocate(ring, index, end) == 0) return true;
  const auto [what, advice] = segment_.no_room();
  char text[160];
  std::snprintf(text, sizeof text,
                "%s %zu more bytes of the connection to rank %d of MPI_COMM_WORLD%s", what,
                std::size_t{end - index} * shape.slot_bytes, peer(), advice);
  fail(Code::out_of_memory, text, Fault::of_this_rank);
  return false;
}

// Slots from `index` on. A ready entry invites the peer to this rank's memory. Returns an errno.
int ShmLink::allocate(Ring ring, std::uint32_t index, std::uint32_t end) noexcept {
  const RingShape& shape = outbox().shape()[ring];
  const std::size_t from =
      outbox().shape().ring_offset(ring) + std::size_t{index} * shape.slot_bytes;
  const std::size_t bytes = std::size_t{end - index} * shape.slot_bytes;
  int error = segment_.allocate(local_peer_, local_rank_, from, bytes);
  if (error == 0 && ring == Ring::ready)
    error = segment_.allocate_invitations(local_rank_, local_peer_);
  if (error != 0) return error;
  allocated_bytes_ += bytes;
  note_allocated(ring, end);
  __atomic_or_fetch(&my_marks_, 1u << static_cast<std::uint32_t>(ring), __ATOMIC_RELEASE);
  return 0;
}

// Makes some, if it must. Without it a message can still be fetched, so this is no failure.
bool ShmLink::has_room_for_pieces(Bytes bytes) noexcept {
  const RingShape& shape = outbox().shape()[Ring::eager];
  const std::uint32_t there = allocated_[static_cast<std::size_t>(Ring::eager)];
  if (there == shape.slots) return true;
  const Bytes pieces = bytes / shape.capacity() + 2;
  const auto more = static_cast<std::uint32_t>(std::min<Bytes>(pieces, shape.slots - there));
  if (room_for_pieces_) room_for_pieces_ = allocate(Ring::eager, there, there + more) == 0;
  return room_for_pieces_;
}

// The peer tells its times beside the invitations that it gets; before the first there is no memory
// for them.
bool ShmLink::fetch_pays(Bytes bytes, const Load& load) noexcept {
  if (!has_room_for_pieces(bytes)) return true;
  const double whole = static_cast<double>(bytes) / outbox().shape()[Ring::eager].capacity();
  const double in_pieces = time_in_pieces(stores_.times(), whole, load, cores_shared_);
  if (!load.packs) return fetches_.pays(bytes, in_pieces);
  // The peer can fetch only what is packed already, so that time counts, too.
  constexpr double kLeast = 1.0 / 16;  // so that fetching is still tried now and then
  const double first = packs_[length_class(bytes)];
  return packed_fetches_.pays(bytes, std::max(in_pieces - first, kLeast * in_pieces));
}

void ShmLink::pack(PackedView& view, const std::byte* from, Bytes bytes) noexcept {
  if (bytes == 0) return;
  const std::uint64_t begin = ticks();
  view.bring(from, bytes);
  smooth(packs_[length_class(bytes)],
         static_cast<double>(ticks() - begin) / static_cast<double>(bytes));
}

Post ShmLink::report(Ring ring, std::uint32_t consumed) noexcept {
  auto* counters = reinterpret_cast<std::uint32_t*>(peer_inbox_);
  __atomic_store_n(&counters[static_cast<std::size_t>(ring)], consumed, __ATOMIC_RELEASE);
  return Post::done;
}

// Another process may have the number by now, or the process another program.
Post ShmLink::write(const void* source, const Registration&, const RemoteKey& target,
                    std::size_t bytes, std::optional<std::uint32_t>, std::uint64_t*) noexcept {
  if (state().failed()) return Post::failed;
  Rest rest{static_cast<std::byte*>(const_cast<void*>(source)), target.address, bytes};
  while (rest.bytes > 0) {
    if (!segment_.members().lives(local_peer_)) return has_ended();
    const iovec here = rest.here(), there = rest.there();
    const Post post = copied(rest, process_vm_writev(pid_, &here, 1, &there, 1, 0));
    if (post != Post::done) return post;
  }
  return Post::done;
}

Post ShmLink::fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept {
  if (state().failed()) return Post::failed;
  const std::uint64_t begin = ticks();
  const Post post = read({static_cast<std::byte*>(target), source.address, bytes});
  if (post == Post::done) fetch_clock_.record(static_cast<Bytes>(bytes), ticks() - begin);
  return post;
}

Post ShmLink::fetch_packed(PackedView& view, std::byte* target, const RemoteKey& source,
                           std::size_t bytes) noexcept {
  if (state().failed()) return Post::failed;
  const std::uint64_t begin = ticks();
  view.forget(target, static_cast<Bytes>(bytes));
  const Post post = read_to_elements(view, {target, source.address, bytes});
  if (post == Post::done) fetch_clock_.record(static_cast<Bytes>(bytes), ticks() - begin);
  return post;
}

Post ShmLink::read(Rest rest) noexcept {
  while (rest.bytes > 0) {
    iovec here[] = {{}, rest.here()};
    if (const Post post = read_some(here, rest, rest.bytes); post != Post::done) return post;
  }
  return Post::done;
}

// The kernel puts the bytes where they belong. Short runs cost it more than a copy of ours does.
Post ShmLink::read_to_elements(PackedView& view, Rest rest) noexcept {
  constexpr std::size_t kAtOnce = 256;
  constexpr Bytes kShortest = 512;
  while (rest.bytes > 0) {
    ByteRun room[kAtOnce];
    RunList runs(room);
    view.take_runs(rest.mine, static_cast<Bytes>(rest.bytes), runs);
    const auto taken = runs.taken();
    if (runs.bytes() < kShortest * static_cast<Bytes>(taken.size())) {
      const Post post = read(rest);
      const auto bytes = static_cast<Bytes>(rest.bytes);
      if (post == Post::done) view.unpack(rest.mine, bytes, rest.mine);
      return post;
    }
    iovec here[1 + kAtOnce];
    std::ranges::transform(taken, here + 1, [](const ByteRun& run) {
      return iovec{run.first, static_cast<std::size_t>(run.bytes)};
    });
    const Post post =
        read_some({here, 1 + taken.size()}, rest, static_cast<std::size_t>(runs.bytes()));
    if (post != Post::done) return post;
  }
  return Post::done;
}

// One call: the next `bytes` go to the places in `here` behind the first one, which is for the
// secret. That call reads it, too, and so asks whose memory that is, in less time than one more
// call would take.
Post ShmLink::read_some(std::span<iovec> here, Rest& rest, std::size_t bytes) noexcept {
  if (!secret_is_own_ && !segment_.members().lives(local_peer_)) return has_ended();
  std::uint64_t secret = 0;
  here[0] = {&secret, sizeof secret};
  const iovec there[] = {{reinterpret_cast<void*>(secret_address_), sizeof secret},
                         rest.there(bytes)};
  constexpr ssize_t kSecret = sizeof secret;
  const ssize_t read = process_vm_readv(pid_, here.data(), here.size(), there, 2, 0);
  if (read < 0 ? errno == EFAULT : read < kSecret || secret != secret_) return has_ended();
  if (read == kSecret) return Post::refused;
  return copied(rest, read < 0 ? read : read - kSecret);
}

// `bytes`: the result of the call, which moves at most 2 GiB less one page.
Post ShmLink::copied(Rest& rest, ssize_t bytes) noexcept {
  if (bytes > 0) {
    rest.mine += bytes;
    rest.theirs += static_cast<std::uint64_t>(bytes);
    rest.bytes -= static_cast<std::size_t>(bytes);
    return Post::done;
  }
  if (errno == EINTR) return Post::done;
  if (errno == EFAULT) return Post::refused;
  if (errno == ESRCH) return has_ended();
  const int error = errno;
  char text[256];
  if (error == EPERM)
    std::snprintf(text, sizeof text,
                  "the kernel no longer lets this rank reach the memory of rank %d of "
                  "MPI_COMM_WORLD; has that one changed its user, or its limits on being traced "
                  "(PR_SET_DUMPABLE)? TUTTI_SHM_COPY=double needs no such right",
                  peer());
  else
    std::snprintf(text, sizeof text,
                  "copying between this rank's memory and that of rank %d of MPI_COMM_WORLD "
                  "failed: %s",
                  peer(), std::strerror(error));
  if (error == ENOMEM)
    fail(Code::out_of_memory, text, Fault::of_this_rank);
  else
    fail(Code::transport_failed, text);
  return Post::failed;
}

void ShmLink::probe() noexcept {
  if (state() != State::ready) return;
  const std::uint32_t marks = __atomic_load_n(&peers_marks_, __ATOMIC_ACQUIRE);
  if ((marks & Segment::kBrokenOff) != 0)
    return fail_as_peer_did(static_cast<Code>(marks >> Segment::kWhy & Segment::kMostWhy));
  const bool gone =
      !segment_.members().lives(local_peer_) || segment_.members().dumps_core(local_peer_);
  if (segment_.members()[local_peer_].disconnected != 0)
    become(State::ready, State::closed);
  else if (gone)
    has_ended();
}

std::optional<Notice> ShmLink::notice() noexcept {
  const auto next = segment_.members().notice(local_peer_, notices_read_);
  if (next) ++notices_read_;
  return next;
}

std::string ShmLink::state_of_peer() {
  const char state = segment_.members().state(local_peer_);
  const char* const what = state == 'T'                   ? "is stopped"
                           : state == 't'                 ? "is stopped by a debugger"
                           : state == 'R'                 ? "runs"
                           : state == 'S' || state == 'D' ? "sleeps or waits for something else"
                                                          : nullptr;
  return what ? "process " + std::to_string(pid_) + " " + what : std::string();
}

void ShmLink::break_off(Code code) noexcept {
  const auto why = static_cast<std::uint32_t>(code) & Segment::kMostWhy;
  __atomic_or_fetch(&my_marks_, Segment::kBrokenOff | why << Segment::kWhy, __ATOMIC_RELEASE);
}

Post ShmLink::has_ended() noexcept {
  peer_is_gone("its process has ended");
  return Post::failed;
}

void ShmLink::peer_is_gone(const char* how) noexcept {
  char text[256];
  std::snprintf(text, sizeof text,
                "rank %d of MPI_COMM_WORLD (process %d on this node) has failed: %s", peer(), pid_,
                how);
  fail(Code::peer_failed, text);
}

}  // namespace tutti::transport::shm
