// The engine: what one process has once, whatever its communicators. Its placement, transports and
// connections, the dispatcher of news, its calls under way, and how it waits.
// Above it: communicators and the C API. Knows configuration and bootstrap; no schedule, no
// datatype, and no transport by name.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/scratch.hpp"
#include "src/job/calls_under_way.hpp"
#include "src/setup/datagrams.hpp"
#include "src/news/dispatcher.hpp"
#include "src/job/job_log.hpp"
#include "src/job/trace.hpp"
#include "src/setup/transports.hpp"
#include "src/job/waiting.hpp"
#include "transport/bootstrap.hpp"

namespace tutti {

// Options of the registration cache and of waiting, from the settings. `oversubscribed`: ranks of a
// node outnumber its cores.
registration::CacheOptions cache_options(const Configuration& configuration);
Waiting::Settings waiting_settings(const Configuration& configuration, bool oversubscribed);

class Engine {
 public:
  struct Options {
    bool threads = false;                // several threads may call
    bool functions_anywhere = false;     // the program's functions may be called in any thread
    bool datagrams = false;              // some broadcast will want them
    Log log;                             // null: nothing is logged
    Log warn;                            // null: there are no warnings
    std::function<void()> drive_others;  // see Waiting::Settings
    const std::atomic<int>* drives_while = nullptr;
    ScratchPool* scratch = nullptr;  // outlives the engine; null: executions keep theirs
    std::span<const TransportKind> transports = transport_kinds();
  };
  // Collective over `bootstrap`: opens transports and exchanges addresses. Throws Error; the other
  // ranks then do so in their next exchange over the bootstrap.
  Engine(const Configuration& configuration, transport::Bootstrap& bootstrap, Options options);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  int rank() const noexcept { return placement_->rank(); }
  int size() const noexcept { return placement_->size(); }
  const transport::Placement& placement() const noexcept { return *placement_; }
  // This machine's; they are read at the first call. Throws bad_alloc.
  const transport::Processors& processors() { return machine_.processors(); }
  Connections& connections() noexcept { return connections_; }
  Dispatcher& dispatcher() noexcept { return dispatcher_; }
  Waiting& waiting() noexcept { return *waiting_; }
  CallsUnderWay& calls() noexcept { return *calls_; }
  // For broadcasts by datagrams; null where they cannot be had.
  protocols::Mailbox* mailbox() noexcept { return datagrams_ ? datagrams_->mailbox() : nullptr; }
  // The pool that all plans of all communicators share.
  ScratchPool* scratch() const noexcept { return scratch_; }
  const JobLog& log() const noexcept { return log_; }
  // Null: calls are not recorded.
  Trace* trace() noexcept { return trace_.get(); }
  const Configuration& configuration() const noexcept { return configuration_; }
  // Packets cost CPU time, on some rank.
  bool software_wire() const noexcept { return software_wire_; }
  // Ranks of one node use the wire, too.
  bool wire_on_nodes() const noexcept { return configuration_.transport == TransportChoice::verbs; }

  // Held by every call, where several threads may call; free while a call yields its core.
  std::unique_lock<std::mutex> enter() {
    return threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  // Where several threads may call: not locked if another one is in a call.
  std::unique_lock<std::mutex> try_to_enter() { return {mutex_, std::try_to_lock}; }

  // Ends in order: returns when everything that was sent has arrived, or its receiver is gone.
  void disconnect() noexcept;
  nlohmann::json describe() const;  // an object with its members of tutti_describe(3)

 private:
  void exchange_placement(transport::Bootstrap& bootstrap);
  std::optional<Error> obstacle_here() const;
  std::unique_ptr<transport::Transport> open(const TransportKind& kind,
                                             transport::Bootstrap& bootstrap) const;
  void open_transports(transport::Bootstrap& bootstrap, std::span<const TransportKind> kinds);

  const Configuration configuration_;
  JobLog log_;
  const bool threads_;
  std::mutex mutex_;
  std::optional<transport::Placement> placement_;
  transport::Machine machine_;
  std::optional<TransportContext> transport_context_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::unique_ptr<JobDatagrams> datagrams_;
  Dispatcher dispatcher_;
  Connections connections_;
  std::optional<Waiting> waiting_;
  std::unique_ptr<Trace> trace_;
  ScratchPool* const scratch_;
  bool software_wire_ = false;
  std::optional<CallsUnderWay> calls_;
};

}  // namespace tutti
