// The packets that one rank tells another, and what each of them does to a connection.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "transport/verbs/device/gid.hpp"
#include "transport/verbs/handshake/handshake.hpp"

namespace tutti::transport::verbs {

using Clock = RunningClock;

void Handshake::take(const Packet& p) {
  if (p.type == Type::busy) return take_busy(p);
  if (p.type == Type::looks) return send_about_notice(Type::shows, p.from, p.question);
  VerbsLink* const link = link_to(p.from);
  if (!link) {
    if (p.type == Type::request) queue_up(p);
    return;
  }
  if (link->state().failed()) {
    if (p.of == Of::first) send(Type::busy, p.from, Busy::given_up);
    return;
  }
  if (p.type == Type::asks) return send_about_writes(Type::tells, p.from, p.question);
  if (p.type == Type::tells) return link->writes().take_answer(p.question, p.begun);
  if (p.type == Type::shows) return link->notices().take(p.question, p.notice);
  if (p.shape != link->outbox().full_shape()) {
    link->fail(Code::bad_configuration,
               fmt::format("rank {} of MPI_COMM_WORLD has other eager limits or slots than this "
                           "rank; give all ranks the same settings",
                           p.from)
                   .c_str());
    return;
  }
  if (p.of == Of::larger) return take_growth(p, *link);
  if (!link->connection().attached() && !attach(*link, p)) return;
  attempts_.heard_of(p.from, Clock::now());
  probes_.forget(p.from);
  if (link->connection().peer_info().queue_pair != p.info.queue_pair)
    return;  // from an attempt that is over
  if (p.type == Type::request) send(Type::reply, p.from);
  if (p.type == Type::reply) send(Type::confirm, p.from);
  if (p.type != Type::request && link->state() == State::connecting) {
    attempts_.end(p.from);
    link->ready();
  }
}

// --- requests for connections that this rank has not made

void Handshake::queue_up(const Packet& request) {
  const auto same = std::ranges::find(requests_, request.from, &Packet::from);
  if (same == requests_.end()) {
    requests_.push_back(request);
  } else {
    *same = request;
    send(Type::busy, request.from, Busy::serves_others);
  }
}

void Handshake::serve_one() {
  const std::lock_guard guard(mutex_);
  if (requests_.empty()) return;
  const Packet request = requests_.front();
  requests_.pop_front();
  if (!link_to(request.from)) make_link(request);  // else this rank has begun, too
  if (link_to(request.from)) take(request);
}

void Handshake::make_link(const Packet& request) {
  attempts_.make_room();
  if (make_link_(request.from))
    // The peer began: it has time to finish before this side sends a REQUEST of its own.
    attempts_.begin(request.from, Clock::now(), 2 * Attempts::kFirstInterval);
  else
    send(Type::busy, request.from, Busy::lacks_memory);
}

// It may have memory again when it is asked the next time, so ask; but until the deadline only. A
// peer that has given this rank up will never answer anything else.
void Handshake::take_busy(const Packet& p) {
  if (p.of == Of::larger) {
    VerbsLink* const link = link_to(p.from);
    if (link && link->larger().stage() == Larger::Stage::begun)
      cancel_growth(*link, "the peer has no memory for more");
    return growths_.end(p.from);
  }
  if (p.busy == Busy::given_up) return take_given_up(p);
  path_to(p.from).lacks_memory = p.busy == Busy::lacks_memory;
  if (p.busy == Busy::serves_others) attempts_.heard_of(p.from, Clock::now());
}

void Handshake::take_given_up(const Packet& p) {
  VerbsLink* const link = link_to(p.from);
  if (!link) return;
  attempts_.end(p.from);
  link->peer_gave_up(p.cause);
}

// --- this rank's side

// Where the kernel finds no path, as while the port is down, the next packet is another try.
bool Handshake::attach(VerbsLink& link, const Packet& p) {
  const HandshakeCard& card = card_of(p.from);
  const Arrival agreed = safer_of(static_cast<Arrival>(p.arrival), link.connection().arrival());
  try {
    link.attach(p.info, agreed, static_cast<ibv_mtu>(std::min(p.mtu, mtu_)), card.lid, card.gid);
    path_to(p.from).error = 0;
    return true;
  } catch (const Error& error) {
    if (error.code == Code::unreachable)
      path_to(p.from).error = error.system_errno;
    else
      link.fail(error.code, error.message.c_str());
    return false;
  }
}

// A packet that cannot be sent now is lost, like any datagram: it is repeated.
void Handshake::send(Type type, int peer, Busy busy, Of of) noexcept {
  Path& path = path_to(peer);
  if (!path.target.path) {
    if (of == Of::larger) return;
    path.pending = type;
    path.busy = busy;
    if (std::ranges::find(without_path_, peer) == without_path_.end())
      without_path_.push_back(peer);
    return;
  }
  Packet packet;
  packet.type = type;
  packet.busy = busy;
  packet.of = of;
  if (busy == Busy::given_up) packet.cause = link_to(peer)->state().code();
  if (type != Type::busy) {
    VerbsLink& link = *link_to(peer);
    packet.info = (of == Of::first ? link.connection() : link.larger().side()->connection).info();
    packet.mtu = mtu_;
    packet.arrival = static_cast<std::uint16_t>(link.connection().arrival());
    packet.shape = link.outbox().full_shape();
    if (of == Of::larger) {
      packet.rails = static_cast<std::uint32_t>(link.larger().rails());
      packet.lanes = link.larger().lane_infos();
    }
  }
  post(packet, peer);
}

void Handshake::post(Packet& packet, int peer) noexcept {
  packet.from = rank_;
  packet.to = peer;
  packet.token = token_;
  endpoint_.send({&path_to(peer).target, 1}, &packet, sizeof packet);
}

// --- datagrams of links

void Handshake::request_link_datagrams() noexcept {
  link_datagrams_wanted_ = true;
  wake();
}

// A peer that misses a cause is told by its queue pair; a question is asked again.
void Handshake::send_link_datagrams() {
  if (!link_datagrams_wanted_.exchange(false)) return;
  const std::lock_guard guard(mutex_);
  for (auto& entry : links_) {
    VerbsLink* const link = entry.load(std::memory_order_acquire);
    if (!link) continue;
    if (link->take_failure()) send(Type::busy, link->peer(), Busy::given_up);
    if (const auto question = link->writes().take_question())
      send_about_writes(Type::asks, link->peer(), *question);
    if (const auto number = link->notices().take_look())
      send_about_notice(Type::looks, link->peer(), *number);
  }
}

void Handshake::send_about_writes(Type type, int peer, std::uint32_t question) noexcept {
  if (!path_to(peer).target.path) return;
  Packet packet;
  packet.type = type;
  packet.question = question;
  if (type == Type::tells) packet.begun = link_to(peer)->writes().begun();
  post(packet, peer);
}

// Also to a peer to which there is no link, since this rank has no memory for one.
void Handshake::send_about_notice(Type type, int peer, std::uint32_t number) noexcept {
  const auto notice = type == Type::shows ? notices_.at(number) : Notice{};
  if (!notice || !path_to(peer).target.path) return;
  Packet packet;
  packet.type = type;
  packet.question = number;
  packet.notice = *notice;
  post(packet, peer);
}

void Handshake::retry() {
  const std::lock_guard guard(mutex_);
  attempts_.look(
      Clock::now(),
      [this](int peer) {
        if (!link_to(peer)->state().failed()) send(Type::request, peer);
      },
      [this](int peer) { give_up(peer); }, [this](int peer) { return is_stopped(peer); });
  growths_.look(
      Clock::now(),
      [this](int peer) {
        if (!link_to(peer)->state().failed()) send(Type::request, peer, Busy::no, Of::larger);
      },
      [this](int peer) { cancel_growth(*link_to(peer), "the peer does not answer"); },
      [](int) { return false; });
}

bool Handshake::is_stopped(int peer) noexcept {
  const HandshakeCard& card = card_of(peer);
  return probes_.is_stopped(peer, {card.gid, card.presence_port});
}

void Handshake::give_up(int peer) {
  probes_.forget(peer);
  const Path& path = path_to(peer);
  const std::string why =
      path.error ? fmt::format("there is no path to it ({})", std::strerror(path.error))
      : path.lacks_memory
          ? "it lacks memory for another connection; see what it says"
          : "it has died or is stopped, or the network between the devices drops UDP port 4791";
  link_to(peer)->fail(
      path.lacks_memory ? Code::out_of_memory : Code::unreachable,
      fmt::format("rank {} of MPI_COMM_WORLD (GID {}, LID {}) did not answer within {} ms: {}; "
                  "check with ping and ib_write_lat",
                  peer, text_of(card_of(peer).gid), card_of(peer).lid, timeout_.count(), why)
          .c_str());
}

}  // namespace tutti::transport::verbs
