// Reading and writing the control ring.
#include "protocols/control.hpp"

#include <algorithm>
#include <new>

namespace tutti::protocols {

using transport::Ring;

void Control::read() noexcept {
  while (const auto rendezvous = link_.inbox().finished())
    if (!note(*rendezvous, {Outcome::Kind::finished}))
      link_.distrust("it has finished transfer %lld, which cannot be", *rendezvous);
  rings_.take_all(Ring::control, [this](const Arrived& message) { take(message); });
}

void Control::take(const Arrived& message) noexcept {
  switch (static_cast<Kind>(message.name().ordinal)) {
    case Kind::ask:
      if (const auto ask = message.as<Ask>()) return rings_.hear(*ask);
      break;
    case Kind::finished:
      if (const auto rendezvous = message.as<std::uint32_t>();
          rendezvous && note(*rendezvous, {Outcome::Kind::finished}))
        return;
      break;
    case Kind::withdrawn:
      if (const auto told = message.as<Withdrawal>();
          told && told->cause().credible() &&
          note(told->rendezvous, {Outcome::Kind::withdrawn, told->code}))
        // The communicator has failed at the peer, so it has failed here.
        return listener_.hear(told->cause(), link_.peer());
      break;
    case Kind::news:
      if (const auto news = message.as<News>(); news && news->credible())
        return listener_.hear(*news, link_.peer());
      break;
    case Kind::wish:
      if (const auto wish = message.as<Wish>(); wish && wish->access <= Access::read)
        return note(*wish);
      break;
    case Kind::standing:
      if (const auto standing = message.as<Standing>())
        return listener_.hear_standing(*standing, link_.peer());
      break;
  }
  link_.distrust("its control message of %lld bytes (kind %lld) makes no sense", message.bytes,
                 message.name().ordinal);
}

void Control::read_notices() noexcept {
  while (const auto notice = link_.notice()) {
    const News news = news_in(*notice);
    if (!news.credible()) return link_.distrust("a notice that it has left makes no sense");
    listener_.hear_notice(news, link_.peer());
  }
}

bool Control::note(std::uint32_t rendezvous, const Outcome& outcome) noexcept {
  if (rendezvous >= kMostRendezvous || !expected_[rendezvous]) return false;
  expected_.reset(rendezvous);
  outcomes_[rendezvous] = outcome;
  return true;
}

void Control::note(const Wish& wish) noexcept {
  if (wishes_.size() == kMostWishes)
    return link_.distrust("it waits for more than %lld ready entries", kMostWishes);
  try {
    wishes_.push_back(wish);
  } catch (const std::bad_alloc&) {
    link_.fail(Code::out_of_memory, "no memory for what the peer waits for", Fault::of_this_rank);
  }
}

void Control::announce(const News& news) noexcept {
  if (news_count_ == news_.size()) return;  // full: the peer still gets the earlier ones
  news_[news_count_++] = news;
  send_news();
}

// What a failed link cannot carry is dropped.
void Control::send_pending() noexcept {
  std::size_t sent = 0;
  while (sent < news_count_ && put(Kind::news, news_[sent]) != Answer::again) ++sent;
  std::copy(news_.begin() + sent, news_.begin() + news_count_, news_.begin());
  news_count_ -= sent;
}

}  // namespace tutti::protocols
