// Ranks with transports over fake devices, all in this process. Their handshakes have threads of
// their own; the test takes the part of each rank's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/transport/verbs/ends.hpp"
#include "transport/verbs/transport.hpp"

namespace tutti::tests {

struct FakeRank {
  std::size_t rails = 1;
  std::chrono::milliseconds timeout{20000};
  transport::InboxShape shape = kEndShape;
  int mtu = 0;  // bytes; 0: the port's
};

class FakeJob {
 public:
  explicit FakeJob(std::size_t devices = 1) : fake(rail_names(devices)) {}

  // The next rank, of `size`.
  transport::verbs::VerbsTransport& add(const FakeRank& rank, int size = 2) {
    transport::verbs::Options options;
    for (const std::string& name : rail_names(rank.rails))
      options.devices.push_back({.device = name});
    options.connect_timeout = rank.timeout;
    options.mtu = rank.mtu;
    options.log = [this](std::string_view text) {
      const std::lock_guard guard(lock_);
      said_ += std::string(text) + "\n";
    };
    return *ranks.emplace_back(std::make_unique<transport::verbs::VerbsTransport>(
        options, static_cast<int>(ranks.size()), size, [&](bool) { return rank.shape; }));
  }
  // All know the addresses of all.
  void introduce() {
    std::vector<transport::Address> addresses;
    for (const auto& rank : ranks) addresses.push_back(rank->address());
    for (const auto& rank : ranks) rank->set_peers(addresses);
  }
  // Two ranks that know each other.
  void add_two(const FakeRank& rank = {}) {
    add(rank);
    add(rank);
    introduce();
  }
  transport::verbs::VerbsLink& connect(std::size_t from, std::size_t to) {
    return static_cast<transport::verbs::VerbsLink&>(ranks[from]->connect(static_cast<int>(to)));
  }
  // A link of which the peer does not hear before `while_unheard` has returned.
  template <typename Do>
  transport::verbs::VerbsLink& connect_late(std::size_t from, std::size_t to, Do while_unheard) {
    fake.lose([](std::uint32_t) { return true; });
    auto& link = connect(from, to);
    while_unheard();
    fake.lose({});
    return link;
  }
  // Connects both ways, and waits until both ends are ready.
  transport::verbs::VerbsLink& connected(std::size_t from, std::size_t to) {
    auto& link = connect(from, to);
    auto& back = connect(to, from);
    const auto ready = transport::State::ready;
    until([&] { return link.state() == ready && back.state() == ready; });
    return link;
  }

  // All ranks make progress until this holds. false: it never did, in a time that says so.
  bool until(const std::function<bool()>& holds) {
    constexpr std::chrono::seconds kNever{60};
    const auto end = std::chrono::steady_clock::now() + kNever;
    while (!holds()) {
      if (std::chrono::steady_clock::now() > end) return false;
      for (const auto& rank : ranks) rank->progress();
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
  }
  // The lines that the ranks have logged.
  std::string said() {
    const std::lock_guard guard(lock_);
    return said_;
  }
  // Whether a rank logs this. It may yet: a handshake logs what it has done after doing it.
  bool says(const std::string& text) {
    return until([&] { return said().find(text) != std::string::npos; });
  }

  FakeVerbs fake;

 private:
  std::mutex lock_;
  std::string said_;

 public:
  std::vector<std::unique_ptr<transport::verbs::VerbsTransport>> ranks;  // they log until their end
};

inline transport::Post put_text(transport::Link& link, std::uint32_t sequence,
                                std::string_view text) {
  transport::Trailer trailer{};
  trailer.length = transport::Length(static_cast<std::uint32_t>(text.size()));
  trailer.sequence = sequence;
  constexpr auto kRing = transport::Ring::line;
  return link.put(kRing, link.outbox().shape()[kRing].index_of(sequence), text.data(), trailer);
}

}  // namespace tutti::tests
