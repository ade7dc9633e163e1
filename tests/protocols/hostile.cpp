// What the hostile wire does to each write.
#include "tests/protocols/hostile.hpp"

#include <algorithm>

namespace tutti::tests {

using namespace transport;

HostileLink::HostileLink(HostileNet& net, int from, int to)
    : Link(net.shape, to), net_(net), from_(from), memory_(net.shape.bytes() + kCacheLine) {
  auto place = reinterpret_cast<std::uintptr_t>(memory_.data());
  inbox_ = reinterpret_cast<std::byte*>((place + kCacheLine - 1) / kCacheLine * kCacheLine);
  polls_memory_ = net.hostility.polls_memory;
  credits_ = told_credits_.data();
  if (net_.hostility.connects_at_once) state_ = State::ready;
}

Registrar* HostileLink::registrar() noexcept {
  return net_.hostility.registers ? &net_.registrar : nullptr;
}
bool HostileLink::writes_directly() const noexcept { return net_.hostility.direct; }
bool HostileLink::fetches() const noexcept { return net_.hostility.fetches; }
// Memory of one node is written at once.
bool HostileLink::notifies() const noexcept { return !net_.hostility.fetches; }
bool HostileLink::passes_pieces() const noexcept { return net_.hostility.passes_pieces; }
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
  queue_.push_back(std::move(write));
}

Post HostileLink::put(Ring ring, std::uint32_t index, const void* payload,
                      const Trailer& trailer) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  const std::size_t body = padded(trailer.bytes);
  w.data.resize(body + sizeof trailer);
  if (trailer.bytes != 0) std::memcpy(w.data.data(), payload, trailer.bytes);
  std::memcpy(w.data.data() + body, &trailer, sizeof trailer);
  w.target = net_.link(peer(), from_).inbox_ + shape_.slot_end(ring, index) - w.data.size();
  w.ring = ring;
  w.is_message = true;
  corrupt(ring, w.data);
  post(std::move(w));
  return Post::done;
}

Post HostileLink::report(Ring ring, std::uint32_t consumed) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  w.is_report = true;
  w.ring = ring;
  w.value = consumed;
  post(std::move(w));
  return Post::done;
}

// The source is copied at once, but the ticket is reached only when all has arrived.
Post HostileLink::write(const void* source, const Registration& registration,
                        const RemoteKey& target, std::size_t bytes,
                        std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  constexpr std::uint32_t key = FakeRegistrar::kKey;
  if (net_.hostility.registers && (registration.local_keys[0] != key || target.keys[0] != key))
    fail(Code::transport_failed, "a write without a registration");
  Write w;
  w.data.assign(static_cast<const std::byte*>(source),
                static_cast<const std::byte*>(source) + bytes);
  w.target = reinterpret_cast<std::byte*>(target.address);
  w.to_user = true;
  w.notify = notify;
  *ticket = w.ticket = ++tickets_;
  post(std::move(w));
  return Post::posted;
}

// All at once, as the kernel copies: nothing is on its way.
Post HostileLink::fetch(void* target, const RemoteKey& source, std::size_t bytes) noexcept {
  const std::lock_guard lock(net_.lock_);
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  std::memcpy(target, reinterpret_cast<const void*>(source.address), bytes);
  return Post::done;
}

void HostileLink::probe() noexcept {
  const std::lock_guard lock(net_.lock_);
  if (net_.stopped(peer()) && net_.chance(0.2)) fail(Code::peer_failed, "the peer has stopped");
}

bool HostileLink::drained() noexcept {
  const std::lock_guard lock(net_.lock_);
  return queue_.empty() || failed() || net_.stopped(peer()) || net_.left(peer());
}

bool HostileLink::step() {
  if (queue_.empty() || net_.stopped(from_) || net_.stopped(peer())) return false;
  const std::size_t before = queue_.size();
  if (net_.hostility.latency > 0) {
    while (!queue_.empty() && net_.now() - queue_.front().posted_at >=
                                  static_cast<std::uint64_t>(net_.hostility.latency)) {
      Write& due = queue_.front();
      std::memcpy(due.target, due.data.data(), due.data.size());
      arrive(due);
      queue_.pop_front();
    }
    return queue_.size() != before;
  }
  // Bytes that were written later may become visible before: only a completion promises order.
  auto place = queue_.begin();
  if (place->to_user && polls_memory_ && notifies() && net_.chance(0.5)) {
    const auto later = std::ranges::find(queue_, false, &Write::to_user);
    if (later != queue_.end()) place = later;
  }
  Write& first = *place;
  if (first.to_user && net_.hostility.registers &&
      !net_.registrar.covers(first.target, first.data.size())) {
    fail(Code::transport_failed, "the peer lets nobody write there any more");
    queue_.clear();
    return false;
  }
  if (first.moved < first.data.size()) move(first);
  if (first.moved < first.data.size()) return false;
  arrive(first);
  queue_.erase(place);
  return true;
}

// Moves a piece of the write. An adapter that keeps order writes the last word, which tells of the
// arrival, after everything else. One that does not writes the end first, and only the completion
// tells that everything is there.
void HostileLink::move(Write& w) {
  const std::size_t rest = w.data.size() - w.moved;
  const std::size_t piece = rest <= 8 ? rest : 1 + net_.below(rest - 8 > 4000 ? 4000 : rest - 8);
  const bool backwards = !polls_memory_;
  const std::size_t at = backwards ? rest - piece : w.moved;
  if (w.is_message && !backwards && piece == rest) {
    std::memcpy(w.target + at, w.data.data() + at, piece - sizeof(std::uint32_t));
    std::uint32_t mark;
    std::memcpy(&mark, w.data.data() + w.data.size() - sizeof mark, sizeof mark);
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(w.target + w.data.size() - sizeof mark), mark,
                     __ATOMIC_RELEASE);
  } else {
    std::memcpy(w.target + at, w.data.data() + at, piece);
  }
  w.moved += piece;
}

void HostileLink::arrive(Write& w) {
  HostileLink& peer_link = net_.link(peer(), from_);
  if (w.is_message) ++peer_link.arrivals_[static_cast<std::size_t>(w.ring)];
  if (w.is_report) peer_link.told_credits_[static_cast<std::size_t>(w.ring)] = w.value;
  if (w.notify) peer_link.note_finished(*w.notify);
  if (w.ticket != 0 && net_.hostility.acknowledge) acknowledged_ = w.ticket;
}

// --- registrations

Registration FakeRegistrar::add(void* address, std::size_t length, bool writable) {
  if (++adds == fail_at)
    throw Error(Code::locked_memory, "the test wants this registration to fail");
  ++live;
  const std::lock_guard lock(lock_);
  return {&ranges_.emplace_back(Range{static_cast<std::byte*>(address), length, writable}),
          {kKey},
          {kKey}};
}

void FakeRegistrar::remove(const Registration& registration) noexcept {
  --live;
  const std::lock_guard lock(lock_);
  ranges_.remove_if([&](const Range& range) { return &range == registration.handle; });
}

bool FakeRegistrar::covers(const std::byte* begin, std::size_t bytes) const {
  const std::lock_guard lock(lock_);
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return range.writable && range.begin <= begin && begin + bytes <= range.begin + range.bytes;
  });
}

// --- the net

HostileNet::HostileNet(int ranks, const InboxShape& inbox_shape, const Hostility& how)
    : shape(inbox_shape),
      hostility(how),
      random_(how.seed),
      stopped_(static_cast<std::size_t>(ranks)),
      left_(static_cast<std::size_t>(ranks)) {
  registrar.fail_at = how.fail_registration;
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b)
      if (a != b) links_[{a, b}] = std::make_unique<HostileLink>(*this, a, b);
}

void HostileNet::step() {
  const std::lock_guard lock(lock_);
  ++now_;
  for (auto& [ends, link] : links_) {
    if (hostility.latency > 0 || chance(hostility.deliver)) link->step();
    link->completed_ = link->acknowledged_;
  }
}

bool HostileNet::step_to(int rank) {
  const std::lock_guard lock(lock_);
  ++now_;
  bool any = false;
  for (auto& [ends, mine] : links_) {
    if (ends.first != rank) continue;
    HostileLink& coming = link(ends.second, rank);
    if (hostility.latency > 0 || chance(hostility.deliver)) {
      any |= coming.step();
      meet(coming, *mine);
    }
    any |= mine->completed_ != mine->acknowledged_;
    mine->completed_ = mine->acknowledged_;
  }
  return any;
}

void HostileNet::meet(HostileLink& theirs, HostileLink& mine) {
  if (theirs.begun_ && theirs.state() == State::connecting) {
    theirs.become(State::connecting, State::ready);
    mine.become(State::connecting, State::ready);
    if (!mine.begun_) accepted_[theirs.peer()].push_back(&mine);
  }
  if (left(mine.peer()) && theirs.queue_.empty()) {
    mine.become(State::connecting, State::closed);
    mine.become(State::ready, State::closed);
  }
}

HostileLink& HostileNet::connect(int rank, int peer) {
  const std::lock_guard lock(lock_);
  HostileLink& mine = link(rank, peer);
  mine.begun_ = true;
  return mine;
}

HostileLink* HostileNet::accepted(int rank) {
  const std::lock_guard lock(lock_);
  std::deque<HostileLink*>& waiting = accepted_[rank];
  if (waiting.empty()) return nullptr;
  HostileLink* const link = waiting.front();
  waiting.pop_front();
  return link;
}

}  // namespace tutti::tests
