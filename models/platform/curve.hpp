// A parameter that is a number, or a function of the message's length given as a table. Pure.
#pragma once

#include <vector>

#include "base/types.hpp"

namespace tutti::models {

class Curve {
 public:
  struct Point {
    Bytes bytes;
    double value;
    friend bool operator==(const Point&, const Point&) = default;
  };

  Curve(double constant = 0) : points_{{0, constant}} {}
  // At least one point, in ascending order of bytes.
  explicit Curve(std::vector<Point> points) : points_(std::move(points)) {}

  // Interpolated between points; before the first and after the last one the value stays.
  double operator()(Bytes bytes) const noexcept;
  bool constant() const noexcept { return points_.size() == 1; }
  const std::vector<Point>& points() const noexcept { return points_; }
  friend bool operator==(const Curve&, const Curve&) = default;

 private:
  std::vector<Point> points_;
};

}  // namespace tutti::models
