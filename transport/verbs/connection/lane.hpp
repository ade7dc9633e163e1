// Lanes: what a link has on each of the rails beyond the first, for large messages only.
//
// A large message is cut into shares, one for each rail, and each share is a write with a notice of
// its own behind it. The receiver has the message when it has all notices; the sender may reuse its
// buffer when all shares are complete. Messages, credits and disconnects go by the first rail.
//
// Data path but for the constructor and attach(): noexcept; nothing is locked or allocated.
#pragma once

#include <array>
#include <deque>

#include "transport/verbs/connection/completion_queues.hpp"
#include "transport/verbs/connection/connection.hpp"
#include "transport/verbs/connection/writer.hpp"

namespace tutti::transport::verbs {

// A device beyond the first, and its completions.
struct Rail {
  Rail(const DeviceChoice& choice, int mtu_bytes, const std::function<void(std::string_view)>& log)
      : device(choice, log), mtu(device.mtu_for(mtu_bytes)), queues(device) {}
  Device device;
  ibv_mtu mtu;  // of connections
  CompletionQueues queues;
};
using Rails = std::deque<Rail>;

// One queue pair, and what it needs: a connection with the smallest inbox.
class Lane {
 public:
  // Memory that one takes.
  static constexpr std::size_t kBytes = 4096;
  // Throws as Connection.
  Lane(Rail& rail, const LinkOptions& options, Link& link);
  LaneInfo info() const noexcept;
  // Throws as Connection::attach.
  void attach(const LaneInfo& peer);

  Writer& writer() noexcept { return writer_; }
  const Writer& writer() const noexcept { return writer_; }
  const Connection& connection() const noexcept { return connection_; }
  // A receive was used up. false: the device takes no more.
  bool replace_receive() noexcept { return receives_.replace_one(); }

 private:
  const ibv_mtu mtu_;
  Connection connection_;
  Receives receives_;
  Writer writer_;
};

// The shares of messages that are under way.
class Shares {
 public:
  explicit Shares(std::size_t rails) : rails_(rails) {}
  // Adds a message: the number of its last request by each rail, or 0 if it has none there. Returns
  // its ticket.
  using Marks = std::array<std::uint64_t, kMostRails>;
  std::uint64_t add(const Marks& posted) noexcept;
  bool full() const noexcept { return last_ - completed_ == messages_.size(); }
  // The last request by each rail of this message and of all before it.
  const Marks& posted(std::uint64_t ticket) const noexcept {
    return messages_[ticket % messages_.size()];
  }
  // The last ticket whose shares are all complete.
  std::uint64_t complete(const Marks& completed) noexcept;
  std::uint64_t complete_all() noexcept { return completed_ = last_; }

 private:
  const std::size_t rails_;
  std::array<Marks, 128> messages_{};
  std::uint64_t last_ = 0, completed_ = 0;
};

}  // namespace tutti::transport::verbs
