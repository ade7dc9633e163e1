// Draws the axes of times over sizes.
#include "tools/drawing/log_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tools/drawing/svg.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

constexpr double kInset = 0.04;        // points keep off the sides
constexpr double kFewDecades = 2.4;    // up to here the y axis has room for 1, 2 and 5 of each
constexpr double kLeastShown = 0.001;  // microseconds; zero has no logarithm
constexpr double kLabelRow = 13;

// The greatest of 1, 2, 5, 10, … (times powers of ten) that is not above `us`, or the least that is
// not below.
double rounded(double us, bool up) {
  const double decade = std::pow(10, std::floor(std::log10(us)));
  double best = up ? 10 * decade : decade;
  for (const double step : {2., 5.})
    if (up ? step * decade >= us && step * decade < best : step * decade <= us)
      best = step * decade;
  return up && decade >= us ? decade : best;
}

}  // namespace

void LogAxes::include(double low, double high) {
  least = std::min(least, low);
  most = std::max(most, high);
}

void LogAxes::settle() {
  least = rounded(std::max(least, kLeastShown), false);
  most = rounded(std::max(most, kLeastShown), true);
  if (most < 4 * least) {  // two nearly equal times are not to look like a mountain
    least = rounded(least * 0.7, false);
    most = rounded(most * 1.4, true);
  }
}

// Zero bytes have no logarithm: they stand one step of the sizes, two powers of two, left of the
// least that has one.
double LogAxes::where(Bytes bytes) const {
  if (bytes > 0) return std::log2(static_cast<double>(bytes));
  const auto some = std::find_if(sizes.begin(), sizes.end(), [](Bytes size) { return size > 0; });
  return some == sizes.end() ? 0 : std::log2(static_cast<double>(*some)) - 2;
}

double LogAxes::x(Bytes bytes) const {
  const double first = where(sizes.front()), last = where(sizes.back());
  if (first == last) return left + width / 2;
  return left + width * (kInset + (1 - 2 * kInset) * (where(bytes) - first) / (last - first));
}

double LogAxes::y(double us) const {
  return top + height * std::log(most / std::max(us, least)) / std::log(most / least);
}

std::string LogAxes::label_of(Bytes size) const {
  return counts ? std::to_string(size) : size_text(size);
}

std::string LogAxes::draw_times(const std::string& what) const {
  std::string drawn;
  const bool few = std::log10(most / least) <= kFewDecades;
  for (double decade = std::pow(10, std::floor(std::log10(least) + 1e-9)); decade <= most * 1.001;
       decade *= 10)
    for (const double step : {1., 2., 5.}) {
      const double tick = step * decade;
      if (tick < least * 0.999 || tick > most * 1.001 || (step != 1 && !few)) continue;
      drawn += svg::line(left, y(tick), left + width, y(tick), step == 1 ? "#ccc" : "#eee");
      drawn += svg::text(left - 7, y(tick) + 4, svg::time_text(tick), svg::kTickLeft);
    }
  return drawn +
         fmt::format(R"svg(<text transform="translate({:.1f},{:.1f}) rotate(-90)" {}>{}</text>)svg",
                     left - 52, top + height / 2, svg::kAxis, svg::escaped(what)) +
         "\n";
}

double LogAxes::half_label(Bytes size) const {
  return svg::kLetter * static_cast<double>(label_of(size).size()) / 2;
}

// From the right, so that the last size always has its label in the first row.
std::vector<std::size_t> LogAxes::label_rows() const {
  constexpr double kGap = 8;
  std::array<double, kLabelRows> free_until{};
  free_until.fill(left + 2 * width);
  std::vector<std::size_t> rows(sizes.size());
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const double begin = x(sizes[i]) - half_label(sizes[i]),
                 end = x(sizes[i]) + half_label(sizes[i]);
    while (rows[i] < kLabelRows && end > free_until.at(rows[i])) ++rows[i];
    if (rows[i] < kLabelRows) free_until.at(rows[i]) = begin - kGap;
  }
  return rows;
}

std::string LogAxes::draw_sizes() const {
  const auto rows = label_rows();
  std::string drawn;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (rows[i] == kLabelRows) continue;
    const double at = x(sizes[i]);
    drawn += svg::line(at, top + height, at, top + height + 4, "#999");
    drawn += svg::text(at, top + height + 17 + kLabelRow * static_cast<double>(rows[i]),
                       label_of(sizes[i]), svg::kTick);
  }
  return drawn;
}

std::string LogAxes::draw_name_of_sizes(const std::string& what) const {
  std::size_t last = 1;  // row, of two at least, so that panels side by side are alike
  for (const std::size_t row : label_rows())
    if (row < kLabelRows) last = std::max(last, row);
  return svg::text(left + width / 2, top + height + 33 + kLabelRow * static_cast<double>(last),
                   what, svg::kAxis);
}

std::string LogAxes::draw_frame() const {
  return svg::line(left, top, left, top + height, "#999") +
         svg::line(left, top + height, left + width, top + height, "#999");
}

}  // namespace tutti::tools
