// The hostile transport: links within one process that do everything a wire may do, driven by a
// seed, so that each failure replays. Writes are delayed and reordered between links (never within
// one: a queue pair keeps order), split into pieces, refused for lack of room, and their marks
// shown late; credits are held back; a rank may stop. One thread steps all ranks.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "base/error.hpp"
#include "protocols/channel.hpp"
#include "transport/link.hpp"

namespace tutti::tests {

struct Hostility {
  std::uint32_t seed = 1;
  bool polls_memory =
      true;            // else arrival by completion (imm), and the tail is written BEFORE the body
  bool direct = true;  // writes into user memory; else large messages go in pieces
  bool registers = false;     // user memory needs a registrar
  double refuse = 0.2;        // chance of Post::again
  double deliver = 0.3;       // chance that a step moves a piece of the oldest write
  int fail_registration = 0;  // the n-th registration fails; 0: none
  bool acknowledge = true;    // else writes arrive, and the sender never learns it
  int latency = 0;  // not 0: virtual time, nothing left to chance; each write arrives whole after
                    // this many steps
};

class HostileNet;

// For channels whose failures are looked at directly.
struct Deaf final : protocols::Listener {
  void hear(const protocols::News&, int) noexcept override {}
  bool unwanted(const MessageName&, int) noexcept override { return false; }
  protocols::News why_unwanted(CommunicatorId) noexcept override { return {}; }
};

class FakeRegistrar final : public transport::Registrar {
 public:
  transport::Registration add(void* address, std::size_t, bool) override {
    if (++adds == fail_at)
      throw Error(Code::locked_memory, "the test wants this registration to fail");
    ++live;
    return {address, 7, 7};
  }
  void remove(const transport::Registration&) noexcept override { --live; }
  int adds = 0, live = 0, fail_at = 0;
};

class HostileLink final : public transport::Link {
 public:
  HostileLink(HostileNet& net, int from, int to);
  transport::Post put(transport::Ring ring, std::uint32_t index, const void* payload,
                      const transport::Trailer& trailer) noexcept override;
  transport::Post report(transport::Ring ring, std::uint32_t consumed) noexcept override;
  transport::Post write(const void* source, const transport::Registration& registration,
                        const transport::RemoteKey& target, std::size_t bytes,
                        std::optional<std::uint32_t> notify,
                        std::uint64_t* ticket) noexcept override;
  void progress() noexcept override {}
  void probe() noexcept override;
  bool drained() noexcept override { return queue_.empty(); }
  transport::Registrar* registrar() noexcept override;
  bool writes_directly() const noexcept override;
  bool notifies() const noexcept override { return !polls_memory_; }
  const char* kind() const noexcept override { return "hostile"; }

  // Moves a little of what is under way.
  void step();
  bool idle() const { return queue_.empty(); }
  // The peer's farewell arrives.
  void close() { state_.store(transport::State::closed); }

 private:
  struct Write {
    std::vector<std::byte> data;
    std::byte* target = nullptr;
    std::size_t moved = 0;
    transport::Ring ring{};
    bool is_message = false, is_report = false;
    std::uint32_t value = 0;
    std::optional<std::uint32_t> notify;
    std::uint64_t ticket = 0;
    std::uint64_t posted_at = 0;
  };
  bool refused();
  void post(Write&& write);
  void arrive(Write& write);

  HostileNet& net_;
  const int from_;
  std::vector<std::byte> memory_;
  std::array<std::uint32_t, transport::kRings> told_credits_{};
  std::deque<Write> queue_;  // on their way to the peer, in the order of the queue pair
  std::uint64_t tickets_ = 0;
};

class HostileNet {
 public:
  HostileNet(int ranks, const transport::InboxShape& shape, const Hostility& hostility);
  HostileLink& link(int from, int to) { return *links_.at({from, to}); }
  void step();
  void stop(int rank) { stopped_[static_cast<std::size_t>(rank)] = true; }
  bool stopped(int rank) const { return stopped_[static_cast<std::size_t>(rank)]; }
  bool chance(double p) { return std::uniform_real_distribution<>(0, 1)(random_) < p; }
  std::uint64_t now() const { return now_; }  // steps so far
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }

  const transport::InboxShape shape;
  const Hostility hostility;
  FakeRegistrar registrar;

 private:
  std::mt19937 random_;
  std::uint64_t now_ = 0;
  std::vector<bool> stopped_;
  std::map<std::pair<int, int>, std::unique_ptr<HostileLink>> links_;
};

}  // namespace tutti::tests
