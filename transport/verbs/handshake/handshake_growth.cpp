// How the two ends of a hot link make its larger connection. A link that cannot have one works on.
#include <fmt/format.h>

#include <algorithm>

#include "transport/verbs/handshake/handshake.hpp"

namespace tutti::transport::verbs {

using Clock = RunningClock;
using Stage = Larger::Stage;

void Handshake::ask_for_larger() noexcept {
  growth_wanted_.store(true, std::memory_order_release);
  wake();
}

// One a turn: others may want an answer in between.
void Handshake::begin_one_growth() {
  if (!growth_wanted_.exchange(false)) return;
  const std::lock_guard guard(mutex_);
  for (auto& entry : links_) {
    VerbsLink* const link = entry.load(std::memory_order_acquire);
    if (!link || link->larger().stage() != Stage::wanted || link->state().failed()) continue;
    growth_wanted_ = true;  // there may be more
    if (begin_growth(*link, Attempts::kFirstInterval))
      send(Type::request, link->peer(), Busy::no, Of::larger);
    return;
  }
}

// With the lock held. false: the link stays small.
bool Handshake::begin_growth(VerbsLink& link, Attempts::Duration delay) noexcept {
  try {
    growths_.make_room();
    link.larger().make();
    growths_.begin(link.peer(), Clock::now(), delay);
    return true;
  } catch (const std::exception& error) {
    cancel_growth(link, error.what());
    return false;
  }
}

// If there is no memory to say so, it is not said.
void Handshake::cancel_growth(VerbsLink& link, const char* why) noexcept {
  link.larger().give_up();
  try {
    log_(fmt::format("the connection to rank {} of MPI_COMM_WORLD stays small: {}", link.peer(),
                     why));
  } catch (const std::exception&) {
  }
}

void Handshake::take_growth(const Packet& p, VerbsLink& link) {
  if (!link.connection().attached() || p.rails != link.larger().rails()) return;
  if (link.larger().stage() < Stage::begun) {
    if (p.type != Type::request) return;
    begin_growth(link, 2 * Attempts::kFirstInterval);
  }
  const LargeSide* const larger = link.larger().side();
  if (!larger || (link.larger().stage() == Stage::impossible && !larger->connection.attached())) {
    if (p.type == Type::request) send(Type::busy, p.from, Busy::lacks_memory, Of::larger);
    return;
  }
  if (!larger->connection.attached() && !attach_larger(p, link)) return;
  growths_.heard_of(p.from, Clock::now());
  if (larger->connection.peer_info().queue_pair != p.info.queue_pair) return;
  if (p.type == Type::request) send(Type::reply, p.from, Busy::no, Of::larger);
  if (p.type == Type::reply) send(Type::confirm, p.from, Busy::no, Of::larger);
  if (p.type != Type::request && link.larger().stage() == Stage::begun) {
    growths_.end(p.from);
    link.larger().become_ready();
  }
}

bool Handshake::attach_larger(const Packet& p, VerbsLink& link) {
  const HandshakeCard& card = card_of(p.from);
  try {
    link.larger().attach(p.info, link.connection().arrival(),
                         static_cast<ibv_mtu>(std::min(p.mtu, mtu_)), card.lid, card.gid, p.lanes);
    return true;
  } catch (const Error& error) {
    // Where the kernel finds no path, the next packet is another try.
    if (error.code != Code::unreachable) cancel_growth(link, error.message.c_str());
    return false;
  }
}

}  // namespace tutti::transport::verbs
