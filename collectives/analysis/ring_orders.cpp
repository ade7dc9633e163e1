// Explores all orders in which a sender and a receiver may begin messages of one ring.
#include "collectives/analysis/ring_orders.hpp"

#include <fmt/format.h>

#include <string>

namespace tutti::collectives {
namespace {

struct RingMessage {
  std::uint8_t pieces = 1, sent = 0;
  bool received_at_all = false;  // its receive is under way, or done
  SharedRing::Waiting waiting;
};

class RingPlay {
 public:
  RingPlay(const RingRules& rules, const std::vector<int>& pieces) : ring_(rules) {
    messages_.reserve(pieces.size());
    for (const int each : pieces)
      messages_.push_back({.pieces = static_cast<std::uint8_t>(each), .waiting = {}});
  }

  // Nothing begins any more; the next send begins; arrive, tell, hear; and for each message its
  // receive begins, its send tries, its receive tries.
  std::size_t moves() const noexcept { return kOthers + 3 * messages_.size(); }

  bool make(std::size_t move) { return change(move, nullptr); }

  // Also appends to the trace what the move did.
  bool make(std::size_t move, std::vector<std::string>& trace) { return change(move, &trace); }

  void append_key(std::string& key) const {
    ring_.append_key(key);
    key.push_back(static_cast<char>(ended_ ? 1 : 0));
    key.push_back(static_cast<char>(sends_));
    for (const RingMessage& message : messages_) {
      const auto& [phase, pieces, ticket] = message.waiting;
      key.push_back(static_cast<char>(message.sent));
      key.push_back(static_cast<char>(message.received_at_all ? 1 : 0));
      key.push_back(static_cast<char>(phase));
      key.push_back(static_cast<char>(pieces));
      key.push_back(static_cast<char>(ticket));  // fewer than 256 messages
    }
  }

  std::string fault() const { return ring_.fault() ? ring_.fault() : ""; }

  std::string end() const {
    for (std::size_t i = 0; i < messages_.size(); ++i) {
      const RingMessage& message = messages_[i];
      if (i < sends_ && message.received_at_all && message.waiting.pieces != message.pieces)
        return fmt::format("message {}, whose send and receive are both under way, never passes",
                           i);
    }
    return {};
  }

 private:
  enum : std::size_t { kEnd, kSend, kArrive, kTell, kHear, kOthers };

  static const char* words_for(Change change) noexcept {
    switch (change) {
      case Change::nothing: break;
      case Change::sent: return "is sent";
      case Change::lined_up: return "finds no slot, and is the first in line";
      case Change::received: return "is received";
      case Change::reported: return "is missed: the sender is told of its credit";
      case Change::starved: return "is missed while all credit is used up";
      case Change::set_aside: return "is missed: what lies in the slots is set aside";
      case Change::asked: return "is missed: what lies in the slots is set aside, and it asked for";
      case Change::arrived: return "arrives";
      case Change::told: return "the sender learns of its credit";
      case Change::heard: return "the sender hears the ask";
    }
    return "";
  }

  bool change(std::size_t move, std::vector<std::string>* trace) {
    const auto tell = [&](const char* format, auto... numbers) {
      if (trace) trace->push_back(fmt::format(fmt::runtime(format), numbers...));
      return true;
    };
    switch (move) {
      case kEnd:
        if (ended_) return false;
        ended_ = true;
        return tell("nothing else begins");
      case kSend:
        if (ended_ || sends_ == messages_.size()) return false;
        return tell("the send of message {} begins", sends_++);
      case kArrive: return ring_.arrive() != Change::nothing && tell("the oldest message arrives");
      case kTell: return ring_.tell() != Change::nothing && tell(words_for(Change::told));
      case kHear: return ring_.hear() != Change::nothing && tell(words_for(Change::heard));
      default: break;
    }
    const std::size_t number = (move - kOthers) / 3;
    const Change change = attempt(number, (move - kOthers) % 3);
    if (change == Change::nothing) return false;
    if (change == Change::arrived) return tell("the receive of message {} begins", number);
    return tell("message {} {}", number, words_for(change));
  }

  // arrived: its receive begins.
  Change attempt(std::size_t number, std::size_t what) {
    RingMessage& message = messages_[number];
    const auto name = static_cast<MessageNumber>(number);
    if (what == 0) {
      if (ended_ || message.received_at_all) return Change::nothing;
      message.received_at_all = true;
      return Change::arrived;
    }
    if (what == 1) {
      if (number >= sends_ || message.sent == message.pieces) return Change::nothing;
      const Change change = ring_.put(name, message.sent + 1 == message.pieces);
      if (change == Change::sent) ++message.sent;
      return change;
    }
    if (!message.received_at_all || message.waiting.pieces == message.pieces)
      return Change::nothing;
    return ring_.receive(name, message.pieces, message.waiting);
  }

  SharedRing ring_;
  std::vector<RingMessage> messages_;
  std::size_t sends_ = 0;  // how many have begun
  bool ended_ = false;
};

}  // namespace

Exploration prove_ring(const RingRules& rules, const std::vector<int>& pieces,
                       std::size_t most_states) {
  return explore(RingPlay(rules, pieces), most_states);
}

}  // namespace tutti::collectives
