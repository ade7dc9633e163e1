// The steps of the root, inner ranks and leaves in a broadcast by datagrams.
#include "protocols/multicast.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace tutti::protocols {

using transport::Post;

MulticastBroadcast::MulticastBroadcast(Mailbox& mailbox, int root, Channel* parent,
                                       const std::vector<Channel*>& children,
                                       const MulticastSettings& settings)
    : mailbox_(mailbox),
      root_(root),
      parent_(parent),
      settings_(settings),
      window_(std::clamp(mailbox.slots() / 4, 1u, FragmentSet::kMost)) {
  for (Channel* channel : children) children_.push_back({channel});
}

MulticastBroadcast::~MulticastBroadcast() { abandon(); }

void MulticastBroadcast::start(const MessageName& name, void* data, Bytes bytes) noexcept {
  name_ = name;
  data_ = static_cast<std::byte*>(data);
  fragments_ = Fragments(bytes, mailbox_.payload_bytes(), window_);
  sent_ = next_fragment_ = said_to_be_sent_ = 0;
  decided_ = reported_ = complete_ = parent_ ? 0 : fragments_.windows();
  have_ = {};
  missing_ = {};
  for (Child& child : children_) child = Child{child.channel};
  reporting_ = fetching_ = {};
  interval_ = settings_.reminder;
  timeout_ = settings_.timeout;
  culprit_ = nullptr;
  note_activity();
  running_ = true;
  subscribed_ = parent_ && fragments_.windows() != 0;
  if (subscribed_) mailbox_.open(*this, name_, root_);
}

Answer MulticastBroadcast::advance() noexcept {
  mailbox_.progress();
  ++idle_;
  for (Child& child : children_)
    if (serve(child) == Answer::failed) return Answer::failed;
  if (!parent_) {
    send_windows();
    remind();
  } else {
    decide();
    if (report() == Answer::failed || fetch() == Answer::failed) return Answer::failed;
  }
  if (!finished()) return Answer::again;
  unsubscribe();
  running_ = false;
  return Answer::done;
}

// The root, too: if all children have reported every window, it need not send the rest of any.
bool MulticastBroadcast::finished() const noexcept {
  const std::uint32_t windows = fragments_.windows();
  return complete_ == windows && reported_ == windows &&
         std::ranges::all_of(children_, [&](const Child& child) {
           return child.heard == windows && child.missing.empty();
         });
}

void MulticastBroadcast::unsubscribe() noexcept {
  if (std::exchange(subscribed_, false)) mailbox_.close(*this);
}

void MulticastBroadcast::abandon() noexcept {
  unsubscribe();
  if (!std::exchange(running_, false)) return;
  if (parent_) {
    parent_->abandon(reporting_);
    parent_->abandon(fetching_);
  }
  for (Child& child : children_) {
    child.channel->abandon(child.hearing);
    child.channel->abandon(child.sending);
  }
}

Answer MulticastBroadcast::not_done(Answer answer, Channel* channel) noexcept {
  if (answer == Answer::failed) culprit_ = channel;
  return answer;
}

std::uint32_t MulticastBroadcast::least_heard() const noexcept {
  std::uint32_t least = fragments_.windows();
  for (const Child& child : children_) least = std::min(least, child.heard);
  return least;
}

// Reading the clock costs more than the rest of advance(), so it is read now and then, and only by
// a rank to which nothing comes.
bool MulticastBroadcast::idle_for(std::chrono::microseconds limit) noexcept {
  constexpr std::uint32_t kCallsPerReading = 64;
  if (idle_ < settings_.grace || (idle_ - settings_.grace) % kCallsPerReading != 0) return false;
  const auto now = Clock::now();
  if (idle_ == settings_.grace) idle_since_ = now;
  return now - idle_since_ >= limit;
}

// --- towards the children

Answer MulticastBroadcast::serve(Child& child) noexcept {
  for (;;) {
    if (const Answer answer = repair(child); answer != Answer::done) return answer;
    if (child.heard == fragments_.windows()) return Answer::done;
    if (const Answer answer = hear(child); answer != Answer::done) return answer;
  }
}

// Sends what the child lacks of the window that it reported last, once this rank has it. The child
// cuts the same set into the same runs.
Answer MulticastBroadcast::repair(Child& child) noexcept {
  while (!child.missing.empty()) {
    const std::uint32_t window = child.heard - 1;
    if (complete_ <= window) return Answer::again;
    const Run run = child.missing.first_run();
    const std::uint32_t fragment = fragments_.first_of(window) + run.first;
    const Answer answer = child.channel->send(child.sending, name_of(fragment), at(fragment),
                                              fragments_.length(fragment, run.length));
    if (answer != Answer::done) return not_done(answer, child.channel);
    child.sending = {};
    child.missing.erase(run);
    ++counts_.repairs;
    note_activity();
  }
  return Answer::done;
}

// Receives the child's report about the next window.
Answer MulticastBroadcast::hear(Child& child) noexcept {
  const Answer answer =
      child.channel->recv(child.hearing, name_of(child.heard), &child.status, sizeof child.status);
  if (answer != Answer::done) return not_done(answer, child.channel);
  child.hearing = {};
  if (child.status.bytes != fragments_.bytes())
    return not_done(child.channel->complain(
                        Code::calls_differ,
                        "a broadcast of %lld bytes is received where %lld are sent: do all ranks "
                        "pass the same sizes?",
                        child.status.bytes, fragments_.bytes()),
                    child.channel);
  child.missing = child.status.missing & FragmentSet::first(fragments_.count_in(child.heard));
  ++child.heard;
  interval_ = settings_.reminder;
  note_activity();
  return Answer::done;
}

// --- the root

// Window w is sent once all children have reported window w - 2: then everyone has slots for it.
void MulticastBroadcast::send_windows() noexcept {
  if (children_.empty()) sent_ = fragments_.windows();
  for (; sent_ < fragments_.windows(); ++sent_) {
    const std::uint32_t heard = least_heard();
    if (sent_ >= 2 && heard + 1 < sent_) return;
    next_fragment_ = std::max(next_fragment_, fragments_.first_of(sent_));
    // If all have asked for this window already, datagrams would be lost.
    if (heard <= sent_ && !send_window(sent_)) return;
    note_activity();
  }
}

// false: not all of it yet.
bool MulticastBroadcast::send_window(std::uint32_t window) noexcept {
  const std::uint32_t end = fragments_.first_of(window) + fragments_.count_in(window);
  for (; next_fragment_ < end; ++next_fragment_) {
    const Post post = mailbox_.send(name_, root_, next_fragment_, 0, at(next_fragment_),
                                    static_cast<std::uint32_t>(fragments_.length(next_fragment_)));
    if (post == Post::again) return false;
    if (post == Post::failed) return true;  // all the rest is lost, and will be repaired
    ++counts_.fragments;
  }
  return true;
}

void MulticastBroadcast::remind() noexcept {
  if (sent_ == 0 || least_heard() >= sent_ || !idle_for(interval_)) return;
  if (mailbox_.send(name_, root_, DatagramHead::kEnd, sent_, nullptr, 0) != Post::done) return;
  ++counts_.reminders;
  interval_ = std::min(interval_ * 2, settings_.reminder * 64);
  note_activity();
}

// --- everyone else

void MulticastBroadcast::take(const DatagramHead& head, const std::byte* payload,
                              std::uint32_t bytes) noexcept {
  if (head.fragment == DatagramHead::kEnd) {
    said_to_be_sent_ = std::max(said_to_be_sent_, std::min(head.windows, fragments_.windows()));
    return;
  }
  if (head.fragment >= fragments_.count() || bytes != fragments_.length(head.fragment)) return;
  const std::uint32_t window = fragments_.window_of(head.fragment),
                      place = fragments_.place_of(head.fragment);
  FragmentSet& have = have_[window % 2];
  if (window < decided_ || window > decided_ + 1 || have.has(place)) {
    ++counts_.duplicates;
    return;
  }
  std::memcpy(at(head.fragment), payload, bytes);
  have.insert(place);
  ++counts_.fragments;
  timeout_ = settings_.timeout;
  note_activity();
}

// Whether what this window lacks will not come.
bool MulticastBroadcast::known_lost(std::uint32_t window) noexcept {
  if (idle_ < settings_.grace) return false;
  if (said_to_be_sent_ > window || !have_[(window + 1) % 2].empty() ||
      have_[window % 2].has(fragments_.count_in(window) - 1))
    return true;
  if (!idle_for(timeout_)) return false;
  timeout_ /= 8;  // if the network carries nothing, each further window costs less time
  return true;
}

// Decides windows in order, and waits for the repair of an incomplete one before the next.
void MulticastBroadcast::decide() noexcept {
  while (decided_ < fragments_.windows() && complete_ == decided_) {
    FragmentSet& have = have_[decided_ % 2];
    const std::uint32_t count = fragments_.count_in(decided_);
    const bool whole = have.size() == count;
    if (!whole && !known_lost(decided_)) return;
    missing_ = FragmentSet::first(count) - have;
    counts_.repaired += missing_.size();
    have = {};
    ++decided_;
    if (whole) complete_ = decided_;
    note_activity();
  }
  if (complete_ == fragments_.windows()) unsubscribe();
}

// Reports each decided window to the parent, once all children have reported it.
Answer MulticastBroadcast::report() noexcept {
  while (reported_ < decided_ && least_heard() > reported_) {
    status_ = {reported_ == complete_ ? missing_ : FragmentSet{}, fragments_.bytes()};
    const Answer answer = parent_->send(reporting_, name_of(reported_), &status_, sizeof status_);
    if (answer != Answer::done) return not_done(answer, parent_);
    reporting_ = {};
    ++reported_;
    ++counts_.statuses;
  }
  return Answer::done;
}

// Receives what was reported as missing.
Answer MulticastBroadcast::fetch() noexcept {
  if (complete_ == decided_ || reported_ < decided_) return Answer::done;
  while (!missing_.empty()) {
    const Run run = missing_.first_run();
    const std::uint32_t fragment = fragments_.first_of(complete_) + run.first;
    const Answer answer = parent_->recv(fetching_, name_of(fragment), at(fragment),
                                        fragments_.length(fragment, run.length));
    if (answer != Answer::done) return not_done(answer, parent_);
    fetching_ = {};
    missing_.erase(run);
  }
  complete_ = decided_;
  note_activity();
  return Answer::done;
}

}  // namespace tutti::protocols
