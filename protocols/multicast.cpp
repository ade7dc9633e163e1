// The steps of root, inner ranks and leaves.
#include "protocols/multicast.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bits.hpp"

namespace tutti::protocols {

using transport::Post;

MulticastBroadcast::MulticastBroadcast(Mailbox& mailbox, int root, Channel* parent,
                                       const std::vector<Channel*>& children,
                                       const MulticastSettings& settings)
    : mailbox_(mailbox),
      root_(root),
      parent_(parent),
      settings_(settings),
      payload_(mailbox.payload_bytes()),
      window_(std::clamp(mailbox.slots() / 4, 1u, kMaxWindow)) {
  for (Channel* channel : children) children_.push_back({channel});
}

MulticastBroadcast::~MulticastBroadcast() { abandon(); }

void MulticastBroadcast::start(const MessageName& name, void* data, Bytes bytes) noexcept {
  name_ = name;
  data_ = static_cast<std::byte*>(data);
  bytes_ = bytes;
  fragments_ = static_cast<std::uint32_t>(divide_up<Bytes>(bytes, payload_));
  windows_ = divide_up(fragments_, window_);
  sent_ = decided_ = reported_ = complete_ = next_fragment_ = announced_ = 0;
  if (!parent_) decided_ = reported_ = complete_ = windows_;
  for (Bits& bits : have_) bits.reset();
  for (Child& child : children_) child = Child{child.channel};
  reporting_ = fetching_ = {};
  interval_ = settings_.reminder;
  patience_ = settings_.patience;
  culprit_ = nullptr;
  touch();
  running_ = true;
  closed_ = !parent_ || windows_ == 0;
  if (!closed_) mailbox_.open(*this, name_, root_);
}

Answer MulticastBroadcast::advance() noexcept {
  mailbox_.progress();
  ++idle_;
  for (Child& child : children_)
    if (tend(child) == Answer::failed) return Answer::failed;
  if (!parent_) {
    send_windows();
    remind();
  } else {
    decide();
    if (report() == Answer::failed || fetch() == Answer::failed) return Answer::failed;
  }
  if (!finished()) return Answer::again;
  leave();
  running_ = false;
  return Answer::done;
}

void MulticastBroadcast::leave() noexcept {
  if (!std::exchange(closed_, true)) mailbox_.close(*this);
}

bool MulticastBroadcast::finished() const noexcept {
  if (complete_ < windows_ || reported_ < windows_) return false;
  for (const Child& child : children_)
    if (child.heard < windows_ || child.repairing) return false;
  return true;  // the root: all have spoken about every window, so it need not send the rest of any
}

void MulticastBroadcast::abandon() noexcept {
  leave();
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

Answer MulticastBroadcast::fail(Channel* channel) noexcept {
  culprit_ = channel;
  return Answer::failed;
}

// --- fragments and windows ---------------------------------------------------------------------

std::uint32_t MulticastBroadcast::fragments_in(std::uint32_t window) const noexcept {
  return std::min(window_, fragments_ - window * window_);
}

Bytes MulticastBroadcast::length(std::uint32_t fragment, std::uint32_t count) const noexcept {
  const Bytes begin = static_cast<Bytes>(fragment) * payload_;
  return std::min(begin + static_cast<Bytes>(count) * payload_, bytes_) - begin;
}

// Sender and receiver of a repair cut the same bits into the same runs.
MulticastBroadcast::Run MulticastBroadcast::first_run(const Bits& bits) noexcept {
  Run run;
  while (run.first < kMaxWindow && !bits[run.first]) ++run.first;
  while (run.first + run.length < kMaxWindow && bits[run.first + run.length]) ++run.length;
  return run;
}

std::uint32_t MulticastBroadcast::least_heard() const noexcept {
  std::uint32_t least = windows_;
  for (const Child& child : children_) least = std::min(least, child.heard);
  return least;
}

// The clock costs more than a step: it is read now and then, and only by a rank to which nothing
// comes.
bool MulticastBroadcast::waited(std::chrono::microseconds limit) noexcept {
  constexpr std::uint32_t kStepsPerLook = 64;
  if (idle_ < settings_.grace || (idle_ - settings_.grace) % kStepsPerLook != 0) return false;
  const auto now = Clock::now();
  if (idle_ == settings_.grace) since_ = now;
  return now - since_ >= limit;
}

// --- towards the children ----------------------------------------------------------------------

// Hears what a child lacks, and sends it as soon as it is here.
Answer MulticastBroadcast::tend(Child& child) noexcept {
  for (;;) {
    while (child.repairing) {
      const std::uint32_t window = child.heard - 1;
      if (complete_ <= window) return Answer::again;
      const Run run = first_run(child.missing);
      const std::uint32_t fragment = window * window_ + run.first;
      const Answer answer = child.channel->send(child.sending, name_of(fragment), at(fragment),
                                                length(fragment, run.length));
      if (answer != Answer::done) return answer == Answer::failed ? fail(child.channel) : answer;
      child.sending = {};
      ++counts_.repairs;
      for (std::uint32_t i = 0; i < run.length; ++i) child.missing.reset(run.first + i);
      child.repairing = child.missing.any();
      touch();
    }
    if (child.heard == windows_) return Answer::done;
    const Answer answer = child.channel->recv(child.hearing, name_of(child.heard), &child.status,
                                              sizeof child.status);
    if (answer != Answer::done) return answer == Answer::failed ? fail(child.channel) : answer;
    child.hearing = {};
    if (child.status.bytes != bytes_) {
      child.channel->complain(Code::size_mismatch,
                              "a broadcast of %lld bytes is received where %lld are sent: do all "
                              "ranks pass the same sizes?",
                              child.status.bytes, bytes_);
      return fail(child.channel);
    }
    for (std::uint32_t i = 0; i < fragments_in(child.heard); ++i)
      child.missing[i] = (child.status.missing[i / 64] >> (i % 64)) & 1u;
    child.repairing = child.missing.any();
    ++child.heard;
    interval_ = settings_.reminder;
    touch();
  }
}

// --- the root ----------------------------------------------------------------------------------

// Window w goes out once all have spoken about w - 2: then everyone has the slots for it.
void MulticastBroadcast::send_windows() noexcept {
  if (children_.empty()) sent_ = windows_;
  for (; sent_ < windows_; ++sent_) {
    const std::uint32_t heard = least_heard();
    if (sent_ >= 2 && heard + 1 < sent_) return;
    next_fragment_ = std::max(next_fragment_, sent_ * window_);
    if (heard <= sent_ && !send_window(sent_))
      return;  // where all have lost patience, it would come in vain
    touch();
  }
}

bool MulticastBroadcast::send_window(std::uint32_t window) noexcept {
  for (const std::uint32_t end = window * window_ + fragments_in(window); next_fragment_ < end;
       ++next_fragment_) {
    const Post post = mailbox_.send(name_, root_, next_fragment_, 0, at(next_fragment_),
                                    static_cast<std::uint32_t>(length(next_fragment_, 1)));
    if (post == Post::again) return false;
    if (post == Post::failed) return true;  // then all of it is lost, and repaired
    ++counts_.fragments;
  }
  return true;
}

void MulticastBroadcast::remind() noexcept {
  if (sent_ == 0 || least_heard() >= sent_ || !waited(interval_)) return;
  if (mailbox_.send(name_, root_, DatagramHead::kEnd, sent_, nullptr, 0) != Post::done) return;
  ++counts_.reminders;
  interval_ = std::min(interval_ * 2, settings_.reminder * 64);
  touch();
}

// --- everyone else -----------------------------------------------------------------------------

void MulticastBroadcast::take(const DatagramHead& head, const std::byte* payload,
                              std::uint32_t bytes) noexcept {
  if (head.fragment == DatagramHead::kEnd) {
    announced_ = std::max(announced_, std::min(head.windows, windows_));
    return;
  }
  if (head.fragment >= fragments_ || bytes != length(head.fragment, 1)) return;
  const std::uint32_t window = head.fragment / window_, place = head.fragment % window_;
  Bits& have = have_[window % 2];
  if (window < decided_ || window > decided_ + 1 || have[place]) {
    ++counts_.duplicates;
    return;
  }
  std::memcpy(at(head.fragment), payload, bytes);
  have.set(place);
  ++counts_.fragments;
  patience_ = settings_.patience;
  touch();
}

// Whether it is time to give up waiting for what this window lacks.
bool MulticastBroadcast::known_lost(std::uint32_t window) noexcept {
  if (idle_ < settings_.grace) return false;
  if (announced_ > window || have_[(window + 1) % 2].any() ||
      have_[window % 2][fragments_in(window) - 1])
    return true;
  if (!waited(patience_)) return false;
  patience_ /= 8;  // if all is lost, each window costs less
  return true;
}

// A window is decided when it is whole, or its gaps are known. At most one that is not whole lies
// behind it.
void MulticastBroadcast::decide() noexcept {
  while (decided_ < windows_ && complete_ == decided_) {
    Bits& have = have_[decided_ % 2];
    const std::uint32_t count = fragments_in(decided_);
    const bool whole = have.count() == count;
    if (!whole && !known_lost(decided_)) return;
    missing_.reset();
    for (std::uint32_t i = 0; i < count && !whole; ++i) missing_[i] = !have[i];
    counts_.repaired += missing_.count();
    have.reset();
    ++decided_;
    if (whole) complete_ = decided_;
    touch();
  }
  if (complete_ == windows_) leave();
}

// Tells the parent about each window, after all children have told of it.
Answer MulticastBroadcast::report() noexcept {
  while (reported_ < decided_ && least_heard() > reported_) {
    status_ = {};
    status_.bytes = bytes_;
    for (std::uint32_t i = 0; reported_ == complete_ && i < kMaxWindow; ++i)
      if (missing_[i]) status_.missing[i / 64] |= std::uint64_t{1} << (i % 64);
    const Answer answer = parent_->send(reporting_, name_of(reported_), &status_, sizeof status_);
    if (answer != Answer::done) return answer == Answer::failed ? fail(parent_) : answer;
    reporting_ = {};
    ++reported_;
    ++counts_.statuses;
  }
  return Answer::done;
}

// Receives what the parent was told to be missing.
Answer MulticastBroadcast::fetch() noexcept {
  if (complete_ == decided_ || reported_ < decided_) return Answer::done;
  while (missing_.any()) {
    const Run run = first_run(missing_);
    const std::uint32_t fragment = complete_ * window_ + run.first;
    const Answer answer =
        parent_->recv(fetching_, name_of(fragment), at(fragment), length(fragment, run.length));
    if (answer != Answer::done) return answer == Answer::failed ? fail(parent_) : answer;
    fetching_ = {};
    for (std::uint32_t i = 0; i < run.length; ++i) missing_.reset(run.first + i);
  }
  complete_ = decided_;
  touch();
  return Answer::done;
}

}  // namespace tutti::protocols
