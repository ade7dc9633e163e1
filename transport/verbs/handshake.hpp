// The handshake: how two ranks make a queue pair each into a connection, over one UD queue pair a
// rank.
//
//     REQUEST  →            both sides may begin at once; whoever has the other's data can receive,
//              ←  REPLY     a REPLY proves that the other side can,
//     CONFIRM  →            a CONFIRM tells the answering side the same
//
// Datagrams get lost, doubled and reordered: a side that is not ready repeats its REQUEST,
// everything else is an answer, so any of it may be lost. A thread of its own answers even while
// the application computes; so silence means that the peer is dead or out of reach, and a
// connection that gets no answer fails. The same thread watches asynchronous events. Knows
// datagrams, queue pair states and time; knows no message.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "transport/transport.hpp"
#include "transport/verbs/link.hpp"

namespace tutti::transport::verbs {

// What an Address holds: the UD queue pair of a rank.
struct Card {
  ibv_gid gid;
  std::uint64_t token;  // random: tells this process from an earlier one at the same place
  std::uint32_t queue_pair;
  std::uint16_t lid;
  std::uint16_t mtu;  // ibv_mtu
};
static_assert(sizeof(Card) <= sizeof(Address));

class Handshake {
 public:
  using MakeLink =
      std::function<VerbsLink*(int peer)>;  // called with the lock held; null on failure

  Handshake(const Device& device, int rank, std::uint16_t mtu, std::chrono::milliseconds timeout,
            std::function<void(std::string_view)> log);
  ~Handshake();  // joins the thread

  Card card() const noexcept;
  // Starts the thread. `links` is indexed by world rank; entries are null until made.
  void start(std::vector<Card> cards, std::span<std::atomic<VerbsLink*>> links, MakeLink make_link,
             std::function<void(VerbsLink&)> on_accepted);
  // Begins with a peer whose link was just made.
  void begin(VerbsLink& link);
  // Guards the making of links, by whichever side begins.
  std::mutex& lock() noexcept { return mutex_; }

 private:
  enum class Type : std::uint16_t { request = 1, reply, confirm };
  struct Datagram;
  struct Attempt {
    VerbsLink* link;
    std::chrono::steady_clock::time_point next, deadline;
    std::chrono::milliseconds interval;
  };
  // Making one may ask the network, and last.
  struct Path {
    AddressHandle handle;
    Type pending{};  // what is to be said first
    int error = 0, failures = 0;
    std::chrono::steady_clock::time_point next{};
  };

 public:
  // What is kept for each rank of the job, connected or not.
  static constexpr std::size_t kBytesPerRank = sizeof(Card) + sizeof(Path);

 private:
  void serve();
  void receive_all();
  void make_path();
  void take(const Datagram& datagram);
  void send(Type type, VerbsLink& link);
  void retry();
  void watch_device();
  bool attach(VerbsLink& link, const Datagram& datagram);
  void post_receive(std::uint32_t slot);
  int milliseconds_to_next();
  void wake() noexcept;

  const Device& device_;
  const int rank_;
  const std::uint16_t mtu_;
  const std::chrono::milliseconds timeout_;
  const std::function<void(std::string_view)> log_;
  std::uint64_t token_;
  CompletionChannel channel_;
  CompletionQueue receive_queue_, send_queue_;
  QueuePair queue_pair_;
  Pages memory_;
  MemoryRegion region_;
  std::vector<Card> cards_;
  std::span<std::atomic<VerbsLink*>> links_;
  MakeLink make_link_;
  std::function<void(VerbsLink&)> on_accepted_;
  std::mutex mutex_;  // everything below, and the UD queue pair's send side
  std::vector<Attempt> attempts_;
  std::vector<Path> paths_;       // by rank
  std::vector<int> unreachable_;  // ranks to which there is no path yet, and something to say
  std::uint32_t next_send_slot_ = 0, sends_under_way_ = 0;
  int wake_fd_ = -1;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace tutti::transport::verbs
