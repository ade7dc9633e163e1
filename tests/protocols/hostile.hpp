// The hostile wire: links within one process that do everything a wire may do, driven by a seed, so
// that each failure replays. Writes are delayed and reordered between links (within one only those
// to user memory may become visible late, unless a completion tells of them), split into pieces,
// refused for lack of room, and their marks shown late; credits are held back; a rank may stop. An
// inbox may be small at first, and grow at any moment. The source of a write is read when it
// moves, as an adapter does, so a source that is reused too early shows. Within a node (`fetches`)
// a write is a copy made at once, and invitations may be revoked.
//
// One thread steps all ranks, or each rank has a thread that takes in what is for it: what the
// links of a rank know is touched by its own thread only. Writes on their way are shared by all,
// under one lock, and so are the bytes that they move. HostileTransport makes a transport of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <vector>

#include "base/error.hpp"
#include "protocols/channel.hpp"
#include "transport/link.hpp"

namespace tutti::tests {

// One word of one message that a broken rank writes.
struct Corruption {
  int rank = kNoPeer;
  transport::Ring ring{};
  std::uint32_t message = 1;  // of those that it puts into that ring of one peer, counted from 1
  std::size_t word = 0;       // of 32 bits, from the message's end: 0 is the sequence number
  std::uint32_t value = 0;
};

struct Hostility {
  std::uint32_t seed = 1;
  bool polls_memory =
      true;            // else arrival by completion (imm), and the tail is written BEFORE the body
  bool direct = true;  // writes into user memory; else large messages go in pieces
  bool registers = false;     // user memory needs a registrar
  double refuse = 0.2;        // chance of Post::again
  double deliver = 0.3;       // chance that a step moves a piece of the oldest write
  int fail_registration = 0;  // the n-th registration fails; 0: none
  bool acknowledge = true;    // else writes arrive, and the sender never learns it
  bool holds_writes = false;  // to user memory, until the receiver has asked what is under way
  int latency = 0;  // not 0: virtual time, nothing left to chance; each write arrives whole after
                    // this many steps
  bool fetches = false, passes_pieces = false;  // see Capabilities
  int report_bits = 32;                         // see Capabilities
  bool connects_at_once = true;  // else a link is ready once the peer has seen that it was begun
  Corruption corruption{};
  // Not 0: inboxes are small at first; the chance that a step makes a larger one.
  double grow = 0;
  double stay_small = 0.2;  // the chance that an inbox never can
};

class HostileNet;

// For channels whose failures are looked at directly.
struct Deaf final : protocols::Listener {
  void hear(const protocols::News&, int) noexcept override {}
  bool unwanted(const MessageName&, int) noexcept override { return false; }
  protocols::News why_unwanted(const MessageName&, int) noexcept override {
    return {.code = Code::timed_out};
  }
};

class FakeRegistrar final : public transport::Registrar {
 public:
  static constexpr std::uint32_t kKey = 7;
  transport::Registration add(void* address, std::size_t length, bool writable) override;
  void remove(const transport::Registration& registration) noexcept override;
  // May a peer write there? Not `writable`: may the device read there?
  bool covers(const std::byte* begin, std::size_t bytes, bool writable = true) const;
  std::atomic<int> adds = 0, live = 0, fail_at = 0;
  std::function<void()> meanwhile;  // others' work while memory is registered, once

 private:
  struct Range {
    const std::byte* begin;
    std::size_t bytes;
    bool writable;
  };
  mutable std::mutex lock_;
  std::list<Range> ranges_;
};

class HostileLink final : public transport::Link,
                          transport::Fetching,
                          transport::Revocation,
                          transport::Inquiry,
                          transport::Growth,
                          transport::Parts,
                          transport::ReadWatch {
 public:
  HostileLink(HostileNet& net, int from, int to);
  transport::Post put(transport::Ring ring, std::uint32_t index, const void* payload,
                      const transport::Trailer& trailer) noexcept override;
  transport::Post report(transport::Ring ring, std::uint32_t consumed) noexcept override;
  transport::Post write(const void* source, const transport::Registration& registration,
                        const transport::RemoteKey& target, std::size_t bytes,
                        std::optional<std::uint32_t> notify,
                        std::uint64_t* ticket) noexcept override;
  void probe() noexcept override;
  std::optional<transport::Notice> notice() noexcept override;
  bool reads(std::uint64_t ticket) const noexcept override;
  bool drained() noexcept override;
  // The wire moves only while the peer's thread runs, and a device moves without: so each look at a
  // peer that lives sees some.
  std::uint64_t progress_count() const noexcept override;
  const char* kind() const noexcept override { return "hostile"; }

  // The peer's disconnect arrives.
  void close() { become(transport::State::ready, transport::State::closed); }
  // A larger inbox is there.
  void grow();
  // Parts that it has taken, of all messages.
  int parts = 0;
  // The parts of messages that have at least two.
  static constexpr std::size_t kPart = 600;
  // The longest write that it takes; 0: it may grow first.
  std::size_t most = SIZE_MAX;
  // Both inboxes are large.
  bool grown() noexcept { return inbox().grown() && outbox().grown(); }
  bool asked_for_more = false;
  // Marked payloads of the peer: reads that have begun, and the marks of those that have ended.
  std::uint32_t reads_begun = 0;
  std::vector<std::uint32_t> marks_read;

 private:
  friend class HostileNet;
  // Functions of some links only: see capabilities().
  transport::Post fetch(void* target, const transport::RemoteKey& source,
                        std::size_t bytes) noexcept override;
  bool fetch_pays(Bytes, const transport::Load&) noexcept override;
  bool enter(std::uint32_t invitation) noexcept override;
  void leave(std::uint32_t invitation) noexcept override;
  bool is_revoked(std::uint32_t invitation) const noexcept override;
  bool revoke(std::uint32_t invitation) noexcept override;
  bool peer_lives() noexcept override;
  void begin_read() noexcept override { ++reads_begun; }
  void end_read(transport::Length payload) noexcept override {
    marks_read.push_back(payload.mark());
  }
  void reopen(std::uint32_t invitation) noexcept override;
  void ask(bool again) noexcept override;
  transport::Writing writing(std::uint32_t invitation) const noexcept override;
  void ask_for_more() noexcept override { asked_for_more = true; }
  transport::Post grow_out() noexcept override;
  void grow_in() noexcept override { inbox().grow(); }
  std::uint64_t written() const noexcept override { return 0; }
  std::size_t part_bytes(std::size_t bytes) noexcept override;
  std::size_t most_at_once(std::size_t) noexcept override { return most; }
  transport::Post write_part(const void* source, const transport::Registration& registration,
                             const transport::RemoteKey& target, std::size_t bytes,
                             std::uint32_t invitation, std::uint64_t* ticket) noexcept override;
  void give_up(std::uint32_t invitation) noexcept override;

  void break_off(Code code) noexcept override;
  struct Write {
    const std::byte* from() const { return to_user ? source : data.data(); }
    std::vector<std::byte> data;        // of what is not to_user
    const std::byte* source = nullptr;  // of what is: the sender's memory
    std::byte* target = nullptr;
    std::size_t bytes = 0;
    std::size_t moved = 0;
    transport::Ring ring{};
    bool is_message = false, is_report = false, to_user = false;
    bool is_growth = false, to_large = false;
    std::uint32_t value = 0;
    std::optional<std::uint32_t> notify;
    std::uint64_t ticket = 0;
    std::uint64_t posted_at = 0;
  };
  // With the lock of the net.
  bool refused();
  void corrupt(transport::Ring ring, std::vector<std::byte>& message);
  void post(Write&& write);
  transport::Post write_to_user(const void* source, const transport::Registration& registration,
                                const transport::RemoteKey& target, std::size_t bytes,
                                std::optional<std::uint32_t> notify, std::uint64_t* ticket);
  std::byte* aligned(std::vector<std::byte>& memory, std::size_t bytes);
  // Moves a little of what is under way; whether something arrived.
  bool step();
  bool step(std::deque<Write>& queue);
  bool may_move(const Write& write);
  void move(Write& write);
  std::uint64_t last_complete(const Write& write) const;
  void arrive(Write& write);

  HostileNet& net_;
  const int from_;
  std::vector<std::byte> memory_, large_memory_;
  std::byte* const first_inbox_;
  std::byte* large_inbox_ = nullptr;
  // On their way to the peer, in the order of the queue pair; those to its large inbox go by
  // another.
  std::deque<Write> queue_, large_queue_;
  std::uint64_t tickets_ = 0, acknowledged_ = 0;
  std::array<std::uint32_t, transport::kRings> puts_{};
  std::size_t notices_read_ = 0;
  // This rank's writes, by invitation, of which parts were posted, and the end was not.
  std::set<std::uint32_t> in_parts_;
  // This rank's invitations to the peer.
  enum class Invitation : std::uint8_t { open, entered, revoked };
  std::array<std::atomic<Invitation>, transport::kInvitations> invitations_{};
  std::atomic<bool> broken_off_{false};    // nothing moves any more
  std::atomic<Code> told_{Code::success};  // why
  mutable std::uint64_t looks_ = 0;
  bool has_asked_ = false;
  bool begun_ = false;  // by connect(), at this end
  bool never_grows_ = false;
};

class HostileNet {
 public:
  HostileNet(int ranks, const transport::InboxShape& shape, const Hostility& hostility);
  HostileLink& link(int from, int to) { return *links_.at({from, to}); }
  void stop(int rank) { stopped_[static_cast<std::size_t>(rank)] = true; }
  bool stopped(int rank) const { return stopped_[static_cast<std::size_t>(rank)]; }

  // --- one thread for all ranks
  void step();
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
  std::uint64_t now() const { return now_; }  // steps so far
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  // --- each rank has a thread: these are called by it
  // Moves what is on its way to `rank`; whether something came.
  bool step_to(int rank);
  HostileLink& connect(int rank, int peer);
  // A link of `rank` that its peer has begun, each once; null: none.
  HostileLink* accepted(int rank);
  void leave(int rank) { left_[static_cast<std::size_t>(rank)] = true; }
  bool left(int rank) const { return left_[static_cast<std::size_t>(rank)]; }

  void leave_notice(int rank, const transport::Notice& notice);
  // That rank's, from `number` on.
  std::vector<transport::Notice> notices(int rank, std::size_t number = 0);
  const transport::InboxShape shape;
  const Hostility hostility;
  FakeRegistrar registrar;

 private:
  friend class HostileLink;
  using Flags = std::vector<std::atomic<bool>>;
  // Links that the peer has begun or ended become known at this end.
  void meet(HostileLink& theirs, HostileLink& mine);

  std::mutex lock_;  // of what is on its way, and of what follows
  std::mt19937 random_;
  std::uint64_t now_ = 0;
  Flags stopped_, left_;  // by rank
  std::map<std::pair<int, int>, std::unique_ptr<HostileLink>> links_;
  std::map<int, std::deque<HostileLink*>> accepted_;
  std::map<int, std::vector<transport::Notice>> notices_;  // by the rank that has left them
};

}  // namespace tutti::tests
