// The slow half of waiting: yield, sleep, probe peers, keep time limits.
#include "src/job/waiting.hpp"

#include <thread>
#include <utility>

namespace tutti {

using protocols::Channel;
using namespace std::chrono_literals;

namespace {

// After the polls of Settings::spin, a rank yields at every poll; then it sleeps, a little after a
// while, a millisecond once the wait is plainly long. A rank that MPI serves only while this rank
// calls MPI would wait as long.
constexpr auto kNapAfter = 20ms;
constexpr auto kSleepAfter = 1s;
constexpr std::uint32_t kYieldsPerLook = 16;

}  // namespace

bool Waiting::yield_core(WaitState& wait_state, Agreement& agreement,
                         const Waiter& waiter) noexcept {
  const bool look = ++wait_state.yields % kYieldsPerLook == 0;
  if (look) {
    housekeeping(wait_state, agreement, waiter);
    keep_limits(wait_state, agreement, waiter);
  }
  if (agreement.failed()) return false;
  if (lock_) lock_->unlock();  // while this thread waits, others may call
  const auto waited = wait_state.looked - wait_state.since;
  const bool wide_awake = others_are_pressing();
  if (look || wide_awake || waited >= kNapAfter) drive_others();
  if (wide_awake || waited < kNapAfter)
    yield();
  else
    std::this_thread::sleep_for(waited < kSleepAfter ? 50us : 1ms);
  if (lock_) lock_->lock();
  return !agreement.failed();
}

void Waiting::look_around(WaitState& wait_state, Agreement& agreement,
                          const Waiter& waiter) noexcept {
  if (++wait_state.yields % kYieldsPerLook == 0) housekeeping(wait_state, agreement, waiter);
  if (lock_) lock_->unlock();
  drive_others();
  yield();
  if (lock_) lock_->lock();
}

// Work that need not be done at every poll: other peers' news, and signs of life.
void Waiting::housekeeping(WaitState& wait_state, Agreement& agreement,
                           const Waiter& waiter) noexcept {
  const auto now = wait_state.looked = RunningClock::now();
  if (wait_state.since == Agreement::Time{}) wait_state.since = wait_state.probed = now;
  const bool probe = now - wait_state.probed > settings_.probe_interval;
  if (probe) wait_state.probed = now;
  connections_.adopt_links();
  // A rank that naps between its looks has time for all.
  if (now - wait_state.since < kNapAfter)
    connections_.progress_some();
  else
    connections_.progress_all();
  if (probe) look_for_misfits(agreement, waiter);

  if (std::exchange(wait_state.of, waiter.call.number()) != waiter.call.number())
    wait_state.parting = false;
  bool parting = false;
  waiter.each_waiting([&](Channel& channel) {
    const int peer = channel.peer();
    if (probe) {
      channel.probe();
      if (const auto news = agreement.waiting(waiter.call, peer)) channel.news().mention(*news);
    }
    agreement.note_still_waiting(waiter.call, peer, channel.awaits_acknowledgement(), now);
    if (channel.failed()) channel.progress();  // earlier news of the peer is the cause
    if (channel.failed())
      agreement.failure().record(channel.failure_code(),
                                 channel.culprit(agreement.members().world_rank()), "{}",
                                 channel.failure());
    else if (channel.closed() && wait_state.parting)
      agreement.failure().record(
          Code::peer_finalized, peer,
          "rank {} of MPI_COMM_WORLD has called tutti_finalize, and this rank waits for "
          "it; do all ranks call the same collectives?",
          peer);
    else
      parting |= channel.closed();
  });
  wait_state.parting = parting;
}

// The user's: after how long to say so, and after how long to give up.
void Waiting::keep_limits(WaitState& wait_state, Agreement& agreement,
                          const Waiter& waiter) noexcept {
  const auto waited = wait_state.looked - wait_state.since;
  if (settings_.report_after > 0ms && waited > settings_.report_after && !wait_state.reported)
    report(wait_state, agreement, waiter);
  if (settings_.timeout == 0ms || waited <= settings_.timeout || agreement.failed()) return;
  int last = kNoPeer;
  waiter.each_waiting([&](Channel& channel) { last = channel.peer(); });
  agreement.failure().record(
      Code::timed_out, last,
      "rank {} of MPI_COMM_WORLD did not come within the {} ms of the setting "
      "`timeout`. This rank {}",
      last, settings_.timeout.count(), reason(wait_state, agreement, waiter));
}

void Waiting::report(WaitState& wait_state, const Agreement& agreement,
                     const Waiter& waiter) noexcept {
  wait_state.reported = true;
  if (!settings_.report) return;
  try {
    settings_.report(fmt::format("rank {} of MPI_COMM_WORLD {}", agreement.members().world_rank(),
                                 reason(wait_state, agreement, waiter)));
  } catch (const std::exception&) {  // no memory
  }
}

std::string Waiting::reason(const WaitState& wait_state, const Agreement& agreement,
                            const Waiter& waiter) const noexcept {
  try {
    std::vector<Channel*> awaited;
    waiter.each_waiting([&](Channel& channel) { awaited.push_back(&channel); });
    return why_it_hangs(agreement, waiter.call, std::move(awaited),
                        {wait_state.since, wait_state.looked, settings_.probe_interval},
                        settings_.find);
  } catch (const std::bad_alloc&) {
    return "is out of memory, so it cannot say for whom it waits";
  }
}

// A peer whose part of the call is over says nothing more, so its mistake shows only in what it has
// sent. It may be a peer for which this rank does not wait.
void Waiting::look_for_misfits(Agreement& agreement, const Waiter& waiter) noexcept {
  for (Channel* const channel : connections_.all()) {
    if (waiter.fits(*channel)) continue;
    agreement.failure().record_in(waiter.call, channel->failure_code(), channel->peer(),
                                  channel->failure());
    channel->forget_complaint();
  }
}

}  // namespace tutti
