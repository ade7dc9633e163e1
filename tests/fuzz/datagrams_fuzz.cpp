// Datagrams of anyone on the network, at a rank that receives a broadcast by them.
#include <deque>
#include <vector>

#include "protocols/multicast.hpp"
#include "tests/fuzz/link.hpp"

using namespace tutti;
using namespace tutti::fuzz;
using namespace tutti::protocols;
using transport::Datagram;

namespace {

constexpr std::uint64_t kJob = 7;
constexpr std::uint32_t kSlots = 8, kCapacity = sizeof(DatagramHead) + 16;

// Datagrams that come from the input, each in memory of its own.
class Network final : public transport::Datagrams {
 public:
  std::uint32_t capacity() const noexcept override { return kCapacity; }
  std::uint32_t slots() const noexcept override { return kSlots; }
  transport::Post send(const void*, std::uint32_t, const void*, std::uint32_t) noexcept override {
    return transport::Post::done;
  }
  Datagram receive() noexcept override {
    if (arrived_.empty()) return {};
    const std::uint32_t slot = arrived_.front();
    arrived_.pop_front();
    return {slots_[slot].data(), static_cast<std::uint32_t>(slots_[slot].size()), slot};
  }
  void give_back(std::uint32_t slot) noexcept override {
    must(slot < kSlots && busy_[slot], "a slot is given back once");
    busy_[slot] = false;
  }
  void arrive(std::vector<std::byte> datagram) {
    for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
      if (busy_[slot]) continue;
      busy_[slot] = true;
      slots_[slot] = std::move(datagram);
      return arrived_.push_back(slot);
    }
  }

 private:
  std::vector<std::byte> slots_[kSlots];
  bool busy_[kSlots] = {};
  std::deque<std::uint32_t> arrived_;
};

std::vector<std::byte> some_datagram(Input& input) {
  const auto odd = input.take<std::uint8_t>();
  DatagramHead head{};
  head.job = odd & 1 ? input.take<std::uint64_t>() : kJob;
  head.name = {1, odd & 2 ? input.take<std::uint32_t>() : input.take<std::uint8_t>() % 3u, 0};
  head.root = odd & 4 ? input.take<std::int32_t>() : 1;
  head.fragment = odd & 8 ? input.take<std::uint32_t>() : input.take<std::uint8_t>();
  head.windows = input.take<std::uint8_t>();
  std::vector<std::byte> datagram(odd & 16 ? input.below(kCapacity + 1) : std::size_t{kCapacity});
  std::copy_n(reinterpret_cast<const std::byte*>(&head), std::min(datagram.size(), sizeof head),
              datagram.begin());
  if (datagram.size() > sizeof head)
    input.take(datagram.data() + sizeof head, datagram.size() - sizeof head);
  return datagram;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  Network network;
  Mailbox mailbox(network, kJob, 0, kCapacity, kSlots);
  PeerlessLink link({true, false, false, true});
  Ear ear;
  Channel parent(link, nullptr, ear);
  MulticastBroadcast broadcast(mailbox, 1, &parent, {});
  std::vector<std::byte> message(input.take<std::uint8_t>());
  broadcast.start({1, 1, 0}, message.data(), static_cast<Bytes>(message.size()));
  while (!input.empty()) {
    network.arrive(some_datagram(input));
    if (broadcast.advance() != Answer::again) break;
    link.credit(0, 0);
    parent.progress();
  }
  broadcast.abandon();
  return 0;
}
