// Linear interpolation. Pure.
#include "models/platform/curve.hpp"

#include <algorithm>

namespace tutti::models {

double Curve::operator()(Bytes bytes) const noexcept {
  if (bytes <= points_.front().bytes) return points_.front().value;
  if (bytes >= points_.back().bytes) return points_.back().value;
  const auto after =
      std::upper_bound(points_.begin(), points_.end(), bytes,
                       [](Bytes value, const Point& point) { return value < point.bytes; });
  const Point &a = *std::prev(after), &b = *after;
  const double share =
      static_cast<double>(bytes - a.bytes) / static_cast<double>(b.bytes - a.bytes);
  return a.value + share * (b.value - a.value);
}

}  // namespace tutti::models
