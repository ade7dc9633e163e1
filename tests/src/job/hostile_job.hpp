// A job within one process, over the hostile wire alone: each rank has an engine, a communicator of
// all ranks, and a thread for calls that block. One thread can run calls that do not block, for all
// ranks, and then the seed decides everything.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "collectives/analysis/all_ranks.hpp"
#include "models/decision/shipped.hpp"
#include "src/job/communicator.hpp"
#include "src/job/request.hpp"
#include "src/job/selection.hpp"
#include "tests/collectives/reference.hpp"
#include "tests/protocols/hostile_transport.hpp"
#include "tests/transport/thread_bootstrap.hpp"

namespace tutti::tests {

// How a rank's thread ended.
struct Outcome {
  Code code = Code::success;
  int peer = kNoPeer;
  std::string message;
};
inline Outcome outcome_of(const std::function<void()>& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return {error.code, error.peer, error.message};
  }
}
// body(rank) in a thread for each rank.
inline std::vector<Outcome> run_ranks(int ranks, const std::function<void(int rank)>& body) {
  std::vector<Outcome> outcomes(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back(
        [&, rank] { outcomes[static_cast<std::size_t>(rank)] = outcome_of([&] { body(rank); }); });
  for (std::thread& thread : threads) thread.join();
  return outcomes;
}

class Job {
 public:
  using Body = std::function<void(int rank)>;
  using Communicators = std::vector<std::unique_ptr<Communicator>>;  // by world rank; null: none

  // Small rings, and failures that are noticed soon; what would never end becomes an error.
  static Configuration settings() {
    Configuration c;
    c.line_slots = c.small_slots = c.ready_slots = 4;
    c.eager_slots = 2;
    c.small_bytes = 256;
    c.eager_limit = 4096;
    c.registration_cache = false;
    c.spin = 100;
    c.probe_interval_ms = 5;
    c.timeout_ms = 60'000;
    return c;
  }
  // Rings of one slot: whatever is not asked for stands in the way of what is.
  static Configuration starved() {
    Configuration c = settings();
    c.line_slots = c.small_slots = c.eager_slots = c.ready_slots = 1;
    return c;
  }

  Job(int ranks, const Hostility& hostility, const Configuration& configuration = settings(),
      bool threads = false, const models::Platform& platform = *models::find_shipped("shm"))
      : net(ranks, inbox_shape(configuration, configuration.eager_limit), hostility),
        ranks_(ranks),
        engines_(static_cast<std::size_t>(ranks)) {
    for (int rank = 0; rank < ranks; ++rank) selections_.emplace_back(rules, platform);
    for (int rank = 0; rank < ranks; ++rank) scratch_.emplace_back(configuration.scratch_bytes);
    const TransportKind kind{[](const TransportContext&) { return true; },
                             [this](const TransportContext& context, transport::Bootstrap&) {
                               return std::make_unique<HostileTransport>(net,
                                                                         context.placement.rank());
                             }};
    ThreadBootstrap::Meeting meeting(ranks);
    const auto outcomes = run([&](int rank) {
      ThreadBootstrap bootstrap(meeting, rank);
      const auto place = static_cast<std::size_t>(rank);
      engines_[place] = std::make_unique<Engine>(configuration, bootstrap,
                                                 Engine::Options{.threads = threads,
                                                                 .log = {},
                                                                 .scratch = &scratch_[place],
                                                                 .transports = {&kind, 1}});
    });
    for (const Outcome& outcome : outcomes)
      if (outcome.code != Code::success) throw Error(outcome.code, outcome.message);
    std::vector<int> all;
    for (int rank = 0; rank < ranks; ++rank) all.push_back(rank);
    world_ = make(1, all);
  }

  int size() const { return ranks_; }
  Engine& engine(int rank) { return *engines_.at(static_cast<std::size_t>(rank)); }
  Communicator& world(int rank) { return *world_.at(static_cast<std::size_t>(rank)); }
  // A communicator of these ranks. Not while their threads run.
  Communicators make(CommunicatorId id, const std::vector<int>& members) {
    Communicators made(engines_.size());
    for (std::size_t i = 0; i < members.size(); ++i)
      made[static_cast<std::size_t>(members[i])] =
          std::make_unique<Communicator>(engine(members[i]), id, static_cast<int>(i), members,
                                         selections_[static_cast<std::size_t>(members[i])]);
    return made;
  }

  std::vector<Outcome> run(const Body& body) { return run_ranks(ranks_, body); }
  // Drives all engines as they do while they wait: for calls that do not block.
  void progress() {
    for (const auto& engine : engines_) {
      engine->connections().progress_transports();
      engine->connections().adopt_links();
      engine->connections().progress_all();
    }
  }

  // Takes all of them to their ends, in an order drawn by the seed; false: they come to none.
  template <class Operations>
  bool finish(const Operations& operations) {
    for (int step = 0; step < 100'000; ++step) {
      progress();
      bool all = true;
      for (const auto& operation : operations) {
        if (net.chance(0.5)) operation->request.advance();
        all &= operation->request.state() != Request::State::active;
      }
      if (all) return true;
    }
    return false;
  }

  HostileNet net;
  collectives::Rules rules;

 private:
  const int ranks_;
  std::deque<ScratchPool> scratch_;  // of each rank
  std::vector<std::unique_ptr<Engine>> engines_;
  std::deque<Selection> selections_;  // of each rank
  Communicators world_;
};

// One call of one rank: buffers whose result can be checked, and the request.
struct Operation {
  Operation(Communicator& communicator, const collectives::Task& task)
      : problem{task, communicator.size(), communicator.rank()},
        buffers(problem),
        request(communicator) {
    request.call = {buffers.input.data(), buffers.output.data(), combine_of(problem)};
  }
  void start() { request.start(request.communicator().plan(problem)); }
  // Throws Error; the buffers are given back then, and put to other use.
  void run() {
    try {
      start();
      request.wait();
    } catch (const Error&) {
      buffers.poison();
      throw;
    }
    if (!right()) throw Error(Code::internal, "a wrong result");
  }
  bool right() const {
    return request.state() == Request::State::done &&
           buffers.right(collectives::problems_of_all_ranks(problem));
  }

  const Problem problem;
  Buffers buffers;
  Request request;
};

inline collectives::Task task_of(Collective collective, Bytes bytes = 0, Rank root = 0) {
  return {.collective = collective,
          .root = root,
          .bytes = bytes,
          .element = reduces(collective) ? kElement : 1};
}

// A call of any kind and length that the random number decides.
inline collectives::Task any_task(std::uint32_t random, int P) {
  const Bytes lengths[] = {8, 200, 3000, 20000};
  const auto collective = static_cast<Collective>(random % collectives::kCollectives);
  collectives::Task task = task_of(collective);
  if (collective != Collective::barrier) task.bytes = lengths[random / 16 % 4];
  if (is_rooted(collective)) task.root = static_cast<Rank>(random / 64) % P;
  task.commutative = random / 1024 % 2 == 0;
  return task;
}

// Differs in everything that the wire may do.
inline Hostility hostility_of(std::uint32_t seed) {
  Hostility hostility{seed, seed % 2 == 0, seed % 3 != 0, seed % 4 < 2};
  hostility.connects_at_once = seed % 5 < 2;
  return hostility;
}

}  // namespace tutti::tests
