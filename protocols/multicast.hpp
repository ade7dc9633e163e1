// Broadcast by datagrams that may get lost, with repair over the reliable channels of a tree.
//
// The root sends the message as numbered fragments, a window of them at a time. A rank that has all
// of a window, or knows what it lacks, says so to its parent once all its children have: one small
// message a rank and window, and the only reliable ones as long as nothing is lost. Parents send
// what their children lack from their own buffer. The root is never more than two windows ahead of
// the slowest rank, so receive slots do not overflow even where a rank comes late; if they do, that
// is a loss like any other.
//
// A rank knows that fragments are lost when later ones have come and nothing follows, when the root
// says that a window is complete (a datagram that it repeats while it waits), or when its patience
// ends: then it asks for the whole window.
//
// Knows fragments, windows and channels; knows no schedule, no device. Nothing allocates after
// construction, or blocks.
#pragma once

#include <bitset>
#include <chrono>
#include <vector>

#include "protocols/channel.hpp"
#include "protocols/mailbox.hpp"

namespace tutti::protocols {

struct MulticastSettings {
  std::uint32_t grace = 64;  // steps without an arrival before gaps count as losses
  std::chrono::microseconds reminder{
      1000};  // the root repeats that a window is complete; doubles up to 64 times
  std::chrono::microseconds patience{500000};  // until a rank to which nothing comes asks for all
};

class MulticastBroadcast final : public Taker {
 public:
  static constexpr std::uint32_t kMaxWindow =
      256;  // fragments; a bit each in a status, which fits one line

  struct Counts {
    std::uint64_t fragments = 0, duplicates = 0, repaired = 0, reminders = 0, statuses = 0,
                  repairs = 0;
  };

  // `parent` null: this rank is the root. The channels form a tree over the members; `root` is the
  // root's world rank. All must outlive this object.
  MulticastBroadcast(Mailbox& mailbox, int root, Channel* parent,
                     const std::vector<Channel*>& children, const MulticastSettings& settings = {});
  ~MulticastBroadcast() override;

  // Begins: the root's `bytes` bytes at `data` go to the same on all others. Uses the ordinals from
  // name.ordinal on, as many as there are fragments. `data` is the broadcast's until done or
  // abandon(); the root's is not written.
  void start(const MessageName& name, void* data, Bytes bytes) noexcept;
  // done: the message is whole here, and nobody needs this rank any more. failed: see culprit().
  Answer advance() noexcept;
  // Gives up: peers lose the right to write into the buffer.
  void abandon() noexcept;

  Channel* culprit() const noexcept { return culprit_; }
  // The channels that are waited for.
  template <class Visit>
  void each_waiting(Visit&& visit) {
    if (parent_) visit(*parent_);
    for (Child& child : children_)
      if (child.repairing || child.heard < windows_) visit(*child.channel);
  }
  const Counts& counts() const noexcept { return counts_; }  // since construction

  void take(const DatagramHead& head, const std::byte* payload,
            std::uint32_t bytes) noexcept override;

 private:
  using Bits = std::bitset<kMaxWindow>;
  using Clock = std::chrono::steady_clock;
  struct Status {  // what one window lacks
    std::array<std::uint64_t, kMaxWindow / 64> missing{};
    Bytes bytes = 0;  // the whole broadcast's, as this rank has it
  };
  static_assert(sizeof(Status) == 40, "fits the smallest ring's slot");
  struct Child {
    Channel* channel;
    Transfer hearing{}, sending{};
    Status status{};
    Bits missing{};
    std::uint32_t heard = 0;  // windows it has spoken about
    bool repairing = false;
  };
  struct Run {  // of fragments within a window
    std::uint32_t first = 0, length = 0;
  };

  Answer tend(Child& child) noexcept;
  Answer fail(Channel* channel) noexcept;
  void leave() noexcept;
  void send_windows() noexcept;
  bool send_window(std::uint32_t window) noexcept;
  void remind() noexcept;
  void decide() noexcept;
  bool known_lost(std::uint32_t window) noexcept;
  Answer report() noexcept;
  Answer fetch() noexcept;
  bool finished() const noexcept;
  bool waited(std::chrono::microseconds limit) noexcept;
  void touch() noexcept { idle_ = 0; }
  std::uint32_t least_heard() const noexcept;
  std::uint32_t fragments_in(std::uint32_t window) const noexcept;
  static Run first_run(const Bits& bits) noexcept;
  MessageName name_of(std::uint32_t ordinal) const noexcept {
    return {name_.communicator, name_.collective, name_.ordinal + ordinal};
  }
  std::byte* at(std::uint32_t fragment) const noexcept {
    return data_ + static_cast<std::size_t>(fragment) * payload_;
  }
  Bytes length(std::uint32_t fragment, std::uint32_t count) const noexcept;

  Mailbox& mailbox_;
  const int root_;
  Channel* const parent_;
  const MulticastSettings settings_;
  const std::uint32_t payload_, window_;  // bytes a fragment, fragments a window
  std::vector<Child> children_;

  MessageName name_;
  std::byte* data_ = nullptr;
  Bytes bytes_ = 0;
  std::uint32_t fragments_ = 0, windows_ = 0;
  // How many windows are sent (root), known to be whole or not, told to the parent, whole
  // here.
  std::uint32_t sent_ = 0, decided_ = 0, reported_ = 0, complete_ = 0;
  std::uint32_t next_fragment_ = 0;  // of the root: the next to send
  std::uint32_t announced_ = 0;      // windows that the root has said to be complete
  std::array<Bits, 2> have_{};       // of the windows decided_ and decided_ + 1, by parity
  Bits missing_{};                   // of the window that is decided and not complete
  Status status_{};
  Transfer reporting_{}, fetching_{};
  std::uint32_t idle_ = 0;     // steps since something came or went
  Clock::time_point since_{};  // when that was noticed
  std::chrono::microseconds interval_{}, patience_{};
  bool running_ = false, closed_ = true;
  Channel* culprit_ = nullptr;
  Counts counts_;
};

}  // namespace tutti::protocols
