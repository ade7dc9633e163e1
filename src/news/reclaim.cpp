// The order matters: members withdraw or write to the end, then lose the right to; then the adapter
// has read what it sends; only then registrations go.
#include "src/news/reclaim.hpp"

#include <sched.h>

#include <chrono>
#include <cstdint>

namespace tutti {

using protocols::Channel;

namespace {

// For sends of calls that have failed: how long an adapter may complete none, how many times so
// long all of them may take, and how long it takes to give up those that are left.
constexpr std::chrono::milliseconds kReadTimeout{2000}, kFlushTimeout{1000};
constexpr int kMostReadTimeouts = 5;
// For writes into their buffers: after how long a member is asked again, and how often. An answer
// may come no sooner than the last byte: it waits behind them in a port that is busy with them.
constexpr std::chrono::milliseconds kAnswerTimeout{500};
constexpr int kMostQuestions = 20;

// Waits for writes that members have begun, which soon arrive. To take the right away before would
// break the connection, which other communicators use. A member that never answers is dead or
// stopped.
void await_writes(const MemberChannels& channels) noexcept {
  const auto may_write = [](Channel& channel) {
    return can_hear(&channel) && channel.abandoned().writing() != transport::Writing::no;
  };
  for (int i = 0; i < kMostQuestions; ++i) {
    channels.each([&](Channel& channel) {
      if (can_hear(&channel) && channel.abandoned().withdrawing()) channel.abandoned().ask(i > 0);
    });
    channels.wait_while(kAnswerTimeout, may_write);
    bool any = false;
    channels.each([&](Channel& channel) { any |= may_write(channel); });
    if (!any) return;
  }
}

// Waits for copies that processes of this node have begun. A copy takes long only if the process
// was stopped, and other threads may call meanwhile.
void end_writes(const MemberChannels& channels, std::mutex* lock) noexcept {
  channels.each([lock](Channel& channel) {
    for (channel.progress(); channel.abandoned().being_accessed(); channel.progress()) {
      if (lock) lock->unlock();
      sched_yield();
      if (lock) lock->lock();
    }
  });
}

// Waits for the adapter to send what it still reads there, as long as it makes progress. After that
// it must not send the rest, which the peer would take for the message.
void end_reads(const MemberChannels& channels) noexcept {
  const auto read = [](Channel& channel) { return channel.abandoned().being_read(); };
  const auto progress = [&] {
    std::uint64_t sum = 0;
    channels.each([&](Channel& channel) {
      if (read(channel)) sum += channel.link().progress_count();
    });
    return sum;
  };
  for (int i = 0; i < kMostReadTimeouts; ++i) {
    const std::uint64_t before = progress();
    channels.wait_while_heard(kReadTimeout, read);
    if (progress() == before) break;
  }
  channels.each([&](Channel& channel) {
    if (read(channel)) channel.abandoned().break_off();
  });
  channels.wait_while(kFlushTimeout, read);
}

}  // namespace

void reclaim_buffers(const MemberChannels& channels, std::mutex* lock) noexcept {
  channels.wait_while_heard(kSpreadTimeout,
                            [](Channel& channel) { return channel.abandoned().withdrawing(); });
  await_writes(channels);
  channels.each([](Channel& channel) { channel.abandoned().revoke(); });
  end_reads(channels);
  channels.each([](Channel& channel) { channel.abandoned().release(); });
  end_writes(channels, lock);
}

}  // namespace tutti
