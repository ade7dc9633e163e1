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
#include "transport/verbs/datagrams/endpoint.hpp"
#include "transport/verbs/datagrams/group.hpp"

namespace tutti::transport::verbs {

// A member's address, which the others need before datagrams go to each.
struct MulticastCard {
  ibv_gid gid;
  std::uint32_t queue_pair, queue_key;
  std::uint16_t lid;
};

enum class Delivery : std::uint8_t {
  group,  // one datagram, which the fabric copies
  each,   // one datagram to each member: works wherever UD does
};

struct MulticastOptions {
  Delivery delivery = Delivery::group;
  Joining joining = Joining::automatic;
  std::uint32_t group = 0;     // number of the group, the same on all members
  std::uint32_t members = 2;   // for Delivery::each: how many there will be, this one included
  std::uint32_t slots = 256;   // datagrams that there is room for
  std::uint32_t capacity = 0;  // bytes a datagram; 0: what the port's MTU carries
};

class Multicast final : public Datagrams {
 public:
  // Opens the queue pair, posts the receives and joins the group. Throws Error{unsupported |
  // bad_configuration | locked_memory | out_of_memory | transport_failed}.
  Multicast(const Device& device, const MulticastOptions& options,
            const std::function<void(std::string_view)>& log);

  MulticastCard card() const noexcept {
    return {device_.gid(), endpoint_.number(), queue_key_, device_.lid()};
  }
  // For Delivery::each: the members that send() sends to; our own card among them is passed over.
  // Throws Error{unreachable | bad_configuration}.
  void set_members(std::span<const MulticastCard> members);
  // How datagrams reach the members, for people.
  std::string describe() const { return group_ ? group_->how() : "datagrams to each receiver"; }

  std::uint32_t capacity() const noexcept override { return capacity_; }
  std::uint32_t slots() const noexcept override { return slots_; }
  Post send(const void* head, std::uint32_t head_bytes, const void* body,
            std::uint32_t body_bytes) noexcept override;
  Datagram receive() noexcept override { return endpoint_.receive(); }
  void give_back(std::uint32_t slot) noexcept override { endpoint_.give_back(slot); }

 private:
  // The queue pair's membership; a queue pair that is attached cannot be destroyed.
  class Attachment {
   public:
    Attachment(const Device& device, ibv_qp* queue_pair, const Group& group);
    ~Attachment();
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;

   private:
    ibv_qp* const queue_pair_;
    const ibv_gid gid_;
    const std::uint16_t lid_;
  };
  void add_target(ibv_ah_attr path, std::uint32_t queue_pair, std::uint32_t queue_key);

  const Device& device_;
  const Delivery delivery_;
  const std::uint32_t capacity_, slots_, receivers_;
  std::optional<Group> group_;
  std::uint32_t queue_key_ = 0;
  Endpoint endpoint_;
  std::optional<Attachment> attachment_;
  std::vector<Endpoint::Target> targets_;
  bool failed_ = false;
};

}  // namespace tutti::transport::verbs
