// Routes news down to agreements and out to members.
#include "src/news/dispatcher.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "base/index.hpp"
#include "base/running_clock.hpp"
#include "src/news/member_channels.hpp"
#include "src/news/reclaim.hpp"

namespace tutti {

using protocols::Channel;
using protocols::News;

namespace {

constexpr std::chrono::milliseconds kConnectTimeout{5000}, kLastNewsTimeout{5000}, kAskPause{10};
// For what the call is on others, if calls differ: who is in Tutti says so at once.
constexpr std::chrono::milliseconds kOtherCallTimeout{100};

// Whether the member is one of few, or at a distance of a power of two, as most algorithms have it.
bool is_near(int member, const Members& members) {
  constexpr int kFew = 64;
  const auto distance = static_cast<unsigned>(std::abs(member - members.rank()));
  return members.size() <= kFew || std::has_single_bit(distance) ||
         std::has_single_bit(static_cast<unsigned>(members.size()) - distance);
}

}  // namespace

void Dispatcher::add(Agreement& agreement) {
  catch_up();
  agreements_.push_back(&agreement);
  const CommunicatorId id = agreement.members().id();
  if (id == Agreement::kNoId) return;
  identifiers_.note(id);
  hear_early(id);
}

void Dispatcher::identify(Agreement& agreement, CommunicatorId id) noexcept {
  agreement.members().set_id(id);
  identifiers_.note(id);
}

void Dispatcher::remove(Agreement& agreement) noexcept {
  std::erase(agreements_, &agreement);
  const CommunicatorId id = agreement.members().id();
  if (id == Agreement::kNoId) return;
  Freed::Said said;
  try {
    agreement.each_old_news([&](const News& news) { said.push_back(news); });
  } catch (const std::bad_alloc&) {  // then members hear less of it
  }
  freed(id).note(id, std::move(said));
  // Messages for it keep slots that others may need, and may be of calls that are not made.
  catch_up();
}

Agreement* Dispatcher::find(CommunicatorId id) const noexcept {
  if (id == Agreement::kNoId) return nullptr;
  const auto found = std::find_if(agreements_.begin(), agreements_.end(),
                                  [&](const Agreement* a) { return a->members().id() == id; });
  return found != agreements_.end() ? *found : nullptr;
}

void Dispatcher::catch_up() noexcept {
  if (left_) return;
  connections_.progress_transports();
  connections_.progress_all();
}

void Dispatcher::warn(std::string_view line) const noexcept {
  try {
    if (warn_) warn_(line);
  } catch (const std::exception&) {  // no memory
  }
}

// --- what comes --------------------------------------------------------------------------------

void Dispatcher::hear(const News& news, int from) noexcept {
  Agreement* const agreement = find(news.communicator);
  if (!agreement && news.kind != News::Kind::waits) return keep_early({news, from});
  Channel* const channel = connections_.find(from);  // null: nobody is answered
  if (agreement) {
    if (!agreement->members().has(from))
      return channel->link().fail_as_corrupt(
          "it speaks of communicator %lld, of which it is not a member", news.communicator);
    const auto answer = agreement->hear(news, from);
    if (!answer) {
      if (news.kind == News::Kind::waits && !agreement->failed())
        channel->news().mention(standing_from(agreement->standings().mine()));
      return;
    }
    // That a call was passed is said again for as long as the peer asks.
    if (answer->kind == News::Kind::passed)
      channel->news().mention(*answer);
    else
      channel->news().announce(*answer);
  } else {
    if (!freed(news.communicator).has(news.communicator))  // this rank may have it later
      return channel->news().mention(standing_from({.communicator = news.communicator}));
    if (const auto said = freed(news.communicator).answer(news.communicator, news.call))
      return channel->news().announce(*said);
    channel->news().mention(
        {.kind = News::Kind::passed, .communicator = news.communicator, .call = news.call});
  }
}

// With the call that this rank is in, of whatever communicator.
protocols::Standing Dispatcher::standing_from(protocols::Standing mine) const noexcept {
  for (const Agreement* const other : agreements_) {
    if (mine.in != Agreement::kNoId) break;
    const protocols::Standing there = other->standings().mine();
    mine.in = there.in;
    mine.call = there.call;
    mine.asked = there.asked;
  }
  return mine;
}

void Dispatcher::hear_standing(const protocols::Standing& standing, int from) noexcept {
  Agreement* const agreement = find(standing.communicator);
  if (agreement && agreement->members().has(from))
    agreement->standings().hear(standing, from, RunningClock::now());
}

void Dispatcher::hear_notice(const News& news, int from) noexcept {
  Agreement* const agreement = find(news.communicator);
  if (!agreement) return keep_early({news, from, true});
  if (agreement->members().has(from)) agreement->hear(news, from);
}

// The member may say it no more, so without a place for it whoever waits for that member must fail.
void Dispatcher::keep_early(const EarlyNews::Item& item) noexcept {
  const CommunicatorId id = item.news.communicator;
  if (id != Agreement::kNoId && !freed(id).has(id) && !early_.keep(item))
    connections_.find(item.from)->link().fail(
        Code::out_of_memory, "no memory for news of communicators that are not made here yet",
        Fault::of_this_rank);
}

bool Dispatcher::unwanted(const MessageName& name, int from) noexcept {
  if (Agreement* const agreement = find(name.communicator)) return agreement->unwanted(name, from);
  if (early_.failure_of(name.communicator)) return true;
  const Freed& freed_here = freed(name.communicator);
  if (freed_here.ended_well(name.communicator)) came_after_the_end(name, from);
  return freed_here.has(name.communicator);
}

// No call of this rank can return the error any more, but perhaps one of the sender.
void Dispatcher::came_after_the_end(const MessageName& name, int from) noexcept {
  const News news{.communicator = name.communicator,
                  .call = name.collective,
                  .code = Code::calls_differ,
                  .culprit = from};
  try {
    freed(name.communicator).note(name.communicator, {news});
    warn(
        fmt::format("rank {} of MPI_COMM_WORLD has sent what no call of this rank asked for, on a "
                    "communicator that this rank has freed: do all ranks call the same "
                    "collectives, with the same sizes and roots?",
                    from));
  } catch (const std::exception&) {  // no memory
  }
  if (Channel* const channel = connections_.find(from)) channel->news().announce(news);
}

// If neither a failure nor a refusal is known, this rank has made all its calls there, and ended
// them: that the peer still waits is the mistake.
News Dispatcher::why_unwanted(const MessageName& name, int from) noexcept {
  const Agreement* const agreement = find(name.communicator);
  if (agreement && agreement->failed()) return agreement->failure().news();
  if (const News* const failure = early_.failure_of(name.communicator)) return *failure;
  if (const auto said = freed(name.communicator).answer(name.communicator, name.collective))
    return {.communicator = name.communicator,
            .call = said->call,
            .code = said->code,
            .culprit = said->culprit};
  return {.communicator = name.communicator,
          .call = name.collective,
          .code = Code::calls_differ,
          .culprit = from};
}

// --- what goes ---------------------------------------------------------------------------------

void Dispatcher::send_old_news(Channel& channel) noexcept {
  for (const Agreement* const agreement : agreements_)
    if (agreement->members().has(channel.peer()))
      agreement->each_old_news([&](const News& news) { channel.news().announce(news); });
}

void Dispatcher::spread(const Agreement& agreement, const News& news, Reach reach) noexcept {
  const Members& members = agreement.members();
  const MemberChannels channels = channels_of(agreement);
  // News of before is not on its way yet: this one will not be soon.
  const bool stuck = std::ranges::any_of(members.world_ranks(), [&](int member) {
    Channel* const channel = connections_.find(member);
    return channel && channel->news().pending() && !channel->connecting();
  });
  // A peer that waits for this rank may have connected to it. A new channel hears the news.
  if (reach == Reach::near) connections_.adopt_links();
  bool untold = false;
  for (int r = 0; r < members.size(); ++r) {
    if (r == members.rank()) continue;
    const int member = members.world_ranks()[index(r)];
    try {
      if (Channel* const channel = connections_.find(member)) {
        if (can_hear(channel)) channel->news().announce(news);
      } else if (reach == Reach::near && is_near(r, members)) {
        connections_.channel(member);
      } else {
        connections_.channel_at_once(member);
      }
    } catch (const std::exception&) {  // no connection, and perhaps no memory for one
      untold = true;
    }
  }
  if (untold) leave_notice(news);  // at once: others may wait already
  if (reach == Reach::near)
    channels.wait_while_heard(kConnectTimeout,
                              [](Channel& channel) { return channel.connecting(); });
  if (!stuck || reach == Reach::connected)
    channels.wait_while_heard(kSpreadTimeout,
                              [](Channel& channel) { return channel.news().pending(); });
  // Others may connect when this rank has left Tutti, as one that was stopped.
  for (const int member : members.world_ranks()) {
    Channel* const channel = connections_.find(member);
    untold |= channel ? can_hear(channel) && (channel->connecting() || channel->news().pending())
                      : member != members.world_rank();
  }
  if (untold) leave_notice(news);
}

// A rank that refuses a call, or fails, leaves one notice for the communicator from then on.
void Dispatcher::leave_notice(const News& news) noexcept {
  const auto left = std::span(noticed_).first(notices_);
  if (std::ranges::find(left, news.communicator) != left.end() || notices_ == noticed_.size())
    return;
  noticed_[notices_++] = news.communicator;
  connections_.leave_notice(notice_of(news));
}

void Dispatcher::spread_failure(const Agreement& agreement) noexcept {
  if (left_) return;
  spread(agreement, agreement.failure().news(), Reach::connected);
  channels_of(agreement).wait_while_heard(kOtherCallTimeout, [&](const Channel& channel) {
    return agreement.failure().lacks_call_of(channel.peer());
  });
  end_use(agreement);
}

// A peer that waits for a rank that has left is told so, and not why, unless this comes first.
void Dispatcher::send_last_news() noexcept {
  for (const Agreement* const agreement : agreements_) {
    if (!agreement->failed() || agreement->failure().told()) continue;
    for (const int member : agreement->members().world_ranks())
      if (Channel* const channel = connections_.find(member); can_hear(channel))
        channel->news().announce(agreement->failure().news());
  }
  const auto& all = connections_.all();
  const auto speaks = [](Channel* channel) {
    return can_hear(channel) && !channel->connecting() && channel->news().pending();
  };
  auto now = RunningClock::now(), asked = now;
  const auto deadline = now + kLastNewsTimeout;
  for (; std::any_of(all.begin(), all.end(), speaks) && now < deadline; now = RunningClock::now()) {
    catch_up();
    if (now - asked >= kAskPause) {  // a peer that left reads nothing, and may not show it
      asked = now;
      for (Channel* const channel : all)
        if (speaks(channel)) channel->probe();
    }
    sched_yield();
  }
  left_ = true;
}

void Dispatcher::end_use(const Agreement& agreement) noexcept {
  reclaim_buffers(channels_of(agreement), lock_);
}

}  // namespace tutti
