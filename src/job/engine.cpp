// Starts and ends the engine of a process together with those of the other ranks.
#include "src/job/engine.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "base/running_clock.hpp"
#include "transport/nodes.hpp"

namespace tutti {

using protocols::Channel;
using transport::Address;
using namespace std::chrono_literals;

registration::CacheOptions cache_options(const Configuration& c) {
  return {c.registration_cache, static_cast<std::size_t>(c.registration_cache_bytes),
          static_cast<std::size_t>(c.registration_cache_regions)};
}

// Polls of a waiting rank that has a core of its own, before it yields.
constexpr std::uint32_t kSpins = 20000;

Waiting::Settings waiting_settings(const Configuration& c, bool oversubscribed) {
  Waiting::Settings settings;
  // If every rank has a core of its own, spinning is the fastest way to wait; if not, it only
  // delays the others.
  settings.spin = c.spin >= 0 ? static_cast<std::uint32_t>(c.spin) : oversubscribed ? 0 : kSpins;
  settings.probe_interval = std::chrono::milliseconds(c.probe_interval_ms);
  settings.timeout = std::chrono::milliseconds(c.timeout_ms);
  settings.report_after = std::chrono::milliseconds(c.report_after_ms);
  settings.drives_always = c.always_drives_mpi;
  return settings;
}

Engine::Engine(const Configuration& configuration, transport::Bootstrap& bootstrap, Options options)
    : configuration_(configuration),
      log_(std::move(options.log), options.warn),
      threads_(options.threads || configuration.progress == Progress::thread),
      machine_([this](std::string_view line) { log_.write(line); }),
      dispatcher_(connections_, options.warn, threads_ ? &mutex_ : nullptr),
      connections_(
          bootstrap.size(), cache_options(configuration), dispatcher_,
          [this](Channel& channel) { dispatcher_.send_old_news(channel); },
          [this](std::string_view line) { log_.warn(line); }),
      scratch_(options.scratch) {
  exchange_placement(bootstrap);
  open_transports(bootstrap, options.transports);
  datagrams_ = JobDatagrams::open(options.datagrams, *transport_context_, transports_, bootstrap);
  Waiting::Settings waiting = waiting_settings(configuration_, placement_->oversubscribed());
  waiting.drive_others = std::move(options.drive_others);
  waiting.drives_while = options.drives_while;
  waiting.naps = !software_wire_;
  waiting.report = std::move(options.warn);
  waiting.find = [this](CommunicatorId id) { return dispatcher_.find(id); };
  waiting_.emplace(connections_, std::move(waiting), threads_ ? &mutex_ : nullptr);
  if (!configuration.trace.empty())
    trace_ = std::make_unique<Trace>(configuration.trace, configuration.trace_calls, *placement_);
  calls_.emplace(
      CallsUnderWay::Parts{connections_, dispatcher_, *waiting_, *placement_, log_, mutex_},
      options.functions_anywhere, threads_ && configuration.progress == Progress::automatic);
  if (configuration.progress == Progress::thread) calls_->start_thread();
}

Engine::~Engine() = default;

void Engine::exchange_placement(transport::Bootstrap& bootstrap) {
  std::vector<transport::PlacementCard> cards(static_cast<std::size_t>(bootstrap.size()));
  const auto mine = transport::card_of_this_process(configuration_.node);
  bootstrap.allgather(&mine, sizeof mine, cards.data());
  transport::divide_nodes(bootstrap, cards);
  placement_.emplace(bootstrap.rank(), cards);
  if (placement_->node_ranks().front() == rank()) log_.warn_for_node();
  transport_context_.emplace(TransportContext{
      configuration_, *placement_, [this](std::string_view line) { log_.write(line); },
      [this](std::string_view line) { log_.warn(line); }, &machine_});
  const auto obstacle = obstacle_here();
  if (obstacle && configuration_.transport == TransportChoice::shm) throw Error(*obstacle);
  const bool first_here =
      rank() == placement_->node_ranks().front() && rank() < placement_->apart();
  if (obstacle && first_here) log_.warn(obstacle->message);
}

// Ranks of this host could share memory, but for something that the user can mend.
std::optional<Error> Engine::obstacle_here() const {
  const int error = placement_->obstacle();
  if (placement_->apart() < 0 || error == 0) return std::nullopt;
  return Error(
      error == ENOSPC || error == ENOMEM ? Code::out_of_memory : Code::system,
      fmt::format("ranks of this host cannot share memory, as a file in /dev/shm cannot be "
                  "made or opened: {}; {}",
                  std::strerror(error),
                  error == EACCES || error == EPERM    ? "let all ranks run as one user"
                  : error == EMFILE || error == ENFILE ? "raise the limit on open files (ulimit -n)"
                  : error == EFBIG  ? "raise the limit on the size of files (ulimit -f)"
                  : error == ENOENT ? "mount a tmpfs there"
                                    : "make room there, or let it be written"),
      kNoPeer, error);
}

// Two nodes on one host are a surprise to most: an error has to say why there are two.
std::unique_ptr<transport::Transport> Engine::open(const TransportKind& kind,
                                                   transport::Bootstrap& bootstrap) const {
  try {
    return kind.open(*transport_context_, bootstrap);
  } catch (const Error& error) {
    if (auto obstacle = obstacle_here()) {
      obstacle->message += ". Without it, " + error.message;
      throw Error(*obstacle);
    }
    const int apart = placement_->apart(), renamed = placement_->renamed();
    if (apart < 0 && renamed < 0) throw;
    const std::string why =
        apart >= 0 ? fmt::format(
                         "Rank {} of MPI_COMM_WORLD runs on this host, too, but does not share "
                         "this rank's /dev/shm; let containers share it (docker run --ipc=host)",
                         apart)
                   : fmt::format(
                         "Rank {} of MPI_COMM_WORLD shares this rank's /dev/shm, but its host has "
                         "another name, and so is another node; set TUTTI_NODE to one name for "
                         "both",
                         renamed);
    throw Error(error.code, fmt::format("{}. {}, or give each an RDMA device", error.message, why),
                error.peer, error.system_errno);
  }
}

void Engine::open_transports(transport::Bootstrap& bootstrap,
                             std::span<const TransportKind> kinds) {
  std::vector<Address> addresses(static_cast<std::size_t>(size()));
  bool software = false;
  for (const TransportKind& kind : kinds) {
    if (!kind.wanted(*transport_context_)) {
      if (kind.check_unused) kind.check_unused(*transport_context_);
      continue;
    }
    auto transport = open(kind, bootstrap);
    const Address mine = transport->address();
    bootstrap.allgather(&mine, sizeof mine, addresses.data());
    transport->set_peers(addresses);
    connections_.add(*transport);
    software |= transport->software_wire();
    transports_.push_back(std::move(transport));
  }
  if (configuration_.wire != Wire::automatic) software = configuration_.wire == Wire::software;
  software_wire_ = bootstrap.maximum(software ? 1 : 0) != 0;
}

// The last messages may still have to be sent again: leave only when the adapter says that
// everything has arrived. Peers that are gone end this by their own time-out.
void Engine::disconnect() noexcept {
  dispatcher_.send_last_news();
  for (const auto& transport : transports_) transport->send_disconnect();
  const auto deadline = RunningClock::now() + 10s;
  const auto busy = [](Channel* channel) { return !channel->link().drained(); };
  const auto& all = connections_.all();
  while (std::any_of(all.begin(), all.end(), busy) && RunningClock::now() < deadline) {
    connections_.progress_transports();
    sched_yield();
  }
}

nlohmann::json Engine::describe() const {
  // Memory kept for every rank of MPI_COMM_WORLD, connected or not.
  std::size_t bytes_per_rank = transport::Placement::kBytesPerRank + Connections::kBytesPerRank;
  for (const auto& transport : transports_) bytes_per_rank += transport->bytes_per_rank();
  nlohmann::json members = {{"world_size", size()},
                            {"world_rank", rank()},
                            {"oversubscribed", placement_->oversubscribed()},
                            {"progress", calls_->progress_by()},
                            {"software_wire", software_wire_},
                            {"connections", nlohmann::json::object()},
                            {"connection_bytes", nlohmann::json::object()},
                            {"address_bytes", static_cast<std::size_t>(size()) * bytes_per_rank},
                            {"bytes_per_connection", {{"shm", 0}, {"verbs", 0}}}};
  std::map<std::string, int> connections;
  for (Channel* const channel : connections_.all()) ++connections[channel->link().kind()];
  members["connections"].update(connections);
  for (const auto& transport : transports_) {
    members["bytes_per_connection"][transport->kind()] = transport->bytes_per_connection();
    for (const auto& [name, value] : transport->counters()) members["counters"][name] = value;
    nlohmann::json own = transport->describe();
    if (const auto held = own.find("connection_bytes"); held != own.end()) {
      members["connection_bytes"][transport->kind()] = *held;
      own.erase(held);
    }
    members.update(own);
  }
  if (datagrams_) members.update(datagrams_->describe());
  return members;
}

}  // namespace tutti
