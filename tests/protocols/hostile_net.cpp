// The ranks of the hostile wire: what they have registered, and whom they have met.
#include <algorithm>
#include <utility>

#include "tests/protocols/hostile.hpp"

namespace tutti::tests {

using namespace transport;

// --- registrations

Registration FakeRegistrar::add(void* address, std::size_t length, bool writable) {
  if (++adds == fail_at)
    throw Error(Code::locked_memory, "the test wants this registration to fail");
  if (const auto others = std::exchange(meanwhile, nullptr)) others();
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

bool FakeRegistrar::covers(const std::byte* begin, std::size_t bytes, bool writable) const {
  const std::lock_guard lock(lock_);
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const Range& range) {
    return (range.writable || !writable) && range.begin <= begin &&
           begin + bytes <= range.begin + range.bytes;
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
    link->note_completed(link->acknowledged_);
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
    any |= mine->completed() != mine->acknowledged_;
    mine->note_completed(mine->acknowledged_);
  }
  return any;
}

void HostileNet::meet(HostileLink& theirs, HostileLink& mine) {
  if (theirs.begun_ && theirs.state() == State::connecting) {
    theirs.become(State::connecting, State::ready);
    mine.become(State::connecting, State::ready);
    if (!mine.begun_) accepted_[theirs.peer()].push_back(&mine);
  }
  if (left(mine.peer()) && theirs.queue_.empty() && theirs.large_queue_.empty() &&
      !mine.inbox().must_grow()) {
    mine.become(State::connecting, State::closed);
    mine.become(State::ready, State::closed);
  }
}

HostileLink& HostileNet::connect(int rank, int peer) {
  const std::lock_guard lock(lock_);
  HostileLink& mine = link(rank, peer);
  HostileLink& theirs = link(peer, rank);
  if (hostility.connects_at_once && !mine.begun_ && !theirs.begun_)
    accepted_[peer].push_back(&theirs);
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

void HostileNet::leave_notice(int rank, const transport::Notice& notice) {
  const std::lock_guard lock(lock_);
  notices_[rank].push_back(notice);
}

std::vector<transport::Notice> HostileNet::notices(int rank, std::size_t number) {
  const std::lock_guard lock(lock_);
  const auto& all = notices_[rank];
  return {all.begin() + static_cast<std::ptrdiff_t>(number), all.end()};
}

}  // namespace tutti::tests
