// Reading and writing the control ring.
#include "protocols/control.hpp"

#include <algorithm>

namespace tutti::protocols {

using transport::Ring;

void Control::read() noexcept {
  while (const auto rendezvous = link_.finished()) note(*rendezvous, {Outcome::Kind::finished});
  rings_.take_all(Ring::control, [this](const Arrived& message) { take(message); });
}

void Control::take(const Arrived& message) noexcept {
  switch (static_cast<Kind>(message.trailer->name.ordinal)) {
    case Kind::ask: return rings_.hear(message.as<Ask>());
    case Kind::finished: return note(message.as<std::uint32_t>(), {Outcome::Kind::finished});
    case Kind::withdrawn: {
      // The communicator has failed at the peer, so it has failed here.
      const auto [rendezvous, cause] = message.as<Withdrawal>();
      note(rendezvous, {Outcome::Kind::withdrawn, cause.code});
      return listener_.hear(cause, link_.peer());
    }
    case Kind::news: return listener_.hear(message.as<News>(), link_.peer());
  }
}

void Control::note(std::uint32_t rendezvous, const Outcome& outcome) noexcept {
  if (rendezvous < kMostRendezvous) outcomes_[rendezvous] = outcome;
}

void Control::announce(const News& news) noexcept {
  if (news_count_ == news_.size()) return;  // full: the peer still gets the earlier ones
  news_[news_count_++] = news;
  send_news();
}

// Leaves half of the credits to announcements.
void Control::mention(const News& news) noexcept {
  if (news_count_ == 0 && rings_.half_free(Ring::control)) put(Kind::news, news);
}

// What a failed link cannot carry is dropped.
void Control::send_pending() noexcept {
  std::size_t sent = 0;
  while (sent < news_count_ && put(Kind::news, news_[sent]) != Answer::again) ++sent;
  std::copy(news_.begin() + sent, news_.begin() + news_count_, news_.begin());
  news_count_ -= sent;
}

}  // namespace tutti::protocols
