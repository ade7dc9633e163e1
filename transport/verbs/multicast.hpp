// Datagrams over one UD queue pair: to a multicast group, or, with the same interface, to the UD
// queue pair of each member.
//
// Constructor and set_members(): set-up regime, they throw Error. send(), receive() and
// give_back(): data path. Knows a device, a group and the members' queue pairs; knows no message,
// no fragment, no collective.
#pragma once

#include <optional>
#include <span>

#include "transport/datagrams.hpp"
#include "transport/verbs/group.hpp"
#include "transport/verbs/memory.hpp"
#include "transport/verbs/queue_pair.hpp"

namespace tutti::transport::verbs {

// What each member tells the others before datagrams go to each.
struct MulticastCard {
  ibv_gid gid;
  std::uint32_t queue_pair;
  std::uint16_t lid;
};

enum class Delivery : std::uint8_t {
  group,  // one datagram, which the fabric copies
  each,   // one datagram to each member: wherever UD works
};

struct MulticastOptions {
  Delivery delivery = Delivery::group;
  Joining joining = Joining::automatic;
  std::uint32_t group = 0;     // number of the group, the same on all members
  std::uint32_t members = 2;   // of Delivery::each: how many there will be, this one included
  std::uint32_t slots = 256;   // receive buffers
  std::uint32_t capacity = 0;  // bytes a datagram; 0: what the port's MTU carries
};

class Multicast final : public Datagrams {
 public:
  // Opens the queue pair, posts the receives and joins the group. Throws Error{unsupported |
  // bad_configuration | locked_memory | out_of_memory | transport_failed}.
  Multicast(const Device& device, const MulticastOptions& options,
            const std::function<void(std::string_view)>& log);
  ~Multicast() override;
  Multicast(const Multicast&) = delete;
  Multicast& operator=(const Multicast&) = delete;

  MulticastCard card() const noexcept {
    return {device_.gid(), queue_pair_->qp_num, device_.lid()};
  }
  // Delivery::each: whom send() sends to; our own card among them is passed over. Throws
  // Error{unreachable | bad_configuration}.
  void set_members(std::span<const MulticastCard> members);
  std::string describe() const { return group_ ? group_->how() : "datagrams to each receiver"; }

  std::uint32_t capacity() const noexcept override { return capacity_; }
  std::uint32_t slots() const noexcept override { return slots_; }
  Post send(const void* head, std::uint32_t head_bytes, const void* body,
            std::uint32_t body_bytes) noexcept override;
  Datagram receive() noexcept override;
  void give_back(std::uint32_t slot) noexcept override;

 private:
  struct Target {
    AddressHandle path;
    std::uint32_t queue_pair;
  };
  void make_queue_pair(std::uint32_t depth);
  void add_target(ibv_ah_attr path, std::uint32_t queue_pair);
  void reap_sends() noexcept;
  std::byte* receive_place(std::uint32_t slot) const noexcept {
    return memory_.get() + static_cast<std::size_t>(slot) * stride_;
  }

  const Device& device_;
  const Delivery delivery_;
  const std::uint32_t most_, capacity_, slots_, members_;  // most_: what the port's MTU carries
  const std::size_t stride_;
  CompletionQueue receive_queue_, send_queue_;
  std::optional<Group> group_;
  QueuePair queue_pair_;
  bool attached_ = false;
  Pages memory_;  // receive slots, then send slots
  MemoryRegion region_;
  std::vector<Target> targets_;
  std::uint32_t queue_key_ = RDMA_UDP_QKEY;
  std::uint32_t sent_ = 0,
                left_ = 0;  // datagrams given to the queue pair, and those that have left it
  bool failed_ = false;
};

}  // namespace tutti::transport::verbs
