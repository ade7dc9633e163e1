// Control: what two ranks tell each other beside messages: how rendezvous ended, which entry one of
// them requests, and news. Asks, which come the same way, are handed to the rings.
//
// Promises: an outcome is kept until its identifier is used again, and a request until it is
// forgotten. News that was announced (news_sender.hpp) is sent before any later withdrawal, which
// may be its consequence. Leaves to the caller: to call read() and news().send() now and then, and
// to repeat what answers `again`. Knows no message and no memory.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <vector>

#include "protocols/control_ring.hpp"
#include "protocols/news_sender.hpp"

namespace tutti::protocols {

// Rendezvous in flight with one peer. The inviting rank gives each an identifier below this.
inline constexpr std::uint32_t kMostRendezvous = transport::kInvitations;

// The word of the half of a rendezvous that moves the data to the one that invites.
struct Outcome {
  enum class Kind : std::uint8_t {
    pending,
    finished,   // all data is in the receiver's memory
    withdrawn,  // nothing will be moved, and nothing is being moved: the call has failed there
  };
  Kind kind = Kind::pending;
  Code code = Code::success;  // of `withdrawn`: why the call has failed
};

// The peer's part in a rendezvous.
enum class Access : std::uint32_t { write, read };

// In the control ring: a transfer waits for the ready entry of that message (rendezvous.hpp).
struct EntryRequest {
  MessageName name;
  Access access;
  friend bool operator==(const EntryRequest&, const EntryRequest&) = default;
};

class Control {
 public:
  // All must outlive this object.
  Control(transport::Link& link, Rings& rings, Listener& listener)
      : link_(link), rings_(rings), listener_(listener), news_(rings) {}

  // Reads everything that has arrived. News goes to the listener.
  void read() noexcept;
  // Reads the notices that the peer has left for ranks to which it cannot connect. Slower.
  void read_notices() noexcept;

  // --- rendezvous

  // These tell who invited how it ended.
  Answer send_finished(std::uint32_t rendezvous) noexcept {
    return put_control(rings_, ControlKind::finished, rendezvous);
  }
  Answer send_withdrawn(std::uint32_t rendezvous, const News& cause) noexcept {
    news_.send();
    if (news_.pending()) return rings_.not_yet();
    return put_control(
        rings_, ControlKind::withdrawn,
        Withdrawal{rendezvous, cause.communicator, cause.call, cause.code, cause.culprit});
  }
  // The peer's word to this rank, which invited, since expect().
  const Outcome& outcome(std::uint32_t rendezvous) const noexcept { return outcomes_[rendezvous]; }
  void expect(std::uint32_t rendezvous) noexcept {
    outcomes_[rendezvous] = {};
    expected_.set(rendezvous);
  }

  // Requests an entry from the peer that invites: this rank waits for it.
  Answer send_request(const EntryRequest& request) noexcept {
    return put_control(rings_, ControlKind::request, request);
  }
  // Whether the peer has requested it, since the last forget().
  bool requested(const EntryRequest& request) const noexcept {
    return std::ranges::find(requests_, request) != requests_.end();
  }
  void forget(const EntryRequest& request) noexcept { std::erase(requests_, request); }

  NewsSender& news() noexcept { return news_; }

 private:
  struct Withdrawal {  // the cause is news of Kind::failed
    std::uint32_t rendezvous;
    CommunicatorId communicator;
    CollectiveNumber call;
    Code code;
    int culprit;
    News cause() const noexcept {
      return {.communicator = communicator, .call = call, .code = code, .culprit = culprit};
    }
  };
  void take(const Arrived& message) noexcept;
  // false: this rank has invited to no such rendezvous, or was told how it ended.
  bool note(std::uint32_t rendezvous, const Outcome& outcome) noexcept;
  void note(const EntryRequest& request) noexcept;

  transport::Link& link_;
  Rings& rings_;
  Listener& listener_;
  std::array<Outcome, kMostRendezvous> outcomes_{};
  std::bitset<kMostRendezvous> expected_;  // which are still to come
  static constexpr std::size_t kMostRequests = std::size_t{1} << kOrdinalBits;
  std::vector<EntryRequest> requests_;  // of the peer: for each of its transfers at most one
  NewsSender news_;
};

}  // namespace tutti::protocols
