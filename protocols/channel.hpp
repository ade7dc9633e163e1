// Channel: messages by name between this rank and one peer, over one Link.
//
// Eager messages go through the peer's rings; large ones by receiver-driven rendezvous: the
// receiver writes a ready-to-receive (RTR) entry, the sender writes the data straight into the
// user's buffer. A message that nobody waits for yet stays in its slot; the search for a name looks
// past it. Nothing here allocates after construction, blocks, or assumes that a send completes
// before its receive is posted. (One exception allocates: messages of other communicators that fill
// a ring in front of the one that is wanted are set aside, within a bound.)
//
// Knows names, credits and registrations; knows no schedule and no queue pair.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

#include "protocols/aside.hpp"
#include "base/combine.hpp"
#include "protocols/flow.hpp"
#include "protocols/news.hpp"
#include "protocols/protocol_for.hpp"
#include "registration/cache.hpp"
#include "transport/link.hpp"

namespace tutti::protocols {

enum class Answer : std::uint8_t {
  done,    // sent (the local bytes may be reused), or received
  again,   // not yet: progress everything, then ask again with the same arguments
  failed,  // never: see failure()
};

// Where one send or receive stands. The caller keeps it, zeroed at the start, until done, failed or
// abandon().
struct Transfer {
  std::uint8_t phase = 0;
  std::uint32_t rendezvous = 0;  // of a receive: what the sender names when it has finished
  std::uint64_t ticket = 0;
  Bytes moved = 0;  // bytes that have gone in pieces
  registration::Region* region = nullptr;
};

constexpr Limits limits_of(const transport::InboxShape& shape, bool direct) {
  return {shape[transport::Ring::line].capacity(), shape[transport::Ring::small].capacity(),
          shape[transport::Ring::eager].capacity(), direct};
}

class Channel {
 public:
  // `cache` may be null where the link needs no registration. All must outlive the channel.
  Channel(transport::Link& link, registration::Cache* cache, Listener& listener);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  Answer send(Transfer& transfer, const MessageName& name, const void* data, Bytes bytes) noexcept;
  // With `operand`, data = operand and message combined; only if combines_on_arrival().
  Answer recv(Transfer& transfer, const MessageName& name, void* data, Bytes bytes,
              const Operand* operand = nullptr) noexcept;
  // Gives up a transfer that is neither done nor failed. The peer may still be writing into the
  // buffer of a receive, until it has answered, which it does once it knows that the communicator
  // has failed: the caller tells it so, and waits a while for `withdrawing()` to end.
  void abandon(Transfer& transfer) noexcept;
  bool withdrawing() const noexcept { return rendezvous_abandoned_.any(); }
  // The peer loses the right to write into what is still withdrawing. If it does so all the same,
  // the connection is lost over some wires.
  void revoke_abandoned() noexcept;

  // Reads control messages, and sends reports and notices that are due. Cheap when there is
  // nothing.
  void progress() noexcept;
  void probe() noexcept { link_.probe(); }
  // Tells the peer; kept and sent again by progress() while there is no credit.
  void announce(const News& news) noexcept;
  // Tells the peer if there is plenty of credit, else not at all: the caller says it again.
  void mention(const News& news) noexcept;
  bool news_pending() const noexcept { return news_count_ != 0; }

  // Why the last transfer failed: a complaint about that transfer alone (a message of another
  // length, memory that cannot be registered), after which the channel goes on for others; else the
  // link's failure.
  Code failure_code() const noexcept {
    return complaint_ != Code::success ? complaint_ : link_.failure_code();
  }
  const char* failure() const noexcept {
    return complaint_ != Code::success ? complaint_text_ : link_.failure();
  }
  void forget_complaint() noexcept { complaint_ = Code::success; }
  // Makes such a complaint; the text begins with the peer's rank, `format` takes `a` and `b`.
  // Answers failed.
  Answer complain(Code code, const char* format, long long a = 0, long long b = 0) noexcept;
  bool failed() const noexcept { return link_.failed(); }
  // A send has written all its bytes, and only the adapter has not said so yet.
  bool awaits_acknowledgement() const noexcept { return unacknowledged_ != 0; }
  bool closed() const noexcept { return link_.state() == transport::State::closed; }
  int peer() const noexcept { return link_.peer(); }
  transport::Link& link() noexcept { return link_; }
  const Limits& limits() const noexcept { return limits_; }

 private:
  struct ReadyEntry {  // what an RTR message carries; with its trailer it stands in the last 64
                       // bytes of its slot
    transport::RemoteKey target;
    std::uint32_t rendezvous;
  };
  struct Ready {  // an RTR entry that was taken out of its slot, until its send comes
    MessageName name;
    ReadyEntry entry;
  };
  enum class Control : Ordinal { finished, withdrawn, news };
  // The answer to a ready-to-receive entry whose data will never be sent, and why.
  struct Withdrawal {
    std::uint32_t rendezvous;
    News cause;
  };

  Answer put(transport::Ring ring, const Transfer* transfer, const MessageName& name,
             const void* data, std::uint32_t bytes) noexcept;
  bool may_put(transport::Ring ring, const Transfer* transfer) noexcept;
  void take_ready_entries() noexcept;
  void drop_ready_entries() noexcept;
  void finished(std::uint32_t rendezvous) noexcept;
  void withdrawn(const Withdrawal& withdrawal) noexcept;
  void end_abandoned(std::uint32_t rendezvous) noexcept;
  bool answered(std::uint32_t rendezvous) const noexcept {
    return rendezvous_finished_[rendezvous] || rendezvous_withdrawn_[rendezvous];
  }
  bool tell_finished(std::uint32_t rendezvous) noexcept;
  bool tell_withdrawn(std::uint32_t rendezvous) noexcept;
  bool may_take_rendezvous(CommunicatorId communicator) const noexcept;
  void release_parked() noexcept;
  const transport::Trailer* find(transport::Ring ring, const MessageName& name) noexcept;
  void make_room(transport::Ring ring, const MessageName& wanted) noexcept;
  void consume(transport::Ring ring, const transport::Trailer* trailer) noexcept;
  void skip_unwanted(transport::Ring ring) noexcept;
  void report(transport::Ring ring) noexcept;
  Answer receive_eager(transport::Ring ring, const MessageName& name, void* data, Bytes bytes,
                       const Operand* operand) noexcept;
  Answer send_pieces(Transfer&, const MessageName&, const void* data, Bytes bytes) noexcept;
  Answer receive_pieces(Transfer&, const MessageName&, void* data, Bytes bytes,
                        const Operand* operand) noexcept;
  Answer send_rendezvous(Transfer&, const MessageName&, const void* data, Bytes bytes) noexcept;
  Answer receive_rendezvous(Transfer&, const MessageName&, void* data, Bytes bytes) noexcept;
  bool register_memory(Transfer&, const void* data, Bytes bytes, bool writable) noexcept;
  Answer impossible_credit(transport::Ring ring) noexcept;
  Answer waiting() noexcept { return failed() ? Answer::failed : Answer::again; }
  void read_control() noexcept;
  template <class Body>
  Answer put_control(Control kind, const Body& body) noexcept;
  void send_news() noexcept;

  transport::Link& link_;
  registration::Cache* const cache_;
  Listener& listener_;
  const Limits limits_;
  bool ready_ = false;  // the link was seen ready: put() may be called
  std::array<OutFlow, transport::kRings> out_;
  std::array<InFlow, transport::kRings> in_;
  Aside aside_;
  // Who stands first in line for a slot of each ring, as long as there is none. Later transfers
  // wait behind it: overtaking could fill the peer's ring with messages it cannot use yet, while
  // the one it waits for finds no slot.
  std::array<const Transfer*, transport::kRings> turn_{};
  static constexpr std::uint32_t kRendezvous = 64;  // in flight from one peer
  std::bitset<kRendezvous> rendezvous_used_, rendezvous_finished_, rendezvous_withdrawn_,
      rendezvous_abandoned_;
  std::array<CommunicatorId, kRendezvous> rendezvous_owner_{};
  std::array<registration::Region*, kRendezvous>
      abandoned_regions_{};  // of those that are abandoned
  // The peer's RTR entries by its identifiers, of which it has no more than these: so its ring
  // never stays full.
  std::array<Ready, kRendezvous> ready_entries_;
  std::bitset<kRendezvous> ready_entry_waits_;
  std::bitset<kRendezvous>
      withdrawals_due_;  // the peer's identifiers of what will not be written any more
  Code withdrawal_code_ = Code::success;  // the last that the peer gave
  struct Parked {
    registration::Region* region;
    std::uint64_t ticket;
  };
  std::uint32_t unacknowledged_ = 0;  // sends that have written, and are not done
  std::vector<Parked> parked_;        // sources of abandoned sends that the adapter may still read
  std::array<News, 32> news_{};       // announced, without credit yet
  std::size_t news_count_ = 0;
  Code complaint_ = Code::success;
  char complaint_text_[256] = {};
};

}  // namespace tutti::protocols
