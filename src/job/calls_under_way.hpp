// CallsUnderWay: the calls of all communicators of this process that have begun and not ended, and
// what takes them further while their ranks wait for others, or compute.
//
// While a rank is in a call, its other calls advance, too. While it is in none, a thread of Tutti's
// own may advance them, which sleeps as long as there is none.
//
// With the engine's lock, unless a function says otherwise.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "src/news/connections.hpp"
#include "src/news/dispatcher.hpp"
#include "src/job/job_log.hpp"
#include "src/job/progress_thread.hpp"
#include "src/job/waiting.hpp"
#include "transport/placement.hpp"

namespace tutti {

class CallsUnderWay {
 public:
  struct Parts {  // of the engine, which outlive this object
    Connections& connections;
    Dispatcher& dispatcher;
    Waiting& waiting;
    const transport::Placement& placement;
    const JobLog& log;
    std::mutex& lock;
  };
  // `functions_anywhere`: the program's functions may be called in any thread. `may_have_thread`:
  // want_thread() starts one.
  CallsUnderWay(const Parts& parts, bool functions_anywhere, bool may_have_thread)
      : parts_(parts), functions_anywhere_(functions_anywhere), may_have_thread_(may_have_thread) {}

  // `needs_program`: to go on, it calls a function of the program's, or of the MPI's.
  void began(bool needs_program) noexcept {
    ++count_;
    if (needs_program) [[unlikely]]
      need_program_.fetch_add(1, std::memory_order_relaxed);
  }
  // For a rank whose calls never wait. The lock is free while MPI is called.
  void look_around() noexcept;
  void ended(bool needs_program) noexcept {
    --count_;
    ++ended_;
    if (needs_program) [[unlikely]]
      need_program_.fetch_sub(1, std::memory_order_relaxed);
  }
  // How many have ended so far, well or not.
  std::uint64_t ended_so_far() const noexcept { return ended_; }
  // Takes calls but this one, which is one of them if it is `open`, as far as they go: what they
  // have to send may be waited for.
  void advance_others(const OpenCall& call, bool open = true) noexcept {
    if (count_ > static_cast<int>(open)) [[unlikely]]
      advance_all_but(call);
  }
  // Takes in what has come, and calls as far as they go. `in_program`: functions of the program may
  // be called here. false: no call is under way.
  bool progress(bool in_program) noexcept;

  // --- the thread

  // A call was begun, and its rank may turn to other things. false: there is no thread.
  bool leave_alone() noexcept {
    if (thread_) thread_->wake();
    return thread_ != nullptr;
  }
  // As want(), and its rank may wait for others outside of Tutti: there is a thread from now on,
  // unless it may not be, or the system gives none. Throws std::bad_alloc.
  void want_thread();
  // Throws Error{system}, std::bad_alloc.
  void start_thread();
  // Whether a call of this thread's is under way that the thread may not take further. Without the
  // lock.
  bool need_program() const noexcept {
    return !functions_anywhere_ && need_program_.load(std::memory_order_relaxed) != 0;
  }
  // While its rank is in a function that waits for others, the thread may call the program's
  // functions: the rank calls none meanwhile. Each is followed by an end_loan().
  void lend_program() noexcept {
    ++loans_;
    leave_alone();
  }
  void end_loan() noexcept { --loans_; }
  // Before the engine goes: without the lock.
  void end_thread() noexcept { thread_.reset(); }
  // The way calls advance, in the words of tutti_describe(3).
  const char* progress_by() const noexcept;

 private:
  void advance_all_but(const OpenCall& call) noexcept;

  const Parts parts_;
  const bool functions_anywhere_;
  bool may_have_thread_;
  int count_ = 0;
  std::uint64_t ended_ = 0;
  std::atomic<int> need_program_{0};  // those of the calls
  int loans_ = 0;
  std::unique_ptr<ProgressThread> thread_;  // null: there is none
};

}  // namespace tutti
