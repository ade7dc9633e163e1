// Mailbox: gives each datagram of a group to the broadcast that it belongs to.
//
// A datagram of a broadcast that this rank has not entered yet waits in its slot; at most half of
// the slots are used for that, and then the oldest gives way. A datagram that is too late, our own,
// or not understood is dropped at once.
//
// Promises: nothing allocates after construction, or blocks. Leaves to the broadcast: what a
// fragment is, and to repair what is lost, since any datagram may be. Knows names and slots; knows
// no channel and no device.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "transport/datagrams.hpp"

namespace tutti::protocols {

// Precedes the payload of every datagram. Two communicators of one job may have the same id if no
// rank is in both; together with the root's rank, a name is unique.
struct DatagramHead {
  std::uint64_t job;  // random, the same on all ranks: two jobs may use the same group address
  MessageName name;
  std::int32_t root;       // rank of MPI_COMM_WORLD
  std::uint32_t fragment;  // number of the payload; kEnd: no payload, see `windows`
  std::uint32_t windows;   // of kEnd: how many windows have been sent completely
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
};
static_assert(sizeof(DatagramHead) == 32);

// A broadcast that waits for its datagrams.
class Subscriber {
 public:
  virtual ~Subscriber() = default;
  virtual void take(const DatagramHead& head, const std::byte* payload,
                    std::uint32_t bytes) noexcept = 0;
};

class Mailbox {
 public:
  // `capacity` (bytes of a datagram, head included) and `slots` are the smallest of all members, so
  // that all cut a message alike.
  Mailbox(transport::Datagrams& datagrams, std::uint64_t job, int world_rank,
          std::uint32_t capacity, std::uint32_t slots);

  // From now on the subscriber gets the datagrams of that name and root; those that wait, at once.
  // If kMostOpen are subscribed already it gets none, and has to do without datagrams.
  void open(Subscriber& subscriber, const MessageName& name, int root) noexcept;
  static constexpr std::size_t kMostOpen = 64;
  // From now on, datagrams of that name and of older collectives of its communicator are too late.
  void close(Subscriber& subscriber) noexcept;
  // Hands out the datagrams that have arrived. Returns whether there were any.
  bool progress() noexcept;
  transport::Post send(const MessageName& name, int root, std::uint32_t fragment,
                       std::uint32_t windows, const void* payload, std::uint32_t bytes) noexcept;

  std::uint32_t payload_bytes() const noexcept { return payload_bytes_; }
  // How many datagrams every member has room for.
  std::uint32_t slots() const noexcept { return slots_; }
  int world_rank() const noexcept { return world_rank_; }
  std::uint64_t dropped() const noexcept { return dropped_; }  // datagrams, since construction

 private:
  struct Open {
    Subscriber* subscriber;
    MessageName name;
    int root;
    bool matches(const DatagramHead& head) const noexcept {
      return head.name == name && head.root == root;
    }
  };
  struct Closed {  // the newest closed collective of one communicator
    CommunicatorId communicator = 0;
    CollectiveNumber collective = 0;
    bool used = false;
  };
  static DatagramHead head_of(const transport::Datagram& datagram) noexcept;
  void deliver(const Open& open, const transport::Datagram& datagram) noexcept;
  bool too_late(const MessageName& name) const noexcept;
  void note_closed(const MessageName& name) noexcept;
  void sort(const transport::Datagram& datagram) noexcept;
  void keep(const transport::Datagram& datagram) noexcept;
  void drop(const transport::Datagram& datagram) noexcept;

  transport::Datagrams& datagrams_;
  const std::uint64_t job_;
  const int world_rank_;
  const std::uint32_t slots_, payload_bytes_;
  std::vector<Open> open_;
  std::vector<transport::Datagram> waiting_;  // the oldest first; at most half of the slots
  std::array<Closed, 16> closed_{};
  std::size_t next_closed_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tutti::protocols
