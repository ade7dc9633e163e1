// The engine: what one process has once, whatever its communicators. Its placement, transports and
// connections, the dispatcher of news, and how it waits.
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
#include "src/job/datagrams.hpp"
#include "src/job/dispatcher.hpp"
#include "src/job/job_log.hpp"
#include "src/job/progress_thread.hpp"
#include "src/job/trace.hpp"
#include "src/job/transports.hpp"
#include "src/job/waiting.hpp"
#include "transport/bootstrap.hpp"

namespace tutti {

// What the settings ask of the registration cache, and of how a rank waits. `oversubscribed`: ranks
// of a node outnumber its cores.
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
  Connections& connections() noexcept { return connections_; }
  Dispatcher& dispatcher() noexcept { return dispatcher_; }
  Waiting& waiting() noexcept { return *waiting_; }
  // For broadcasts by datagrams; null where they cannot be had.
  protocols::Mailbox* mailbox() noexcept { return datagrams_ ? datagrams_->mailbox() : nullptr; }
  // That of all plans of all communicators.
  ScratchPool* scratch() const noexcept { return scratch_; }
  const JobLog& log() const noexcept { return log_; }
  // Null: calls are not recorded.
  Trace* trace() noexcept { return trace_.get(); }
  const Configuration& configuration() const noexcept { return configuration_; }
  // Packets cost CPU time, on some rank.
  bool software_wire() const noexcept { return software_wire_; }
  // Ranks of one node speak over the wire, too.
  bool wire_on_nodes() const noexcept { return configuration_.transport == TransportChoice::verbs; }

  // Held by every call, where several threads may call; free while a call gives its core away.
  std::unique_lock<std::mutex> enter() {
    return threads_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>();
  }
  // Where several threads may call: not locked if another one is in a call.
  std::unique_lock<std::mutex> try_to_enter() { return {mutex_, std::try_to_lock}; }

  // --- calls under way, of all communicators
  void began_call(CollectiveNumber number) noexcept {
    ++active_calls_;
    if (number % kCallsPerPoll == 0) {
      connections_.poll_one();
      waiting_->drive_others();  // of calls that follow each other perhaps none waits
    }
  }
  void ended_call() noexcept { --active_calls_; }
  // Takes all calls but this one, which is one of them if it is `open`, as far as they go: what
  // they have to send may be waited for.
  void advance_others(const OpenCall& call, bool open = true) noexcept {
    if (active_calls_ > static_cast<int>(open)) [[unlikely]]
      advance_all(&call);
  }

  // Takes in what has come, and all calls as far as they go. `in_program`: functions of the program
  // may be called here. false: no call is under way. With the lock.
  bool take_all_further(bool in_program) noexcept;
  // The same for a rank that waits for others outside of Tutti. Takes the lock.
  void progress() noexcept {
    const auto lock = enter();
    take_all_further(true);
  }
  // A call was begun, and its rank may turn to other things.
  void leave_alone() noexcept {
    if (progress_thread_) progress_thread_->wake();
  }
  // The same, and its rank may wait for others outside of Tutti: there is a thread from now on,
  // unless the setting `progress` says otherwise, or the system gives none. With the lock. Throws
  // std::bad_alloc.
  void want_progress_thread();
  // Before the engine goes: without the lock.
  void end_progress_thread() noexcept { progress_thread_.reset(); }
  // Until everything that was sent has arrived, or its receiver is gone.
  void farewell() noexcept;
  nlohmann::json describe() const;  // an object with its members of tutti_describe(3)

 private:
  static constexpr CollectiveNumber kCallsPerPoll = 64;

  void exchange_placement(transport::Bootstrap& bootstrap);
  std::optional<Error> obstacle_here() const;
  std::unique_ptr<transport::Transport> open(const TransportKind& kind,
                                             transport::Bootstrap& bootstrap) const;
  void open_transports(transport::Bootstrap& bootstrap, std::span<const TransportKind> kinds);
  void advance_all(const OpenCall* but) noexcept;
  bool has_a_core_to_spare() const noexcept;
  void start_progress_thread();

  const Configuration configuration_;
  JobLog log_;
  const bool threads_, functions_anywhere_;
  bool wants_progress_thread_;
  std::mutex mutex_;
  std::optional<transport::Placement> placement_;
  std::optional<Site> site_;
  std::vector<std::unique_ptr<transport::Transport>> transports_;
  std::unique_ptr<JobDatagrams> datagrams_;
  Dispatcher dispatcher_;
  Connections connections_;
  std::optional<Waiting> waiting_;
  std::unique_ptr<Trace> trace_;
  ScratchPool* const scratch_;
  bool software_wire_ = false;
  int active_calls_ = 0;
  std::unique_ptr<ProgressThread> progress_thread_;  // null: there is none
};

}  // namespace tutti
