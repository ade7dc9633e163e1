// Where each datagram goes.
#include "protocols/mailbox.hpp"

#include <algorithm>
#include <cstring>

namespace tutti::protocols {

using transport::Datagram;
using transport::Post;

Mailbox::Mailbox(transport::Datagrams& datagrams, std::uint64_t job, int world_rank,
                 std::uint32_t capacity, std::uint32_t slots)
    : datagrams_(datagrams),
      job_(job),
      world_rank_(world_rank),
      slots_(std::min(slots, datagrams.slots())),
      payload_bytes_(capacity - static_cast<std::uint32_t>(sizeof(DatagramHead))) {
  held_.reserve(datagrams.slots());
  open_.reserve(kMostOpen);
}

DatagramHead Mailbox::head_of(const Datagram& datagram) noexcept {
  DatagramHead head;
  std::memcpy(&head, datagram.data, sizeof head);
  return head;
}

void Mailbox::open(Taker& taker, const MessageName& name, int root) noexcept {
  if (open_.size() == kMostOpen) return;
  open_.push_back({&taker, name, root});
  for (std::size_t i = 0; i < held_.size();) {
    const DatagramHead head = head_of(held_[i]);
    if (head.name == name && head.root == root) {
      taker.take(head, held_[i].data + sizeof head,
                 held_[i].bytes - static_cast<std::uint32_t>(sizeof head));
      drop(i);
    } else {
      ++i;
    }
  }
}

void Mailbox::close(Taker& taker) noexcept {
  const auto it =
      std::find_if(open_.begin(), open_.end(), [&](const Open& o) { return o.taker == &taker; });
  if (it == open_.end()) return;
  const MessageName name = it->name;
  open_.erase(it);
  Last* last = nullptr;
  for (Last& l : last_)
    if (l.used && l.communicator == name.communicator) last = &l;
  if (!last) {
    last = &last_[next_last_++ % last_.size()];
    *last = {name.communicator, name.collective, true};
  } else if (static_cast<std::int32_t>(name.collective - last->collective) > 0) {
    last->collective = name.collective;
  }
  for (std::size_t i = 0; i < held_.size();) {
    if (old(head_of(held_[i]).name)) {
      ++dropped_;
      drop(i);
    } else {
      ++i;
    }
  }
}

bool Mailbox::old(const MessageName& name) const noexcept {
  for (const Last& l : last_)
    if (l.used && l.communicator == name.communicator)
      return static_cast<std::int32_t>(name.collective - l.collective) <= 0;
  return false;
}

void Mailbox::drop(std::size_t held) noexcept {
  datagrams_.give_back(held_[held].slot);
  held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(held));
}

bool Mailbox::progress() noexcept {
  bool any = false;
  for (Datagram datagram = datagrams_.receive(); datagram.data; datagram = datagrams_.receive()) {
    sort(datagram);
    any = true;
  }
  return any;
}

// Anyone on the network can send us a datagram: what does not fit in every respect is thrown away.
void Mailbox::sort(const Datagram& datagram) noexcept {
  if (datagram.bytes >= sizeof(DatagramHead)) {
    const DatagramHead head = head_of(datagram);
    if (head.job == job_ && head.root != world_rank_) {
      for (const Open& o : open_)
        if (o.name == head.name && o.root == head.root) {
          o.taker->take(head, datagram.data + sizeof head,
                        datagram.bytes - static_cast<std::uint32_t>(sizeof head));
          return datagrams_.give_back(datagram.slot);
        }
      if (head.fragment != DatagramHead::kEnd && !old(head.name)) {
        if (held_.size() >= datagrams_.slots() / 2) {
          ++dropped_;
          drop(0);
        }
        held_.push_back(datagram);
        return;
      }
    }
  }
  ++dropped_;
  datagrams_.give_back(datagram.slot);
}

Post Mailbox::send(const MessageName& name, int root, std::uint32_t fragment, std::uint32_t windows,
                   const void* payload, std::uint32_t bytes) noexcept {
  const DatagramHead head{job_, name, root, fragment, windows};
  return datagrams_.send(&head, sizeof head, payload, bytes);
}

}  // namespace tutti::protocols
