// What repeated measurements say: the median, how sure it is, and what stands apart. Pure.
#pragma once

#include <vector>

namespace tutti::models {

// The median, and the interval that holds it with 95 %: order statistics, no assumption on the
// distribution.
struct Median {
  double value = 0, low = 0, high = 0;
  int count = 0;
  // Values more than three interquartile ranges outside of the quartiles.
  int outliers = 0;

  // Of the interval, as a share of the median.
  double width() const noexcept { return value > 0 ? (high - low) / value : 0; }
};

// At least one value.
Median median_of(std::vector<double> values);

// Too few values have no interval of 95 %.
inline constexpr int kFewestForInterval = 6;

}  // namespace tutti::models
