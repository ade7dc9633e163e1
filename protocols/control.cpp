// Reads and writes the messages of the control ring.
#include "protocols/control.hpp"

#include <new>

namespace tutti::protocols {

using transport::Ring;

void Control::read() noexcept {
  while (const auto rendezvous = link_.inbox().finished())
    if (!note(*rendezvous, {Outcome::Kind::finished}))
      link_.fail_as_corrupt("it has finished transfer %lld, which cannot be", *rendezvous);
  rings_.take_all(Ring::control, [this](const Arrived& message) { take(message); });
}

void Control::take(const Arrived& message) noexcept {
  switch (static_cast<ControlKind>(message.name().ordinal)) {
    case ControlKind::ask:
      if (const auto ask = message.as<Ask>()) return rings_.hear(*ask);
      break;
    case ControlKind::finished:
      if (const auto rendezvous = message.as<std::uint32_t>();
          rendezvous && note(*rendezvous, {Outcome::Kind::finished}))
        return;
      break;
    case ControlKind::withdrawn:
      if (const auto told = message.as<Withdrawal>();
          told && told->cause().credible() &&
          note(told->rendezvous, {Outcome::Kind::withdrawn, told->code}))
        // The communicator has failed at the peer, so it has failed here.
        return listener_.hear(told->cause(), link_.peer());
      break;
    case ControlKind::news:
      if (const auto news = message.as<News>(); news && news->credible())
        return listener_.hear(*news, link_.peer());
      break;
    case ControlKind::request:
      if (const auto request = message.as<EntryRequest>();
          request && request->access <= Access::read)
        return note(*request);
      break;
    case ControlKind::standing:
      if (const auto standing = message.as<Standing>())
        return listener_.hear_standing(*standing, link_.peer());
      break;
  }
  link_.fail_as_corrupt("its control message of %lld bytes (kind %lld) makes no sense",
                        message.length.bytes(), message.name().ordinal);
}

void Control::read_notices() noexcept {
  while (const auto notice = link_.notice()) {
    const News news = news_in(*notice);
    if (!news.credible()) return link_.fail_as_corrupt("a notice that it has left makes no sense");
    listener_.hear_notice(news, link_.peer());
  }
}

bool Control::note(std::uint32_t rendezvous, const Outcome& outcome) noexcept {
  if (rendezvous >= kMostRendezvous || !expected_[rendezvous]) return false;
  expected_.reset(rendezvous);
  outcomes_[rendezvous] = outcome;
  return true;
}

void Control::note(const EntryRequest& request) noexcept {
  if (requests_.size() == kMostRequests)
    return link_.fail_as_corrupt("it waits for more than %lld ready entries", kMostRequests);
  try {
    requests_.push_back(request);
  } catch (const std::bad_alloc&) {
    link_.fail(Code::out_of_memory, "no memory for what the peer waits for", Fault::of_this_rank);
  }
}

}  // namespace tutti::protocols
