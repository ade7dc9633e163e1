// The frame of a picture of times over sizes: both axes logarithmic.
#pragma once

#include <string>
#include <vector>

#include "base/types.hpp"

namespace tutti::tools {

// The size of a panel in a picture of several, and its margins, where the axes are labelled.
struct PanelShape {
  double width, height, left, top, right, bottom;
  double head;  // above the panels

  constexpr double inner_width() const { return width - left - right; }
  constexpr double inner_height() const { return height - top - bottom; }
};

struct LogAxes {
  double left = 0, top = 0, width = 0, height = 0;  // of the inner rectangle
  std::vector<Bytes> sizes;                         // ascending
  double least = 1e300, most = 0;                   // microseconds
  bool counts = false;                              // `sizes` are numbers, not bytes

  void include(double low, double high);
  // When everything has been included: rounds the times to ticks.
  void settle();
  double x(Bytes bytes) const;
  double y(double us) const;
  std::string label_of(Bytes size) const;
  // The frame, the ticks of both axes, and what is written beside them.
  std::string draw_times(const std::string& what = "time of a call") const;
  // Labels stand in up to three rows. A size for which none has room has no tick.
  std::string draw_sizes() const;
  // The name of the sizes, below their labels, if a panel's lower margin has `kBelow` for both.
  static constexpr double kBelow = 66;
  std::string draw_name_of_sizes(const std::string& what) const;
  std::string draw_frame() const;

 private:
  static constexpr std::size_t kLabelRows = 3;
  // The row of each size's label; kLabelRows: none has room.
  std::vector<std::size_t> label_rows() const;
  double half_label(Bytes size) const;
  double where(Bytes bytes) const;
};

}  // namespace tutti::tools
