// CallCount: the numbers of the calls of one communicator, and how people count them.
//
// All ranks number calls alike. Where calls are checked, each is two: the check comes first, and
// people hear of one call.
#pragma once

#include <cstdint>

#include "collectives/schedule/problem.hpp"
#include "protocols/news.hpp"

namespace tutti {

class CallCount {
 public:
  // `first`: the number of the first call.
  explicit CallCount(CollectiveNumber first = 0) noexcept : next_(first) {}

  // The number of the next call.
  CollectiveNumber next() const noexcept { return next_; }
  CollectiveNumber take() noexcept { return next_++; }
  // The number of a call that is rejected before its check, or after. The other one is not used.
  CollectiveNumber take_for_rejected() noexcept {
    const CollectiveNumber number = next_;
    next_ += per_call_ - number % per_call_;
    return number;
  }

  // --- checks

  // From now on calls are checked.
  void count_checks() noexcept { per_call_ = 2; }
  bool counts_checks() const noexcept { return per_call_ == 2; }
  // A check is under way, and people hear that it is the call which is checked; null: no more.
  void set_checked(const collectives::Task* task) noexcept { checked_ = task; }
  const collectives::Task* checked() const noexcept { return checked_; }

  // --- for people, who begin with 1

  // The last one's number.
  std::uint64_t begun() const noexcept {
    return (std::uint64_t{next_} + per_call_ - 1) / per_call_;
  }
  // The next one's number, or that of the one whose check has just been made.
  std::uint64_t of_next() const noexcept { return of(next_); }
  std::uint64_t of(CollectiveNumber number) const noexcept {
    return std::uint64_t{number} / per_call_ + 1;
  }

 private:
  CollectiveNumber next_;
  std::uint32_t per_call_ = 1;
  const collectives::Task* checked_ = nullptr;
};

}  // namespace tutti
