// The candidate of the least time, and the winner where times do not differ. Pure.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#include "models/decision/estimate.hpp"

namespace tutti::models {

// The least time wins. Times that are within 2 % of it do not differ from it: then less memory
// counts, by which connections are counted, too; then fewer rounds, as each is a chance to wait for
// what the model does not know of; then who entered first.
class Contest {
 public:
  // May one win whose time is no less than this?
  bool is_open_to(double time) const noexcept { return time * kClearly <= least_; }
  bool is_least(std::size_t number) const noexcept { return is_open_to(all_[number].time); }
  static bool is_clearly_less(double time, double other) noexcept {
    return time < kClearly * other;
  }

  void enter(double time, const Estimate& estimate) {
    // With absurd parameters no time is a number.
    all_.push_back({std::isnan(time) ? std::numeric_limits<double>::infinity() : time,
                    doublings_of(estimate.memory), estimate.rounds});
    least_ = std::min(least_, all_.back().time);
  }

  // By numbers, in which they entered: is a better than b?
  bool is_better(std::size_t a, std::size_t b) const noexcept {
    const auto rank = [&](const Entry& one) {
      const bool least = is_open_to(one.time);
      return least ? std::tuple{0.0, one.doublings, one.rounds} : std::tuple{one.time, 0, 0.0};
    };
    return std::pair{!is_open_to(all_[a].time), rank(all_[a])} <
           std::pair{!is_open_to(all_[b].time), rank(all_[b])};
  }

  // Requires that one has entered.
  std::size_t winner() const noexcept {
    std::size_t best = 0;
    for (std::size_t i = 1; i < all_.size(); ++i)
      if (is_better(i, best)) best = i;
    return best;
  }
  bool empty() const noexcept { return all_.empty(); }

 private:
  struct Entry {
    double time;
    int doublings;
    double rounds;
  };
  static constexpr double kClearly = 0.98;  // of another time: below that it is clearly less

  // How often a MiB has to be doubled to reach `memory`; less than that matters to nobody.
  static int doublings_of(Bytes memory) noexcept {
    return std::bit_width(static_cast<std::uint64_t>(std::max<Bytes>(memory, 0)) >> 20);
  }

  double least_ = std::numeric_limits<double>::infinity();
  std::vector<Entry> all_;
};

}  // namespace tutti::models
