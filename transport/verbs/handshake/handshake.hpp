// The handshake: how two ranks turn two queue pairs into a connection, with datagrams over one UD
// queue pair a rank.
//
//     REQUEST  →            both sides may begin at once; whoever has the other's data can receive,
//              ←  REPLY     a REPLY proves that the other side can,
//     CONFIRM  →            a CONFIRM tells the answering side the same
//
// Datagrams get lost, doubled and reordered. A side that is not ready repeats its REQUEST, and
// everything else is an answer to one, so any datagram may be lost. A thread of its own answers
// even while the application computes; so silence means that the peer is stopped, dead or out of
// reach. A stopped peer is waited for (presence.hpp); else a connection whose peer is silent
// for too long fails.
//
// To make a connection takes longer than to ask for one. A rank whom many ask at once takes all
// their datagrams in, makes one connection after the other, and answers BUSY to those who have
// waited long enough to ask again: that is a sign of life. A rank that lacks memory answers BUSY,
// too, and is asked again, but not for ever. A rank whose link has failed, at any time, says BUSY
// and the cause, so that the other one need not wait to find out, and can tell.
//
// A rank that gives up what it receives asks which writes are under way. A rank that waits for a
// peer looks for what this has left for those to whom it could not tell it: over and over, so any
// question and any answer may get lost.
//
// When a link proves hot, the same three packets connect its larger connection (link.hpp); BUSY
// then says that the link stays small, as it does if the peer is silent.
//
// The same thread watches the device's asynchronous events.
// If it lacks memory for something, or its queue pair fails, that is as if a datagram were lost.
// Knows datagrams, the states of connections and time; knows no message.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/running_clock.hpp"
#include "base/thread.hpp"
#include "transport/transport.hpp"
#include "transport/verbs/handshake/attempts.hpp"
#include "transport/verbs/device/device_events.hpp"
#include "transport/verbs/datagrams/endpoint.hpp"
#include "transport/verbs/connection/link.hpp"
#include "transport/verbs/handshake/packet.hpp"
#include "transport/verbs/handshake/presence.hpp"

namespace tutti::transport::verbs {

class Handshake : private DeviceEvents::Handler {
  using Type = Packet::Type;
  using Busy = Packet::Busy;
  using Of = Packet::Of;
  // The way to a peer's UD queue pair. Finding it may take the kernel a second, on an Ethernet.
  struct Path {
    Endpoint::Target target;
    Type pending{};  // the packet to send once there is a path
    Busy busy{};     // the reason, if that is `busy`
    int error = 0, failures = 0;
    bool lacks_memory = false;  // the peer says so
    RunningClock::time_point next{};
  };

 public:
  // Called with the lock held; null if the link cannot be made. May throw std::bad_alloc, and then
  // has done nothing.
  using MakeLink = std::function<VerbsLink*(int peer)>;

  // `ranks`: of the job.
  Handshake(const Device& device, int rank, int ranks, std::uint16_t mtu,
            std::chrono::milliseconds timeout, std::function<void(std::string_view)> log);
  ~Handshake() override;  // joins the thread

  HandshakeCard card() const noexcept;
  // Starts the thread. `links` is indexed by world rank; entries are null until made. `make_link`
  // makes that of a peer that began.
  void start(std::vector<HandshakeCard> cards, std::span<std::atomic<VerbsLink*>> links,
             MakeLink make_link);
  // Begins with a peer whose link was just made, with the lock held. After make_room(), which
  // throws std::bad_alloc, it does not throw: a link with no attempt would be connecting for ever.
  void make_room() { attempts_.make_room(); }
  void begin(VerbsLink& link) noexcept;
  // From now on whoever looks finds this notice. From one thread; takes no lock.
  bool leave_notice(const Notice& notice) noexcept { return notices_.add(notice); }
  // A link wants to grow. Data path: takes no lock.
  void ask_for_larger() noexcept;
  // A link has failed, or a question to ask, or looks for a notice. From any thread; takes no lock.
  void request_link_datagrams() noexcept;
  // Guards the making of links, by whichever side begins.
  std::mutex& lock() noexcept { return mutex_; }

  // Memory kept for each rank of the job, connected or not.
  static constexpr std::size_t kBytesPerRank = sizeof(HandshakeCard) + sizeof(Path) + sizeof(int);

 private:
  void serve();
  void run_once();
  void wait_for_news();
  void receive_all();
  void find_a_path();
  void serve_one();
  void take(const Packet& packet);
  void queue_up(const Packet& request);
  void make_link(const Packet& request);
  void take_busy(const Packet& packet);
  void take_given_up(const Packet& packet);
  void begin_one_growth();
  bool begin_growth(VerbsLink& link, Attempts::Duration delay) noexcept;
  void cancel_growth(VerbsLink& link, const char* why) noexcept;
  void take_growth(const Packet& packet, VerbsLink& link);
  bool attach_larger(const Packet& packet, VerbsLink& link);
  void send(Type type, int peer, Busy busy = Busy::no, Of of = Of::first) noexcept;
  void send_about_writes(Type type, int peer, std::uint32_t question) noexcept;
  void send_about_notice(Type type, int peer, std::uint32_t number) noexcept;
  void post(Packet& packet, int peer) noexcept;
  void send_link_datagrams();
  void retry();
  void give_up(int peer);
  void reopen_endpoint();
  void device_failed(const char* event) override;
  void queue_pair_failed(std::uint32_t number, const char* event) override;
  bool attach(VerbsLink& link, const Packet& packet);
  bool is_stopped(int peer) noexcept;
  int milliseconds_to_next();
  void wake() noexcept;
  HandshakeCard& card_of(int peer) { return cards_[static_cast<std::size_t>(peer)]; }
  Path& path_to(int peer) { return paths_[static_cast<std::size_t>(peer)]; }
  VerbsLink* link_to(int peer) const {
    return links_[static_cast<std::size_t>(peer)].load(std::memory_order_acquire);
  }

  const Device& device_;
  const int rank_;
  const std::uint16_t mtu_;
  const std::chrono::milliseconds timeout_;
  const std::function<void(std::string_view)> log_;
  const std::uint64_t token_ = random_number();
  const std::uint32_t queue_key_ = random_queue_key();
  CompletionChannel channel_;
  bool announces_ = true;   // the channel works
  bool reopening_ = false;  // the endpoint has failed, which was said
  Endpoint endpoint_;
  DeviceEvents events_;
  Presence presence_;
  PresenceProbes probes_;  // of the thread
  std::vector<HandshakeCard> cards_;
  std::span<std::atomic<VerbsLink*>> links_;
  MakeLink make_link_;
  std::mutex mutex_;  // guards everything below, and sending
  Attempts attempts_, growths_;
  std::deque<Packet> requests_;  // for connections that are not made yet; one of a peer
  std::vector<Path> paths_;      // by world rank
  // Ranks to which something is to be sent, and no path is known; has room for all.
  std::vector<int> without_path_;
  int wake_fd_ = -1;
  std::atomic<bool> stop_{false}, growth_wanted_{false}, link_datagrams_wanted_{false};
  Notices notices_{};  // of this rank
  HelperThread thread_;
};

}  // namespace tutti::transport::verbs
