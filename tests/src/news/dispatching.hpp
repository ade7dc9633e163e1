// A job of four ranks that are nothing but dispatchers and connections, in one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/news/dispatcher.hpp"
#include "tests/protocols/hostile_transport.hpp"

namespace tutti::tests {

inline constexpr int kDispatchers = 4;

// The parts of an engine that handle news, on one of four ranks; one thread runs them all.
struct DispatchingProcess {
  DispatchingProcess(HostileNet& net, int rank) : transport(net, rank) {
    connections.add(transport);
  }
  HostileTransport transport;
  std::vector<std::string> warnings;
  std::mutex lock;
  Dispatcher dispatcher{connections, [this](std::string_view line) { warnings.emplace_back(line); },
                        &lock};
  Connections connections{
      kDispatchers,
      {false, 0, 0},
      dispatcher,
      [this](protocols::Channel& channel) { dispatcher.send_old_news(channel); },
      [](std::string_view) {}};
};

struct DispatchingJob {
  explicit DispatchingJob(bool connects_at_once = true, bool registers = false)
      : DispatchingJob([&] {
          Hostility hostility;
          hostility.registers = registers;
          hostility.connects_at_once = connects_at_once;
          return hostility;
        }()) {}
  explicit DispatchingJob(const Hostility& hostility) : net(kDispatchers, kFourSlots, hostility) {
    for (int rank = 0; rank < kDispatchers; ++rank)
      processes.push_back(std::make_unique<DispatchingProcess>(net, rank));
  }
  DispatchingProcess& operator[](int rank) { return *processes[static_cast<std::size_t>(rank)]; }
  // Until nothing is on its way any more.
  void settle(std::size_t first = 0) {
    for (int i = 0; i < 200; ++i)
      for (std::size_t rank = first; rank < processes.size(); ++rank) {
        Connections& connections = processes[rank]->connections;
        connections.progress_transports();
        connections.adopt_links();
        connections.progress_all();
      }
  }
  // Says it to rank 0 again and again, as the wire may have no room.
  void mention(int rank, const protocols::News& news) {
    for (int i = 0; i < 20; ++i) {
      (*this)[rank].connections.channel(0).news().mention(news);
      settle();
    }
  }
  HostileNet net;
  std::vector<std::unique_ptr<DispatchingProcess>> processes;
};

// One member's agreement, known to its dispatcher.
struct DispatchedMember : Agreement {
  DispatchedMember(DispatchingProcess& where, CommunicatorId id, int rank,
                   std::vector<int> members = {0, 1, 2})
      : Agreement({id, rank, std::move(members)}), process(where) {
    process.dispatcher.add(*this);
  }
  ~DispatchedMember() { process.dispatcher.remove(*this); }
  DispatchingProcess& process;
};

// Whenever rank 0 waits, all go on, in its thread, until nothing is on its way any more.
struct AllGoOn final : HostileTransport {
  explicit AllGoOn(DispatchingJob& the_job) : HostileTransport(the_job.net, 0), job(the_job) {
    job[0].connections.add(*this);
  }
  bool progress() noexcept override {
    if (std::exchange(within, true)) return false;
    job.settle();
    within = false;
    return false;
  }
  DispatchingJob& job;
  bool within = false;
};

struct BegunCall final : OpenCall {
  explicit BegunCall(const collectives::Task* task = nullptr) { task_ = task; }
  void advance() noexcept override {}
};

inline protocols::News waiting_in(CommunicatorId id, CollectiveNumber call) {
  return {.kind = protocols::News::Kind::waits, .communicator = id, .call = call};
}

}  // namespace tutti::tests
