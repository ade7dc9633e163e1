// OpenCalls: this rank's calls on one communicator that have begun and not ended, whatever their
// number, and what the last ones were.
#pragma once

#include <array>
#include <cstddef>

#include "collectives/schedule/problem.hpp"
#include "protocols/news.hpp"

namespace tutti {

// A call that this rank has begun and not ended. Owned by who made it, and must stay where it is.
class OpenCall {
 public:
  // Set by OpenCalls::open.
  CollectiveNumber number() const noexcept { return number_; }
  // Takes the call as far as it goes now. Does nothing unless it is under way.
  virtual void advance() noexcept = 0;
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
  OpenCall* older_ = nullptr;  // in the list of open calls
};

class OpenCalls {
 public:
  // The tasks of so many calls, the last ones, are known when they have ended.
  static constexpr std::size_t kRemembered = 16;

  void open(OpenCall& call, CollectiveNumber number) noexcept {
    call.number_ = number;
    call.older_ = newest_;
    newest_ = &call;
    last_[number % kRemembered] = {number, call.task_};
  }
  // The call has ended, well or not.
  void close(OpenCall& call) noexcept {
    OpenCall** place = &newest_;  // mostly the last one: a blocking call
    while (*place != &call) place = &(*place)->older_;
    *place = call.older_;
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
  // Null: it is not open.
  const OpenCall* find(CollectiveNumber number) const noexcept {
    const OpenCall* call = newest_;
    while (call && call->number_ != number) call = call->older_;
    return call;
  }
  // From the last to the first. The call that is visited may end meanwhile.
  template <class Visit>
  void each(Visit&& visit) const {
    for (OpenCall* call = newest_; call;) {
      OpenCall* const older = call->older_;
      visit(*call);
      call = older;
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

  OpenCall* newest_ = nullptr;  // linked from the last to the first
  std::array<Last, kRemembered> last_{};
};

}  // namespace tutti
