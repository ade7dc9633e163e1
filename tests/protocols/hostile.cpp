// The hostile wire's treatment of each write.
#include "tests/protocols/hostile.hpp"

#include <algorithm>

#include "base/bits.hpp"

namespace tutti::tests {

using namespace transport;

namespace {

std::optional<InboxShape> shape_at_first(const HostileNet& net) {
  if (net.hostility.grow == 0) return std::nullopt;
  InboxShape first = first_shape(net.shape);
  for (RingShape& ring : first.rings) ring.slots = std::max(ring.slots / 4, 1u);
  first.rings[0].slots = std::min(first.rings[0].slots, 2u);
  return first;
}

}  // namespace

HostileLink::HostileLink(HostileNet& net, int from, int to)
    : Link(net.shape, to, shape_at_first(net)),
      net_(net),
      from_(from),
      first_inbox_(aligned(memory_, inbox().shape().bytes())) {
  const Hostility& how = net.hostility;
  // Memory of one node is written at once, so nothing has to notify.
  set_capabilities({.writes_directly = how.direct,
                    .passes_pieces = how.passes_pieces,
                    .notifies = !how.fetches,
                    .reports_by_packets = !how.fetches,
                    .report_bits = how.report_bits,
                    .parts = how.fetches ? nullptr : this,
                    .fetching = how.fetches ? this : nullptr,
                    .read_watch = this,
                    .registrar = how.registers ? &net.registrar : nullptr,
                    .revocation = how.fetches ? this : nullptr,
                    .inquiry = this,
                    .growth = how.grow != 0 ? this : nullptr});
  inbox().place(first_inbox_);
  if (!net.hostility.polls_memory) inbox().count_arrivals();
  if (how.grow != 0) never_grows_ = net.chance(net.hostility.stay_small);
  if (net_.hostility.connects_at_once) become(State::connecting, State::ready);
}

std::byte* HostileLink::aligned(std::vector<std::byte>& memory, std::size_t bytes) {
  memory.resize(bytes + kCacheLine);
  const auto place = reinterpret_cast<std::uintptr_t>(memory.data());
  return reinterpret_cast<std::byte*>(round_up<std::uintptr_t>(place, kCacheLine));
}

bool HostileLink::fetch_pays(Bytes, const transport::Load&) noexcept {
  if (net_.hostility.latency != 0) return true;
  const std::lock_guard lock(net_.lock_);
  return net_.chance(0.5);
}
bool HostileLink::refused() {
  return net_.hostility.latency == 0 && net_.chance(net_.hostility.refuse);
}

void HostileLink::corrupt(Ring ring, std::vector<std::byte>& message) {
  const Corruption& how = net_.hostility.corruption;
  const std::size_t from_end = (how.word + 1) * sizeof how.value;
  if (++puts_[static_cast<std::size_t>(ring)] == how.message && how.ring == ring &&
      how.rank == from_ && from_end <= message.size())
    std::memcpy(message.data() + message.size() - from_end, &how.value, sizeof how.value);
}

void HostileLink::post(Write&& write) {
  write.posted_at = net_.now();
  (write.to_large ? large_queue_ : queue_).push_back(std::move(write));
}

Post HostileLink::put(Ring ring, std::uint32_t index, const void* payload,
                      const Trailer& trailer) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (state().failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  const std::size_t body = padded(trailer.length.bytes());
  w.data.resize(body + sizeof trailer);
  if (trailer.length.bytes() != 0) std::memcpy(w.data.data(), payload, trailer.length.bytes());
  std::memcpy(w.data.data() + body, &trailer, sizeof trailer);
  w.bytes = w.data.size();
  const HostileLink& target = net_.link(peer(), from_);
  w.to_large = outbox().grown();
  w.target = (w.to_large ? target.large_inbox_ : target.first_inbox_) +
             outbox().shape().slot_end(ring, index) - w.data.size();
  w.ring = ring;
  w.is_message = true;
  corrupt(ring, w.data);
  post(std::move(w));
  return Post::done;
}

Post HostileLink::report(Ring ring, std::uint32_t consumed) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (state().failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  w.is_report = true;
  w.ring = ring;
  w.value = consumed;
  post(std::move(w));
  return Post::done;
}

// The ticket is reached when all has arrived. Within a node the kernel copies at once.
Post HostileLink::write(const void* source, const Registration& registration,
                        const RemoteKey& target, std::size_t bytes,
                        std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept {
  const std::lock_guard lock(net_.lock_);
  const Post post = write_to_user(source, registration, target, bytes, notify, ticket);
  if (notify && post == Post::posted) in_parts_.erase(*notify);
  return post;
}

// Two connections, of which one writes the parts and the other one the end, keep no order.
std::size_t HostileLink::part_bytes(std::size_t bytes) noexcept {
  const bool may_change = most == 0 || (capabilities().growth && !outbox().grown());
  return may_change || bytes < 2 * kPart ? 0 : kPart;
}

Post HostileLink::write_part(const void* source, const Registration& registration,
                             const RemoteKey& target, std::size_t bytes, std::uint32_t invitation,
                             std::uint64_t* ticket) noexcept {
  const std::lock_guard lock(net_.lock_);
  const Post post = write_to_user(source, registration, target, bytes, std::nullopt, ticket);
  if (post == Post::posted) {
    in_parts_.insert(invitation);
    ++parts;
  }
  return post;
}

void HostileLink::give_up(std::uint32_t invitation) noexcept {
  const std::lock_guard lock(net_.lock_);
  in_parts_.erase(invitation);
}

Post HostileLink::write_to_user(const void* source, const Registration& registration,
                                const RemoteKey& target, std::size_t bytes,
                                std::optional<std::uint32_t> notify, std::uint64_t* ticket) {
  if (state().failed()) return Post::failed;
  if (refused()) return Post::again;
  if (bytes > most) fail(Code::transport_failed, "a write that is too long");
  constexpr std::uint32_t key = FakeRegistrar::kKey;
  if (net_.hostility.registers && (registration.local_keys[0] != key || target.keys[0] != key))
    fail(Code::transport_failed, "a write without a registration");
  if (net_.hostility.fetches) {
    std::memcpy(reinterpret_cast<void*>(target.address), source, bytes);
    return Post::done;
  }
  Write w;
  w.source = static_cast<const std::byte*>(source);
  w.bytes = bytes;
  w.target = reinterpret_cast<std::byte*>(target.address);
  w.to_user = true;
  w.to_large = outbox().grown();
  w.notify = notify;
  *ticket = w.ticket = ++tickets_;
  post(std::move(w));
  return Post::posted;
}

// All at once, as the kernel copies: nothing is on its way.
Post HostileLink::fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (state().failed()) return Post::failed;
  if (refused()) return Post::again;
  std::memcpy(target, reinterpret_cast<const void*>(source.address), bytes);
  return Post::done;
}

std::optional<transport::Notice> HostileLink::notice() noexcept {
  const auto left = net_.notices(peer(), notices_read_);
  if (left.empty()) return std::nullopt;
  ++notices_read_;
  return left.front();
}

void HostileLink::probe() noexcept {
  const std::lock_guard lock(net_.lock_);
  const HostileLink& theirs = net_.link(peer(), from_);
  const bool broken_off = theirs.broken_off_;
  if ((!broken_off && !net_.stopped(peer())) || !net_.chance(0.2)) return;
  if (broken_off)
    fail_as_peer_did(theirs.told_);
  else
    fail(Code::peer_failed, "the peer has stopped");
}

// A write that moves at this moment has moved before the answer.
bool HostileLink::reads(std::uint64_t ticket) const noexcept {
  if (completed() >= ticket) return false;
  const std::lock_guard lock(net_.lock_);
  return !broken_off_;
}

// A write that has moved in part stays so. The lock of the net may be held, or not.
void HostileLink::break_off(Code code) noexcept {
  told_ = code;
  broken_off_ = true;
}

// --- invitations

bool HostileLink::enter(std::uint32_t invitation) noexcept {
  Invitation state = Invitation::open;
  return net_.link(peer(), from_)
      .invitations_[invitation]
      .compare_exchange_strong(state, Invitation::entered);
}

void HostileLink::leave(std::uint32_t invitation) noexcept {
  net_.link(peer(), from_).invitations_[invitation] = Invitation::open;
}

bool HostileLink::is_revoked(std::uint32_t invitation) const noexcept {
  return net_.link(peer(), from_).invitations_[invitation] == Invitation::revoked;
}

bool HostileLink::revoke(std::uint32_t invitation) noexcept {
  Invitation state = Invitation::open;
  return invitations_[invitation].compare_exchange_strong(state, Invitation::revoked) ||
         state == Invitation::revoked;
}

void HostileLink::reopen(std::uint32_t invitation) noexcept {
  invitations_[invitation] = Invitation::open;
}

bool HostileLink::peer_lives() noexcept { return !net_.stopped(peer()); }

// The answer is there at once, and always the latest.
void HostileLink::ask(bool /*again*/) noexcept {
  const std::lock_guard lock(net_.lock_);
  has_asked_ = true;
}

Writing HostileLink::writing(std::uint32_t invitation) const noexcept {
  const std::lock_guard lock(net_.lock_);
  const HostileLink& theirs = net_.link(peer(), from_);
  if (theirs.in_parts_.contains(invitation)) return Writing::yes;
  for (const auto* queue : {&theirs.queue_, &theirs.large_queue_})
    for (const Write& write : *queue)
      if (write.notify == invitation) return Writing::yes;
  return Writing::no;
}

// --- on the way

bool HostileLink::drained() noexcept {
  const std::lock_guard lock(net_.lock_);
  return (queue_.empty() && large_queue_.empty()) || state().failed() || net_.stopped(peer()) ||
         net_.left(peer());
}

std::uint64_t HostileLink::progress_count() const noexcept {
  const std::lock_guard lock(net_.lock_);
  if (net_.hostility.acknowledge && !broken_off_ && !net_.stopped(peer())) ++looks_;
  return looks_;
}

void HostileLink::grow() {
  HostileLink& target = net_.link(peer(), from_);
  if (never_grows_ || target.large_inbox_) return;
  target.large_inbox_ = target.aligned(target.large_memory_, net_.shape.bytes());
  target.inbox().place_larger(target.large_inbox_);
  outbox().let_grow();
}

Post HostileLink::grow_out() noexcept {
  const std::lock_guard lock(net_.lock_);
  if (state().failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  w.is_growth = true;
  post(std::move(w));
  outbox().grow();
  return Post::done;
}

bool HostileLink::step() {
  if (broken_off_ || net_.stopped(from_) || net_.stopped(peer())) return false;
  if (net_.hostility.grow > 0 && net_.chance(net_.hostility.grow)) grow();
  if (!large_queue_.empty() && (queue_.empty() || net_.chance(0.5))) return step(large_queue_);
  return !queue_.empty() && step(queue_);
}

bool HostileLink::step(std::deque<Write>& queue) {
  const std::size_t before = queue.size();
  if (net_.hostility.latency > 0) {
    while (!queue.empty() && net_.now() - queue.front().posted_at >=
                                 static_cast<std::uint64_t>(net_.hostility.latency)) {
      Write& due = queue.front();
      if (due.bytes != 0) std::memcpy(due.target, due.from(), due.bytes);
      arrive(due);
      queue.pop_front();
    }
    return queue.size() != before;
  }
  // Bytes that were written later may become visible before: only a completion promises order.
  auto place = queue.begin();
  if (place->to_user && net_.hostility.polls_memory && capabilities().notifies &&
      net_.chance(0.5)) {
    const auto later = std::ranges::find(queue, false, &Write::to_user);
    if (later != queue.end()) place = later;
  }
  Write& first = *place;
  if (first.to_user && net_.hostility.holds_writes && !net_.link(peer(), from_).has_asked_)
    return false;
  if (!may_move(first)) return false;
  if (first.moved < first.bytes) move(first);
  if (first.moved < first.bytes) return false;
  arrive(first);
  queue.erase(place);
  return true;
}

// The device looks at the registrations of both ends each time.
bool HostileLink::may_move(const Write& w) {
  if (!w.to_user || !net_.hostility.registers) return true;
  if (!net_.registrar.covers(w.source, w.bytes, false))
    fail(Code::transport_failed, "what is sent is not registered any more");
  else if (!net_.registrar.covers(w.target, w.bytes, true))
    fail(Code::transport_failed, "the peer lets nobody write there any more");
  else
    return true;
  return false;
}

// Moves a piece of the write. An adapter that keeps order writes the last word, which tells of the
// arrival, after everything else. One that does not writes the end first, and only the completion
// tells that everything is there.
void HostileLink::move(Write& w) {
  const std::size_t rest = w.bytes - w.moved;
  const std::size_t piece = rest <= 8 ? rest : 1 + net_.below(rest - 8 > 4000 ? 4000 : rest - 8);
  const bool backwards = !net_.hostility.polls_memory;
  const std::size_t at = backwards ? rest - piece : w.moved;
  if (w.is_message && !backwards && piece == rest) {
    std::memcpy(w.target + at, w.from() + at, piece - sizeof(std::uint32_t));
    std::uint32_t mark;
    std::memcpy(&mark, w.from() + w.bytes - sizeof mark, sizeof mark);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(w.target + w.bytes - sizeof mark), mark,
                     __ATOMIC_RELEASE);
  } else {
    std::memcpy(w.target + at, w.from() + at, piece);
  }
  w.moved += piece;
}

// The last ticket before which nothing is under way, now that `w` has arrived.
std::uint64_t HostileLink::last_complete(const Write& w) const {
  std::uint64_t last = tickets_;
  for (const auto* queue : {&queue_, &large_queue_})
    for (const Write& other : *queue)
      if (&other != &w && other.ticket != 0) last = std::min(last, other.ticket - 1);
  return last;
}

void HostileLink::arrive(Write& w) {
  HostileLink& peer_link = net_.link(peer(), from_);
  if (w.is_message) peer_link.inbox().note_arrival(w.ring, w.to_large);
  if (w.is_growth) peer_link.inbox().note_moved();
  if (w.is_report) {
    const std::uint32_t last = peer_link.inbox().reported(w.ring);
    const std::uint32_t mask = ~0u >> (32 - capabilities().report_bits);
    peer_link.inbox().note_credit(w.ring, last + ((w.value - last) & mask));
  }
  if (w.notify) peer_link.note_finished(*w.notify);
  if (w.ticket != 0 && net_.hostility.acknowledge) acknowledged_ = last_complete(w);
}

}  // namespace tutti::tests
