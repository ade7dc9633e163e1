// Two ranks with a channel, or only rings, each over the hostile transport, what their listeners
// heard, and the kinds of wire that every protocol has to work over.
#pragma once

#include <functional>

#include "protocols/channel.hpp"
#include "tests/protocols/hostile.hpp"

namespace tutti::tests {

inline constexpr transport::InboxShape kUsual{{{{64, 8}, {320, 4}, {1088, 4}, {64, 4}, {64, 4}}}};
inline constexpr transport::InboxShape kTiny{{{{64, 1}, {320, 1}, {1088, 1}, {64, 1}, {64, 1}}}};

struct Ear final : protocols::Listener {
  void hear(const protocols::News& news, int from) noexcept override {
    ++heard;
    last = news;
    told_by = from;
  }
  bool unwanted(const MessageName& name, int) noexcept override {
    return name.communicator == abandoned_id;
  }
  protocols::News why_unwanted(const MessageName& name, int) noexcept override {
    return {.communicator = name.communicator, .code = Code::timed_out, .culprit = 7};
  }
  int heard = 0, told_by = kNoPeer;
  CommunicatorId abandoned_id = 0;  // nobody will ask for its messages
  protocols::News last{};
};

struct Pair {
  HostileNet net;
  Ear ears[2];
  registration::Cache cache;
  protocols::Channel channels[2];
  explicit Pair(const Hostility& hostility, const transport::InboxShape& shape = kUsual,
                const registration::CacheOptions& caching = {false, 0, 0})
      : net(2, shape, hostility),
        cache(net.registrar, caching, [](std::string_view) {}),
        channels{{net.link(0, 1), &cache, ears[0]}, {net.link(1, 0), &cache, ears[1]}} {}
  // Makes steps until done() is true; after very many, returns false.
  bool until(const std::function<bool()>& done) {
    for (int i = 0; i < 200000; ++i) {
      if (done()) return true;
      net.step();
      for (protocols::Channel& c : channels) c.progress();
    }
    return false;
  }
};

// Rings alone, over a wire that is quick and always has room.
struct RingPair {
  HostileNet net;
  Ear ears[2];
  protocols::Rings rings[2];
  explicit RingPair(const transport::InboxShape& shape, int report_bits = 32)
      : net(2, shape, {.refuse = 0, .deliver = 1, .report_bits = report_bits}),
        rings{{net.link(0, 1), ears[0]}, {net.link(1, 0), ears[1]}} {}
  void settle() {
    for (int i = 0; i < 100; ++i) net.step();
  }
};

inline std::vector<std::byte> bytes_of(std::size_t n, std::uint32_t seed) {
  std::vector<std::byte> data(n);
  for (std::size_t i = 0; i < n; ++i)
    data[i] = static_cast<std::byte>((i * 131 + seed * 17 + 3) & 0xff);
  return data;
}

inline std::vector<Hostility> all_kinds(std::uint32_t seed) {
  std::vector<Hostility> kinds;
  for (const bool polls : {true, false})
    for (const bool direct : {true, false})
      for (const bool registers : {true, false}) kinds.push_back({seed, polls, direct, registers});
  for (const bool pieces : {true, false}) {
    Hostility within_a_node{seed};
    within_a_node.fetches = true;
    within_a_node.passes_pieces = pieces;
    kinds.push_back(within_a_node);
  }
  for (const bool polls : {true, false}) {
    Hostility growing{seed, polls};
    growing.grow = 0.01;
    kinds.push_back(growing);
  }
  return kinds;
}

}  // namespace tutti::tests
