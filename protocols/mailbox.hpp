// Mailbox: sorts the datagrams of a group to the broadcasts that wait for them.
//
// What belongs to a broadcast that this rank has not entered yet stays in its slot, within a bound:
// beyond it the oldest is thrown away. What is old, ours or not understood is thrown away at once.
// Losing any datagram costs time, never correctness. Knows names and slots; knows no fragment's
// place, no channel and no device. Nothing allocates after construction.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "transport/datagrams.hpp"

namespace tutti::protocols {

// What stands before the payload of every datagram. Two communicators of one job may bear the same
// id if no rank is in both; with the root's world rank the name is unique.
struct DatagramHead {
  std::uint64_t job;  // random, the same on all ranks: groups of two jobs may have the same address
  MessageName name;
  std::int32_t root;       // world rank
  std::uint32_t fragment;  // number of the payload; kEnd: no payload, see `windows`
  std::uint32_t windows;   // of kEnd: so many windows have been sent completely
  static constexpr std::uint32_t kEnd = ~std::uint32_t{0};
};
static_assert(sizeof(DatagramHead) == 32);

class Taker {
 public:
  virtual ~Taker() = default;
  virtual void take(const DatagramHead& head, const std::byte* payload,
                    std::uint32_t bytes) noexcept = 0;
};

class Mailbox {
 public:
  // `capacity` (bytes of a datagram, its head included) and `slots` are the smallest of all
  // members, as they have agreed.
  Mailbox(transport::Datagrams& datagrams, std::uint64_t job, int world_rank,
          std::uint32_t capacity, std::uint32_t slots);

  // Gives the taker all datagrams of that name and root, those that have come already at once.
  // Beyond kMostOpen: none.
  void open(Taker& taker, const MessageName& name, int root) noexcept;
  static constexpr std::size_t kMostOpen = 64;
  // Nothing of that name is wanted any more, nor of older collectives of its communicator.
  void close(Taker& taker) noexcept;
  // Hands out what has arrived. Whether anything came.
  bool progress() noexcept;
  transport::Post send(const MessageName& name, int root, std::uint32_t fragment,
                       std::uint32_t windows, const void* payload, std::uint32_t bytes) noexcept;

  std::uint32_t payload_bytes() const noexcept { return payload_bytes_; }
  // Fragments that may be under way before anybody has said that they came, see MulticastBroadcast.
  std::uint32_t slots() const noexcept { return slots_; }
  int world_rank() const noexcept { return world_rank_; }
  std::uint64_t dropped() const noexcept { return dropped_; }  // datagrams that came in vain

 private:
  struct Open {
    Taker* taker;
    MessageName name;
    int root;
  };
  struct Last {  // the newest collective of a communicator that was closed
    CommunicatorId communicator = 0;
    CollectiveNumber collective = 0;
    bool used = false;
  };
  static DatagramHead head_of(const transport::Datagram& datagram) noexcept;
  bool old(const MessageName& name) const noexcept;
  void sort(const transport::Datagram& datagram) noexcept;
  void drop(std::size_t held) noexcept;

  transport::Datagrams& datagrams_;
  const std::uint64_t job_;
  const int world_rank_;
  const std::uint32_t slots_, payload_bytes_;
  std::vector<Open> open_;
  std::vector<transport::Datagram> held_;  // oldest first; at most half of the slots
  std::array<Last, 16> last_{};
  std::size_t next_last_ = 0;
  std::uint64_t dropped_ = 0;
};

}  // namespace tutti::protocols
