// OpenCalls: this rank's calls on one communicator that have begun and not ended, whatever their
// number, and what the last ones were.
#pragma once

#include <array>
#include <cstddef>

#include "collectives/schedule/problem.hpp"
#include "protocols/news.hpp"

namespace tutti {

struct WaitState;

// A call that this rank has begun and not ended. Owned by who made it, and must stay where it is.
class OpenCall {
 public:
  // Set by OpenCalls::open.
  CollectiveNumber number() const noexcept { return number_; }
  // See OpenCalls::each_under_way().
  bool is_held() const noexcept { return held_; }
  // Takes the call as far as it goes now. Does nothing unless it is under way.
  virtual void advance() noexcept = 0;
  // A pause of a wait that needs this call to go on: see Waiting::wait_once(), look_once().
  virtual void pause_for(WaitState&) noexcept {}
  virtual void look_for(WaitState&) noexcept {}
  // advance() in a thread of Tutti's; does nothing if it would call a function of the program.
  virtual void advance_apart() noexcept { advance(); }

 protected:
  OpenCall() = default;
  ~OpenCall() = default;
  const collectives::Task* task_ = nullptr;  // stays valid until OpenCalls::forget
  Ordinal mark_ = 0;                         // in the names of its messages; 0: they bear none

 private:
  friend class OpenCalls;
  CollectiveNumber number_ = 0;
  bool held_ = false;
  OpenCall *older_ = nullptr, *newer_ = nullptr;  // in the list of open calls
};

class OpenCalls {
 public:
  // The tasks of so many calls, the last ones, are known when they have ended.
  static constexpr std::size_t kRemembered = 16;
  // The most calls that are under way at a time.
  static constexpr int kAtOnce = 64;

  void open(OpenCall& call, CollectiveNumber number) noexcept {
    call.number_ = number;
    call.older_ = newest_;
    call.newer_ = nullptr;
    (newest_ ? newest_->newer_ : oldest_) = &call;
    newest_ = &call;
    call.held_ = ++size_ > kAtOnce;
    if (call.held_ && !first_held_) first_held_ = &call;
    last_[number % kRemembered] = {number, call.task_};
  }
  // The call has ended, well or not.
  void close(OpenCall& call) noexcept {
    (call.newer_ ? call.newer_->older_ : newest_) = call.older_;
    (call.older_ ? call.older_->newer_ : oldest_) = call.newer_;
    --size_;
    if (first_held_ && (!call.held_ || first_held_ == &call)) [[unlikely]] {
      OpenCall& next = call.held_ ? call : *first_held_;
      next.held_ = false;
      first_held_ = next.newer_;
    }
  }
  // The call with that number was rejected before it began.
  void note_rejected(CollectiveNumber number) noexcept {
    last_[number % kRemembered] = {number, nullptr};
  }
  // The task is about to go.
  void forget(const collectives::Task& task) noexcept {
    for (Last& last : last_)
      if (last.task == &task) last.task = nullptr;
  }

  // Null: none is open.
  const OpenCall* newest() const noexcept { return newest_; }
  // The one that has been open for longest: it is under way. Null: none is open.
  OpenCall* oldest() const noexcept { return oldest_; }
  // Null: it is not open.
  const OpenCall* find(CollectiveNumber number) const noexcept {
    const OpenCall* call = newest_;
    while (call && call->number_ != number) call = call->older_;
    return call;
  }
  // The oldest ones, which move data; the others are held back until these have ended, and touch
  // neither slots nor credits. If all of many calls took part, each poll would look through the
  // messages of all. Liveness: members begin calls in one order, so each that has not ended the
  // oldest call of all has it under way, and its messages get through whatever others do (see
  // protocols/asks.hpp).
  // From the first on. The call that is visited may end meanwhile.
  template <class Visit>
  void each_under_way(Visit&& visit) const {
    for (OpenCall* call = oldest_; call && !call->held_;) {
      OpenCall* const newer = call->newer_;
      visit(*call);
      call = newer;
    }
  }
  // The task of an open call, or of one of the last ones. Null: it is not known, or not any more.
  const collectives::Task* task_of(CollectiveNumber number) const noexcept {
    if (const OpenCall* const open = find(number)) return open->task_;
    const Last& last = last_[number % kRemembered];
    return last.number == number ? last.task : nullptr;
  }
  // In the names of the messages of an open call; 0: they bear none.
  static Ordinal mark_of(const OpenCall& call) noexcept { return call.mark_; }

 private:
  struct Last {
    CollectiveNumber number = 0;
    const collectives::Task* task = nullptr;  // null: it was rejected
  };

  OpenCall *newest_ = nullptr, *oldest_ = nullptr;
  OpenCall* first_held_ = nullptr;  // and all that are newer are held, too
  int size_ = 0;
  std::array<Last, kRemembered> last_{};
};

}  // namespace tutti
