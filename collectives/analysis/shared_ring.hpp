// A model of one ring of slots from one rank to another, which all calls under way between the two
// share: what protocols/rings.hpp does, attempt by attempt, with the same counters
// (protocols/flow.hpp). It has no bytes and no time. Each thing that one rank learns from the other
// is a separate change: a message comes, a report of credit, an ask. So a search that goes through
// all orders of changes goes through all delays. Pure.
//
// A receive whose message has not come does this, if all that the sender had credit for has come:
// it reports the slots that are free again; if there are none, it sets aside what lies in them, and
// asks for its message, which then goes without credit.
//
// Left out: growth, connections that fail, strays, and messages of other rings, which share no slot
// with these. A report always goes at once; that it comes late is a later change.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocols/flow.hpp"

namespace tutti::collectives {

// The name of a message, in short. All that go through one ring have different ones.
using MessageNumber = std::uint32_t;
inline constexpr MessageNumber kNoMessage = ~MessageNumber{0};

// The change that an attempt has made.
enum class Change : std::uint8_t {
  nothing,
  sent,       // one piece of a message is on its way
  lined_up,   // there is no slot: the send gets the next one
  received,   // one piece was taken out of its slot, or from where it had been set aside
  reported,   // a receive does not find its message, and tells the sender of its credit
  starved,    // a receive has noted that all credit is used up, and its message not there
  set_aside,  // slots were emptied, and there is no slot yet for the ask
  asked,      // slots were emptied, and the ask is on its way
  arrived,    // a message is where its receiver looks
  told,       // the sender knows of credit
  heard,      // the sender knows of an ask
};

struct RingRules {
  std::uint32_t slots = 1;    // and as many credits
  bool sets_aside = true;     // false: nothing is set aside, and nobody asks
  bool reports_early = true;  // false: only when most slots are free, whatever the sender knows
  protocols::Reports reports = protocols::Reports::late;
};

class SharedRing {
 public:
  // A receive that waits.
  struct Waiting {
    enum class Phase : std::uint8_t { begin, starved, asked } phase = Phase::begin;
    std::uint8_t pieces = 0;   // that it has received
    std::uint32_t ticket = 0;  // see protocols/transfer.hpp
  };

  explicit SharedRing(const RingRules& rules)
      : rules_(rules), out_(rules.slots), in_(rules.slots, rules.reports) {}

  // Each is one attempt; nothing: it would be the same at any later time, unless something else
  // changes. The sender tries to send a piece, the `last` of its message or not.
  Change put(MessageNumber message, bool last);
  // The receiver looks for a message of so many pieces.
  Change receive(MessageNumber message, int pieces, Waiting& waiting);
  // The oldest message that is on its way comes; the newest report; the ask.
  Change arrive() noexcept;
  Change tell() noexcept;
  Change hear();

  // The message that lies in the first slot; kNoMessage: none.
  MessageNumber first() const noexcept { return in_slots_.empty() ? kNoMessage : in_slots_[0]; }
  // A promise of the channel that was broken: a slot written before it was free, or a peer that
  // counts as corrupt though it kept the protocol. Null: no promise was broken.
  const char* fault() const noexcept { return fault_; }
  // Appends all that what follows depends on.
  void append_key(std::string& key) const;

 private:
  struct Ask {
    MessageNumber message;
    std::uint32_t freed;
  };
  bool look_for_room(MessageNumber message) noexcept;
  bool asked_for(MessageNumber message) const noexcept;
  bool has_arrived(std::uint32_t sequence) const noexcept;
  MessageNumber& at(std::uint32_t sequence) { return in_slots_[sequence - in_.first()]; }
  void leave_slots();
  Change take(std::uint32_t sequence, int pieces, Waiting& waiting, bool searched);
  Change took(int pieces, Waiting& waiting, bool searched);
  Change ask(MessageNumber message, std::uint32_t arrived, Waiting& waiting);
  void report() noexcept;

  RingRules rules_;
  // The sender's state.
  protocols::OutFlow out_;
  MessageNumber first_in_line_ = kNoMessage;
  std::uint32_t seen_ = 0;  // the newest report that it can see
  std::vector<Ask> asks_;   // by which a message may still go
  // Between both.
  std::vector<MessageNumber> in_slots_;  // sent, and in a slot that is not free, the oldest first
  std::uint32_t arrived_ = 0;            // how many have come
  std::optional<Ask> ask_on_its_way_;    // one: the control ring has one slot, too
  // The receiver's state.
  protocols::InFlow in_;
  std::uint32_t reported_ = 0, asking_ = 0;
  std::vector<MessageNumber> aside_;  // ascending

  const char* fault_ = nullptr;
};

}  // namespace tutti::collectives
