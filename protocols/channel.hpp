// Channel: messages by name between this rank and one peer, over one Link.
//
// Promises: a message arrives whole, at the receive that names it, in whatever order receives are
// posted. No call blocks, or waits for the other side: what cannot go on now answers `again`. A
// send is not assumed to complete before its receive is posted. Nothing allocates after
// construction, save what is set aside (asks.hpp) or parked (rendezvous_moves.hpp).
//
// Leaves to the caller: names that both ranks compute alike, one message each; to ask again with
// the same arguments; and to call progress() on every channel now and then, since a peer may need
// credits, or an answer, from a rank that asks nothing of it. Used by one thread at a time.
//
// A message goes by one of these protocols, which its length and use decide (protocol_for.hpp):
//
//     Channel -> eager, pieces                         -> rings -> link
//             -> rendezvous (invites, moves) -> control -> rings
//
// Knows names and lengths; knows no schedule and no queue pair.
#pragma once

#include <optional>

#include "base/combine.hpp"
#include "base/function_ref.hpp"
#include "protocols/abandoned.hpp"
#include "protocols/complaint.hpp"
#include "protocols/control.hpp"
#include "protocols/news.hpp"
#include "protocols/pieces.hpp"
#include "protocols/protocol_for.hpp"
#include "protocols/rendezvous_invites.hpp"
#include "protocols/rendezvous_moves.hpp"
#include "protocols/rings.hpp"
#include "protocols/transfer.hpp"

namespace tutti::protocols {

class Channel {
 public:
  // `cache` may be null where the link needs no registration. All must outlive the channel.
  Channel(transport::Link& link, registration::Cache* cache, Listener& listener);
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  // --- messages

  // Both ends pass the same `use`; `load` is a hint. If the transfer has a view, bytes are packed
  // and unpacked on their way where the protocol can: whether they are is this end's affair alone.
  Answer send(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes,
              Use use = Use::stored, const transport::Load& load = {}) noexcept;
  // With `operand`, data = operand and message combined; only if combines_on_arrival().
  Answer recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
              Use use = Use::stored, const Operand* operand = nullptr) noexcept;
  // Gives up a transfer that is not done. Its buffer may not be given back yet: see Abandoned.
  void abandon(Transfer& transfer) noexcept;
  Abandoned& abandoned() noexcept { return abandoned_; }
  // A send has written all its bytes, and only the adapter has not said so yet.
  bool awaits_acknowledgement() const noexcept { return moves_.awaits_acknowledgement(); }

  // Reads what the peer tells, and sends reports, answers and news that are due. Cheap when there
  // is nothing.
  void progress() noexcept;

  // A message that a call receives by one name.
  struct Expected {
    Bytes bytes;
    Use use;
  };
  // By the ordinal in the call, to which that of its name is added; nullopt: nothing.
  using Expectation = FunctionRef<std::optional<Expected>(Ordinal)>;
  // Compares what has come of a call, and was not received, with what the call receives here.
  // false: it cannot be received, as the peer made another call or passed another size; failure()
  // says so. A receive looks only where a message of its own length comes, so a rank that waits for
  // long asks this now and then.
  bool fits(const MessageName& call, Expectation expected) noexcept;

  // This rank's news to the peer of calls and communicators. progress() sends those that wait.
  NewsSender& news() noexcept { return control_.news(); }

  // --- failures

  // Why the last transfer failed: a complaint about that transfer alone (complaint.hpp), or else
  // the link's failure. The channel goes on for others after a complaint.
  Code failure_code() const noexcept {
    return complaint_.made() ? complaint_.code() : link_.state().code();
  }
  const char* failure() const noexcept {
    return complaint_.made() ? complaint_.text() : link_.state().text();
  }
  // The rank of MPI_COMM_WORLD whose fault that is, if this one is `me`.
  int culprit(int me) const noexcept {
    const auto fault = complaint_.made() ? complaint_.fault() : link_.state().fault();
    return fault == Fault::of_this_rank ? me : peer();
  }
  // Makes a complaint on behalf of a protocol above this one. The text begins with the peer's rank,
  // `format` takes `a` and `b`. Answers failed.
  Answer complain(Code code, const char* format, long long a = 0, long long b = 0) noexcept {
    return complaint_.about_exchange(code, format, a, b);
  }
  void forget_complaint() noexcept { complaint_.forget(); }
  bool failed() const noexcept { return link_.state().failed(); }
  bool connecting() const noexcept { return link_.state() == transport::State::connecting; }
  bool closed() const noexcept { return link_.state() == transport::State::closed; }
  // Asks for a sign of life: a dead peer makes the link fail sooner or later. Reads the news that
  // the peer has left for those to whom it cannot connect.
  void probe() noexcept {
    link_.probe();
    control_.read_notices();
  }

  int peer() const noexcept { return link_.peer(); }  // rank of MPI_COMM_WORLD
  transport::Link& link() noexcept { return link_; }
  const Limits& limits() const noexcept { return limits_; }

 private:
  friend class BoundMemory;  // registers where this channel's messages do
  friend class SlotMessage;  // goes by this channel's rings
  Cut cut_of(Protocol protocol) const noexcept;
  void bring(Transfer& transfer, const void* data, Bytes bytes) noexcept;
  Answer send_either(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes,
                     const transport::Load& load) noexcept;
  Answer receive(Transfer& transfer, Protocol protocol, const MessageName& name, void* data,
                 Bytes bytes, const Operand* operand) noexcept;
  Answer receive_apart(Transfer& transfer, Protocol protocol, const MessageName& name, void* data,
                       Bytes bytes) noexcept;
  Answer receive_either(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
                        const Operand* operand) noexcept;
  bool fits(const Expected& expected, transport::Ring ring, Bytes came) noexcept;

  transport::Link& link_;
  const Limits limits_;
  Rings rings_;
  Control control_;
  Complaint complaint_;
  UserMemory memory_;
  RendezvousInvites invites_;
  RendezvousMoves moves_;
  Abandoned abandoned_;
};

// Whether such a message, once its receiver has invited this rank, goes without its help.
inline bool goes_alone(Channel& channel, Bytes bytes, Use use) noexcept {
  return channel.link().capabilities().notifies &&
         protocol_for(bytes, use, channel.limits()) == Protocol::rendezvous;
}

}  // namespace tutti::protocols
