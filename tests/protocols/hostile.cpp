// What the hostile wire does to each write.
#include "tests/protocols/hostile.hpp"

namespace tutti::tests {

using namespace transport;

HostileLink::HostileLink(HostileNet& net, int from, int to)
    : Link(net.shape, to), net_(net), from_(from), memory_(net.shape.bytes() + kCacheLine) {
  auto place = reinterpret_cast<std::uintptr_t>(memory_.data());
  inbox_ = reinterpret_cast<std::byte*>((place + kCacheLine - 1) / kCacheLine * kCacheLine);
  polls_memory_ = net.hostility.polls_memory;
  credits_ = told_credits_.data();
  state_ = State::ready;
}

Registrar* HostileLink::registrar() noexcept {
  return net_.hostility.registers ? &net_.registrar : nullptr;
}
bool HostileLink::writes_directly() const noexcept { return net_.hostility.direct; }
bool HostileLink::refused() {
  return net_.hostility.latency == 0 && net_.chance(net_.hostility.refuse);
}

void HostileLink::post(Write&& write) {
  write.posted_at = net_.now();
  queue_.push_back(std::move(write));
}

Post HostileLink::put(Ring ring, std::uint32_t index, const void* payload,
                      const Trailer& trailer) noexcept {
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
  post(std::move(w));
  return Post::done;
}

Post HostileLink::report(Ring ring, std::uint32_t consumed) noexcept {
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  Write w;
  w.is_report = true;
  w.ring = ring;
  w.value = consumed;
  post(std::move(w));
  return Post::done;
}

// The source may change only once the ticket is reached: it is read piece by piece on arrival.
Post HostileLink::write(const void* source, const Registration& registration,
                        const RemoteKey& target, std::size_t bytes,
                        std::optional<std::uint32_t> notify, std::uint64_t* ticket) noexcept {
  if (failed()) return Post::failed;
  if (refused()) return Post::again;
  if (net_.hostility.registers && (registration.local_key != 7 || target.key != 7))
    fail(Code::transport_failed, "a write without a registration");
  Write w;
  w.data.assign(static_cast<const std::byte*>(source),
                static_cast<const std::byte*>(source) + bytes);
  w.target = reinterpret_cast<std::byte*>(target.address);
  w.notify = notify;
  *ticket = w.ticket = ++tickets_;
  post(std::move(w));
  return Post::posted;
}

void HostileLink::probe() noexcept {
  if (net_.stopped(peer()) && net_.chance(0.2)) fail(Code::peer_failed, "the peer has stopped");
}

void HostileLink::step() {
  if (queue_.empty() || net_.stopped(from_) || net_.stopped(peer())) return;
  if (net_.hostility.latency > 0) {
    while (!queue_.empty() && net_.now() - queue_.front().posted_at >=
                                  static_cast<std::uint64_t>(net_.hostility.latency)) {
      Write& due = queue_.front();
      std::memcpy(due.target, due.data.data(), due.data.size());
      arrive(due);
      queue_.pop_front();
    }
    return;
  }
  Write& w = queue_.front();
  if (w.data.size() > w.moved) {
    // A piece, never up to the word that tells of arrival as long as the rest is not there; an
    // adapter that does not keep order writes the end first, and says only at the completion that
    // all is there.
    const std::size_t rest = w.data.size() - w.moved;
    const std::size_t piece = rest <= 8 ? rest : 1 + net_.below(rest - 8 > 4000 ? 4000 : rest - 8);
    const bool backwards = !polls_memory_;
    const std::size_t at = backwards ? rest - piece : w.moved;
    if (w.is_message && !backwards && piece == rest) {
      std::memcpy(w.target + at, w.data.data() + at, piece - sizeof(std::uint32_t));
      std::uint32_t mark;
      std::memcpy(&mark, w.data.data() + w.data.size() - sizeof mark, sizeof mark);
      __atomic_store_n(reinterpret_cast<std::uint32_t*>(w.target + w.data.size() - sizeof mark),
                       mark, __ATOMIC_RELEASE);
    } else {
      std::memcpy(w.target + at, w.data.data() + at, piece);
    }
    w.moved += piece;
    if (w.moved < w.data.size()) return;
  }
  arrive(w);
  queue_.pop_front();
}

void HostileLink::arrive(Write& w) {
  HostileLink& peer_link = net_.link(peer(), from_);
  if (w.is_message) ++peer_link.arrivals_[static_cast<std::size_t>(w.ring)];
  if (w.is_report) peer_link.told_credits_[static_cast<std::size_t>(w.ring)] = w.value;
  if (w.notify) peer_link.note_finished(*w.notify);
  if (w.ticket != 0 && net_.hostility.acknowledge) completed_ = w.ticket;
}

HostileNet::HostileNet(int ranks, const InboxShape& inbox_shape, const Hostility& how)
    : shape(inbox_shape),
      hostility(how),
      random_(how.seed),
      stopped_(static_cast<std::size_t>(ranks)) {
  registrar.fail_at = how.fail_registration;
  for (int a = 0; a < ranks; ++a)
    for (int b = 0; b < ranks; ++b)
      if (a != b) links_[{a, b}] = std::make_unique<HostileLink>(*this, a, b);
}

void HostileNet::step() {
  ++now_;
  for (auto& [ends, link] : links_)
    if (hostility.latency > 0 || chance(hostility.deliver)) link->step();
}

}  // namespace tutti::tests
