// Statistics of repeated measurements: the median, how sure it is, and what stands apart. Pure.
#pragma once

#include <optional>
#include <vector>

namespace tutti::models {

// The median, and the interval that holds it with 95 %: order statistics, no assumption on the
// distribution.
struct Median {
  double value = 0, low = 0, high = 0;
  int count = 0;
  // Values more than three interquartile ranges outside of the quartiles.
  int outliers = 0;

  // Width of the interval, as a share of the median.
  double width() const noexcept { return value > 0 ? (high - low) / value : 0; }
};

// At least one value.
Median median_of(std::vector<double> values);

// Whether it is not known which median is less, as two intervals have a value in common, or one is
// wider than its median: half of what was measured there tells of other work on the machine.
inline bool undecided(const Median& a, const Median& b) noexcept {
  return (a.low <= b.high && b.low <= a.high) || a.width() > 1 || b.width() > 1;
}

// Repeated measurements of one thing together: the middle one of their medians, and the
// interval of these. Fewer than kFewestForInterval span from the least to the greatest. One alone
// keeps its own interval. At least one.
Median repeated(std::vector<Median> all);

// Two quantities, measured at several points: which one is less at how many, and by how much.
class Tally {
 public:
  void add(const Median& one, const Median& other);
  int less() const noexcept { return less_; }        // points at which the first one is less
  int greater() const noexcept { return greater_; }  // … the other one
  int unknown() const noexcept { return unknown_; }  // … which one is undecided
  // The geometric mean of other/one, where it is known; nothing: nowhere.
  std::optional<double> ratio() const;

 private:
  int less_ = 0, greater_ = 0, unknown_ = 0;
  double logarithms_ = 0;
};

// Too few values have no interval of 95 %.
inline constexpr int kFewestForInterval = 6;

}  // namespace tutti::models
