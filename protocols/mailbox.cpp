// Finds the broadcast that each datagram belongs to.
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
  waiting_.reserve(datagrams.slots());
  open_.reserve(kMostOpen);
}

DatagramHead Mailbox::head_of(const Datagram& datagram) noexcept {
  DatagramHead head;
  std::memcpy(&head, datagram.data, sizeof head);
  return head;
}

void Mailbox::open(Subscriber& subscriber, const MessageName& name, int root) noexcept {
  if (open_.size() == kMostOpen) return;
  open_.push_back({&subscriber, name, root});
  const Open& open = open_.back();
  std::erase_if(waiting_, [&](const Datagram& datagram) {
    if (!open.matches(head_of(datagram))) return false;
    deliver(open, datagram);
    return true;
  });
}

void Mailbox::close(Subscriber& subscriber) noexcept {
  const auto open = std::ranges::find(open_, &subscriber, &Open::subscriber);
  if (open == open_.end()) return;
  note_closed(open->name);
  open_.erase(open);
  std::erase_if(waiting_, [&](const Datagram& datagram) {
    if (!too_late(head_of(datagram).name)) return false;
    drop(datagram);
    return true;
  });
}

// Forgets one communicator if there are too many: its late datagrams will wait until
// others need their place.
void Mailbox::note_closed(const MessageName& name) noexcept {
  for (Closed& closed : closed_)
    if (closed.used && closed.communicator == name.communicator) {
      if (is_earlier(closed.collective, name.collective)) closed.collective = name.collective;
      return;
    }
  closed_[next_closed_++ % closed_.size()] = {name.communicator, name.collective, true};
}

bool Mailbox::too_late(const MessageName& name) const noexcept {
  for (const Closed& closed : closed_)
    if (closed.used && closed.communicator == name.communicator)
      return !is_earlier(closed.collective, name.collective);
  return false;
}

bool Mailbox::progress() noexcept {
  bool any = false;
  for (Datagram datagram = datagrams_.receive(); datagram.data; datagram = datagrams_.receive()) {
    sort(datagram);
    any = true;
  }
  return any;
}

// Anyone on the network can send us a datagram: one that does not fit in every respect is dropped.
void Mailbox::sort(const Datagram& datagram) noexcept {
  if (datagram.bytes < sizeof(DatagramHead)) return drop(datagram);
  const DatagramHead head = head_of(datagram);
  if (head.job != job_ || head.root == world_rank_) return drop(datagram);
  for (const Open& open : open_)
    if (open.matches(head)) return deliver(open, datagram);
  if (head.fragment == DatagramHead::kEnd || too_late(head.name)) return drop(datagram);
  keep(datagram);
}

void Mailbox::deliver(const Open& open, const Datagram& datagram) noexcept {
  constexpr std::uint32_t kHead = sizeof(DatagramHead);
  open.subscriber->take(head_of(datagram), datagram.data + kHead, datagram.bytes - kHead);
  datagrams_.give_back(datagram.slot);
}

void Mailbox::keep(const Datagram& datagram) noexcept {
  if (waiting_.size() >= datagrams_.slots() / 2) {
    drop(waiting_.front());
    waiting_.erase(waiting_.begin());
  }
  waiting_.push_back(datagram);
}

void Mailbox::drop(const Datagram& datagram) noexcept {
  ++dropped_;
  datagrams_.give_back(datagram.slot);
}

Post Mailbox::send(const MessageName& name, int root, std::uint32_t fragment, std::uint32_t windows,
                   const void* payload, std::uint32_t bytes) noexcept {
  const DatagramHead head{job_, name, root, fragment, windows};
  return datagrams_.send(&head, sizeof head, payload, bytes);
}

}  // namespace tutti::protocols
