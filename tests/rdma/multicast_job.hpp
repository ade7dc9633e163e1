// One rank of multicast_test: its device, its channels to the others, and the datagrams, as in an
// engine, but without one. The data of every round are known to all ranks.
#pragma once

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "protocols/multicast.hpp"
#include "src/data/mpi_lock.hpp"
#include "transport/bootstrap_mpi.hpp"
#include "transport/verbs/datagrams/multicast.hpp"
#include "transport/verbs/transport.hpp"

namespace tutti::tests {

using protocols::Answer;
using protocols::Channel;

struct Deaf final : protocols::Listener {
  void hear(const protocols::News&, int) noexcept override {}
  bool unwanted(const MessageName&, int) noexcept override { return false; }
  protocols::News why_unwanted(const MessageName&, int) noexcept override {
    return {.code = Code::timed_out};
  }
};

[[noreturn]] inline void end(int rank, const char* what, long long a = 0, long long b = 0) {
  std::fprintf(stderr, "multicast_test: rank %d: %s (%lld, %lld)\n", rank, what, a, b);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

// Any round's bytes are a part of this.
inline constexpr std::size_t kMost = 1 << 20;
inline const std::vector<std::byte> kPattern = [] {
  std::vector<std::byte> bytes(kMost + 1024);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(i * 2654435761u >> 13);
  return bytes;
}();
inline const std::byte* expected(std::uint32_t round) { return kPattern.data() + round % 1024; }

struct Job {
  int rank, size;
  transport::MpiBootstrap boot{MPI_COMM_WORLD, mpi_lock};
  transport::verbs::VerbsTransport transport;
  transport::verbs::DeviceRegistrar registrar;
  registration::Cache cache;
  Deaf listener;
  std::map<int, std::unique_ptr<Channel>> channels;
  std::unique_ptr<transport::verbs::Multicast> datagrams;
  std::unique_ptr<protocols::Mailbox> mailbox;
  std::uint32_t round = 0;
  std::vector<std::byte> data = std::vector<std::byte>(kMost);

  static void log(std::string_view line) {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
  }
  static transport::verbs::Options options(int gid_index) {
    transport::verbs::Options o;
    o.devices.resize(1);
    o.devices[0].gid_index = gid_index;
    o.log = log;
    return o;
  }
  static transport::InboxShape shape(bool) {
    return {{{{64, 16}, {1088, 8}, {16448, 8}, {64, 16}, {64, 8}}}};
  }

  Job(int my_rank, int ranks, int gid_index, const transport::verbs::MulticastOptions& multicast)
      : rank(my_rank),
        size(ranks),
        transport(options(gid_index), rank, size, shape),
        registrar({&transport.device()}),
        cache(registrar, {false, 0, 0}, log) {
    std::vector<transport::Address> addresses(static_cast<std::size_t>(size));
    const transport::Address mine = transport.address();
    boot.allgather(&mine, sizeof mine, addresses.data());
    transport.set_peers(addresses);
    datagrams = std::make_unique<transport::verbs::Multicast>(transport.device(), multicast, log);
    std::vector<transport::verbs::MulticastCard> cards(static_cast<std::size_t>(size));
    const transport::verbs::MulticastCard card = datagrams->card();
    boot.allgather(&card, sizeof card, cards.data());
    datagrams->set_members(cards);
    const auto capacity = -boot.maximum(-static_cast<std::int64_t>(datagrams->capacity()));
    const auto slots = -boot.maximum(-static_cast<std::int64_t>(datagrams->slots()));
    std::uint64_t id =
        static_cast<std::uint64_t>(time(nullptr)) << 20 ^ static_cast<std::uint64_t>(getpid());
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    mailbox = std::make_unique<protocols::Mailbox>(*datagrams, id, rank,
                                                   static_cast<std::uint32_t>(capacity),
                                                   static_cast<std::uint32_t>(slots));
  }
  Channel& channel(int peer) {
    auto& c = channels[peer];
    if (!c) c = std::make_unique<Channel>(transport.connect(peer), &cache, listener);
    return *c;
  }
  template <class Running>
  void complete(Running& running, const std::function<Answer()>& advance) {
    for (Answer answer; (answer = advance()) != Answer::done;) {
      if (answer == Answer::failed)
        end(rank, running.culprit() ? running.culprit()->failure() : "failed");
      transport.progress();
      running.each_waiting([&](Channel& c) {
        c.progress();
        if (c.failed()) end(rank, c.failure());
      });
      sched_yield();
    }
  }
};

}  // namespace tutti::tests
