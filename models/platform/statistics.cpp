// Order statistics. Pure.
#include "models/platform/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>

namespace tutti::models {

Median median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  const boost::math::binomial_distribution<> below(static_cast<double>(n), 0.5);
  const auto quantile = static_cast<std::size_t>(boost::math::quantile(below, 0.025));
  const std::size_t low = std::min(quantile, (n - 1) / 2);
  Median median{.value = n % 2 != 0 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2,
                .low = values[low],
                .high = values[n - 1 - low],
                .count = static_cast<int>(n)};
  const double first = values[n / 4], third = values[n - 1 - n / 4];
  const double far = 3 * (third - first);
  median.outliers = static_cast<int>(std::count_if(
      values.begin(), values.end(), [&](double v) { return v < first - far || v > third + far; }));
  return median;
}

Median repeated(std::vector<Median> all) {
  std::sort(all.begin(), all.end(),
            [](const Median& a, const Median& b) { return a.value < b.value; });
  Median middle = all[(all.size() - 1) / 2];
  if (all.size() == 1) return middle;
  std::vector<double> values;
  values.reserve(all.size());
  for (const Median& one : all) values.push_back(one.value);
  const Median together = median_of(std::move(values));
  middle.low = together.low;
  middle.high = together.high;
  return middle;
}

void Tally::add(const Median& one, const Median& other) {
  if (undecided(one, other) || one.value <= 0 || other.value <= 0) {
    ++unknown_;
    return;
  }
  ++(one.value < other.value ? less_ : greater_);
  logarithms_ += std::log(other.value / one.value);
}

std::optional<double> Tally::ratio() const {
  const int known = less_ + greater_;
  if (known == 0) return std::nullopt;
  return std::exp(logarithms_ / known);
}

}  // namespace tutti::models
