// Broadcast by datagrams that may get lost, with repair over the reliable channels of a tree.
//
// The root sends the message as numbered fragments, one window of them at a time. For each window,
// a rank waits until it has all fragments or knows which are lost, and until all its children in
// the tree have reported; then it reports to its parent what it lacks. That is one small message
// for each rank and window, and the only reliable one as long as nothing is lost. A parent sends
// what its children lack from its own buffer, once it is complete. The root is never more than two
// windows ahead of the slowest rank, so receive slots do not overflow even if a rank comes late; if
// they do, that is a loss like any other.
//
// A rank knows that fragments are lost when later ones have come and nothing follows, when the root
// has said that it sent the whole window (a datagram that it repeats while it waits), or when
// nothing has come for long: then it asks for the whole window.
//
// Promises: every rank gets every byte, whatever becomes of the datagrams, or an error. Nothing
// allocates after construction, or blocks. Leaves to the caller: a tree over all members, known
// alike by all, and to progress its channels. Knows fragments, windows and channels; knows no
// schedule and no device.
#pragma once

#include <chrono>
#include <vector>

#include "base/running_clock.hpp"
#include "protocols/channel.hpp"
#include "protocols/fragments.hpp"
#include "protocols/mailbox.hpp"

namespace tutti::protocols {

struct MulticastSettings {
  // Calls of advance() to which nothing new has come, before gaps count as losses.
  std::uint32_t grace = 64;
  // After this time the root repeats that a window is sent; the time doubles with each repetition,
  // up to 64 times.
  std::chrono::microseconds reminder{1000};
  // A rank to which nothing has come for this time asks for a whole window.
  std::chrono::microseconds timeout{500000};
};

class MulticastBroadcast final : public Subscriber {
 public:
  struct Counts {
    std::uint64_t fragments = 0, duplicates = 0, repaired = 0, reminders = 0, statuses = 0,
                  repairs = 0;
  };

  // `parent` null: this rank is the root. The channels form a tree over the members; `root` is the
  // root's rank of MPI_COMM_WORLD. All must outlive this object.
  MulticastBroadcast(Mailbox& mailbox, int root, Channel* parent,
                     const std::vector<Channel*>& children, const MulticastSettings& settings = {});
  ~MulticastBroadcast() override;

  // Begins: the `bytes` bytes at the root's `data` go to `data` on all others. Uses the ordinals
  // from name.ordinal on, as many as there are fragments. The caller leaves `data` alone until
  // done or abandon(); the root's is only read.
  void start(const MessageName& name, void* data, Bytes bytes) noexcept;
  // done: the message is whole here, and no child needs this rank any more. failed: see culprit().
  Answer advance() noexcept;
  // Gives up; see Channel::abandon().
  void abandon() noexcept;

  // The channel that failed.
  Channel* culprit() const noexcept { return culprit_; }
  // The channels that are waited for.
  template <class Visit>
  void each_waiting(Visit&& visit) {
    if (parent_) visit(*parent_);
    for (Child& child : children_)
      if (child.heard < fragments_.windows() || !child.missing.empty()) visit(*child.channel);
  }
  const Counts& counts() const noexcept { return counts_; }  // since construction

  void take(const DatagramHead& head, const std::byte* payload,
            std::uint32_t bytes) noexcept override;

 private:
  using Clock = RunningClock;
  // A rank's word to its parent about one window.
  struct Status {
    FragmentSet missing{};
    Bytes bytes = 0;  // of the whole message, as this rank expects it
  };
  static_assert(sizeof(Status) == 40, "fits the smallest ring's slot");
  struct Child {
    Channel* channel;
    Transfer hearing{}, sending{};
    Status status{};
    std::uint32_t heard = 0;  // windows that it has reported
    FragmentSet missing{};    // of the last of them, not sent yet
  };

  Answer serve(Child& child) noexcept;
  Answer repair(Child& child) noexcept;
  Answer hear(Child& child) noexcept;
  void send_windows() noexcept;
  bool send_window(std::uint32_t window) noexcept;
  void remind() noexcept;
  void decide() noexcept;
  bool known_lost(std::uint32_t window) noexcept;
  Answer report() noexcept;
  Answer fetch() noexcept;
  bool finished() const noexcept;
  void unsubscribe() noexcept;
  // Passes the answer on, and notes whose failure it is.
  Answer not_done(Answer answer, Channel* channel) noexcept;
  bool idle_for(std::chrono::microseconds limit) noexcept;
  void note_activity() noexcept { idle_ = 0; }
  std::uint32_t least_heard() const noexcept;
  MessageName name_of(std::uint32_t ordinal) const noexcept {
    return {name_.communicator, name_.collective, name_.ordinal + ordinal};
  }
  std::byte* at(std::uint32_t fragment) const noexcept {
    return data_ + fragments_.offset(fragment);
  }

  Mailbox& mailbox_;
  const int root_;
  Channel* const parent_;
  const MulticastSettings settings_;
  const std::uint32_t window_;  // fragments
  std::vector<Child> children_;

  MessageName name_;
  std::byte* data_ = nullptr;
  Fragments fragments_;
  // How many windows are sent (by the root), decided (whole here, or known to be incomplete),
  // reported to the parent, and complete here.
  std::uint32_t sent_ = 0, decided_ = 0, reported_ = 0, complete_ = 0;
  std::uint32_t next_fragment_ = 0;    // the root sends it next
  std::uint32_t said_to_be_sent_ = 0;  // windows, by the root
  std::array<FragmentSet, 2> have_{};  // of the windows decided_ and decided_ + 1, by parity
  FragmentSet missing_{};              // of the window that is decided and not complete
  Status status_{};
  Transfer reporting_{}, fetching_{};
  std::uint32_t idle_ = 0;          // calls of advance() since something came or went
  Clock::time_point idle_since_{};  // when that was noticed
  std::chrono::microseconds interval_{}, timeout_{};
  bool running_ = false, subscribed_ = false;
  Channel* culprit_ = nullptr;
  Counts counts_;
};

}  // namespace tutti::protocols
