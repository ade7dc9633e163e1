// The engine: one process's transports, channels and communicators, and how it waits.
// Above it: communicators and the C API. It knows configuration and bootstrap; it knows no schedule
// and no datatype.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "protocols/channel.hpp"
#include "registration/cache.hpp"
#include "src/job/configuration.hpp"
#include "src/job/datagrams.hpp"
#include "transport/bootstrap.hpp"
#include "transport/placement.hpp"
#include "transport/shm/transport.hpp"
#include "transport/verbs/transport.hpp"

namespace tutti {

class Communicator;

// How long a waiting rank has waited, for the choice between spinning, yielding and sleeping. One
// for each wait.
struct Patience {
  using Time = std::chrono::steady_clock::time_point;
  std::uint32_t polls = 0, yields = 0;
  Time since{}, looked{}, probed{};  // the first look at the clock, the last one, the last probe
  bool parting =
      false;  // a peer waited for was seen to have left: what it sent before counts once more
};

// What both ends of a connection agree on, from the settings that must be the same on all ranks.
transport::InboxShape inbox_shape(const Configuration& configuration, Bytes eager_limit);

Bytes verbs_eager_limit(const Configuration& configuration, bool software);

using Log = std::function<void(std::string_view)>;

class Engine final : public protocols::Listener {
 public:
  // Collective over `bootstrap`: opens transports and exchanges addresses. If one rank fails, all
  // throw. `datagrams`: some broadcast will want them.
  Engine(const Configuration& configuration, transport::Bootstrap& bootstrap, bool threads,
         bool datagrams, Log log);
  ~Engine() override;

  // What is kept for every rank of MPI_COMM_WORLD, connected or not.
  static constexpr std::size_t kBytesPerRank = sizeof(void*) + transport::Placement::kBytesPerRank +
                                               transport::verbs::VerbsTransport::kBytesPerRank;

  // --- for communicators -----------------------------------------------------------------------
  int rank() const noexcept { return rank_; }
  int size() const noexcept { return size_; }
  // The channel to a rank of MPI_COMM_WORLD, connected when first asked for. Throws Error.
  protocols::Channel& channel(int world_rank);
  int node_of(int world_rank) const noexcept { return placement_->node_of(world_rank); }
  // For broadcasts by datagrams; null where they cannot be had.
  protocols::Mailbox* mailbox() noexcept { return datagrams_ ? datagrams_->mailbox() : nullptr; }
  bool software_wire() const noexcept { return software_wire_; }
  bool verbs_on_nodes() const noexcept {
    return configuration_.transport == TransportChoice::verbs;
  }
  bool oversubscribed() const noexcept { return placement_->oversubscribed(); }
  const Configuration& configuration() const noexcept { return configuration_; }
  void add(Communicator& communicator);
  void remove(Communicator& communicator) noexcept;
  // The members of a communicator take the largest of what they propose, if it is free on all of
  // them; other threads may be making others.
  CommunicatorId propose_id() noexcept { return next_id_++; }
  bool is_free(CommunicatorId id) const noexcept { return !communicator_of(id) && !was_freed(id); }
  // Looks at one connection, in turn. A rank for which everything is always there before it asks
  // would never hear of anything else.
  void glance() noexcept {
    if (!connected_.empty()) connected_[glances_++ % connected_.size()]->progress();
  }

  // One pause of a rank that waits: spins, yields or sleeps, and looks after whatever arrives
  // meanwhile. `each_waiting` visits the channels waited for. Answers false once nothing can come
  // any more: then the communicator is failed.
  template <class EachWaiting>
  bool relax(Patience& patience, Communicator& communicator, EachWaiting&& each_waiting) noexcept {
    // What came may be what is waited for: look before giving the core away.
    if (verbs_ && verbs_->progress() && !has_failed(communicator)) return true;
    if (++patience.polls % kPollsPerLook != 0 && patience.polls < spin_) {
      __builtin_ia32_pause();
      return true;
    }
    each_waiting([](protocols::Channel& c) { c.progress(); });
    if (patience.polls < spin_) return !has_failed(communicator);
    return relax_slowly(
        patience, communicator,
        [&](const std::function<void(protocols::Channel&)>& visit) { each_waiting(visit); });
  }

  // Threads: locked around every call when MPI gives MPI_THREAD_MULTIPLE; free while a call only
  // waits.
  std::unique_lock<std::mutex> enter() {
    return threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }

  // --- failures --------------------------------------------------------------------------------
  void hear(const protocols::News& news, int from) noexcept override;
  bool unwanted(const MessageName& name, int from) noexcept override;
  protocols::News why_unwanted(CommunicatorId id) noexcept override;
  // Tells the connected members that this rank will not take part in that collective.
  void spread_refusal(Communicator& communicator, CollectiveNumber number, Code code) noexcept;
  // Passes the news of a failed communicator on to its members.
  void spread_failure(Communicator& communicator) noexcept;

  // --- leaving and telling ---------------------------------------------------------------------
  void farewell() noexcept;
  nlohmann::json describe() const;  // an object with its members of tutti_describe(3)
  void log(std::string_view line) const {
    if (log_) log_(line);
  }

 private:
  using Visitor = std::function<void(const std::function<void(protocols::Channel&)>&)>;
  static constexpr std::uint32_t kPollsPerLook = 64;

  void exchange_placement(transport::Bootstrap& bootstrap);
  void open_transports(transport::Bootstrap& bootstrap);
  void open_datagrams(transport::Bootstrap& bootstrap, bool wanted);
  void agree(transport::Bootstrap& bootstrap, const std::function<void()>& action);
  bool relax_slowly(Patience& patience, Communicator& communicator,
                    const Visitor& each_waiting) noexcept;
  bool look_after(Patience& patience, Communicator& communicator,
                  const Visitor& each_waiting) noexcept;
  static bool has_failed(const Communicator& communicator) noexcept;
  void welcome() noexcept;
  void catch_up() noexcept;
  Communicator* communicator_of(CommunicatorId id) const noexcept;
  bool was_freed(CommunicatorId id) const noexcept;
  protocols::Channel& channel_over(transport::Link& link);

  const Configuration configuration_;
  const Log log_;
  const int rank_, size_;
  const bool threads_;
  std::mutex mutex_;
  std::optional<transport::Placement> placement_;
  std::unique_ptr<transport::shm::ShmTransport> shm_;
  std::unique_ptr<transport::verbs::VerbsTransport> verbs_;
  std::unique_ptr<JobDatagrams> datagrams_;
  std::unique_ptr<registration::Cache> cache_;
  std::vector<std::unique_ptr<protocols::Channel>> channels_;  // by world rank
  std::vector<protocols::Channel*> connected_;                 // in order of connection
  std::vector<Communicator*> communicators_;
  std::map<CommunicatorId, CommunicatorId>
      freed_;  // from the first to the last of each range: what still comes for them is nobody's
  CommunicatorId next_id_ = 1;
  bool software_wire_ = false;
  std::uint32_t spin_ = 0;
  std::size_t glances_ = 0;
};

}  // namespace tutti
