// The picture of `tutti measure`: a panel a level, time over size, both axes logarithmic; marks are
// what was measured, lines what was fitted to it, one a range.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "tools/drawing/log_axes.hpp"
#include "tools/drawing/svg.hpp"
#include "base/files.hpp"
#include "tools/measure/measure.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

constexpr PanelShape kLevelPanel{.width = 520,
                                 .height = 352,
                                 .left = 70,
                                 .top = 40,
                                 .right = 20,
                                 .bottom = LogAxes::kBelow,
                                 .head = 72};

struct FittedCurve {
  const char *name, *colour;
  char shape;   // 'o' circle, 's' square, '^' triangle, 'x' cross
  bool fitted;  // with lines
  models::Median (*value)(const SizeReading&);
};
constexpr FittedCurve kCurves[] = {
    {"T(m), half a round trip", "#0b6e4f", 'o', true,
     [](const SizeReading& s) {
       const models::Median& whole = s.round_trip;
       return models::Median{
           .value = whole.value / 2, .low = whole.low / 2, .high = whole.high / 2};
     }},
    {"gap in a burst", "#c8553d", 's', true,
     [](const SizeReading& s) {
       return models::Median{.value = s.gap(), .low = s.gap(), .high = s.gap()};
     }},
    {"o_s", "#3d5a98", '^', false, [](const SizeReading& s) { return s.o_s; }},
    {"o_r", "#8a6d1d", 'x', false, [](const SizeReading& s) { return s.o_r; }},
};

struct LevelPanel {
  const LevelReading* level;
  LogAxes axes{.width = kLevelPanel.inner_width(), .height = kLevelPanel.inner_height()};

  LevelPanel(const LevelReading& of, double left, double top) : level(&of) {
    axes.left = left;
    axes.top = top;
    for (const SizeReading& size : of.sizes) {
      axes.sizes.push_back(size.bytes);
      for (const FittedCurve& curve : kCurves)
        if (const auto median = curve.value(size); median.value > 0)
          axes.include(median.value, median.value);
    }
    axes.settle();
  }
};

std::string mark(char shape, double x, double y, const char* colour) {
  const std::string paint = fmt::format(R"(fill="none" stroke="{}" stroke-width="1.6")", colour);
  switch (shape) {
    case 'o': return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.6" {}/>)", x, y, paint);
    case 's':
      return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="6.4" height="6.4" {}/>)", x - 3.2,
                         y - 3.2, paint);
    case '^': return fmt::format(R"(<path d="M{:.1f},{:.1f} l4,7 l-8,0 Z" {}/>)", x, y - 4, paint);
    default:
      return fmt::format(R"(<path d="M{:.1f},{:.1f} l6,6 m0,-6 l-6,6" {}/>)", x - 3, y - 3, paint);
  }
}

// The fitted ranges; a line in bytes is a curve here.
std::string fitted(const LevelPanel& p, const FittedCurve& curve) {
  std::vector<models::Sample> samples;
  for (const SizeReading& size : p.level->sizes)
    if (size.sure()) samples.push_back({size.bytes, curve.value(size).value});
  std::vector<models::FittedRange> ranges;
  try {
    ranges = models::fit_ranges(curve.name, samples);
  } catch (const Error&) {  // the report says so
  }
  std::string drawn;
  for (const models::FittedRange& range : ranges) {
    std::string path;
    const double from = std::log2(static_cast<double>(range.least)),
                 to = std::log2(static_cast<double>(range.most));
    constexpr int kSteps = 24;
    for (int i = 0; i <= kSteps; ++i) {
      const auto bytes =
          static_cast<Bytes>(std::llround(std::exp2(from + (to - from) * i / kSteps)));
      path += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "M" : " L", p.axes.x(bytes),
                          p.axes.y(std::min(range.line(bytes), p.axes.most)));
    }
    drawn += fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="1.6"/>)", path,
                         curve.colour) +
             "\n";
  }
  return drawn;
}

std::string draw_panel(const LevelPanel& p) {
  const LevelReading& level = *p.level;
  std::string drawn = svg::text(p.axes.left, p.axes.top - 12,
                                fmt::format("{}: {}{}{}", level.level, level.wire,
                                            level.device.empty() ? "" : ", ", level.device),
                                svg::kTitle) +
                      p.axes.draw_times("time") + p.axes.draw_sizes() + p.axes.draw_frame() +
                      p.axes.draw_name_of_sizes("size of the message");
  for (const FittedCurve& curve : kCurves) {
    if (curve.fitted) drawn += fitted(p, curve);
    for (const SizeReading& size : level.sizes) {
      const models::Median median = curve.value(size);
      if (median.value <= 0) continue;
      const double x = p.axes.x(size.bytes);
      const auto y = [&](double us) { return p.axes.y(std::clamp(us, p.axes.least, p.axes.most)); };
      drawn +=
          fmt::format("<g opacity=\"{}\"><title>{}, {}: {} [{}, {}]</title>", size.sure() ? 1 : 0.3,
                      svg::escaped(curve.name), size_text(size.bytes), svg::time_text(median.value),
                      svg::time_text(median.low), svg::time_text(median.high)) +
          svg::line(x, y(median.low), x, y(median.high), curve.colour) +
          mark(curve.shape, x, y(median.value), curve.colour) + "</g>\n";
    }
  }
  return drawn;
}

}  // namespace

void draw_measured(const std::string& path, const Measured& measured) {
  double width = kLevelPanel.width * static_cast<double>(measured.levels.size());
  const double height = kLevelPanel.head + kLevelPanel.height;
  std::string body;
  for (std::size_t i = 0; i < measured.levels.size(); ++i)
    body += draw_panel({measured.levels[i],
                        kLevelPanel.width * static_cast<double>(i) + kLevelPanel.left,
                        kLevelPanel.head + kLevelPanel.top});
  const std::string title =
      fmt::format("{}, {}", measured.origin.machine.cpu, measured.origin.date);
  body += svg::text(14, 24, title, R"(font-size="14")");
  double x = 20;
  for (const FittedCurve& curve : kCurves) {
    body += mark(curve.shape, x, 46, curve.colour) + svg::text(x + 10, 50, curve.name);
    x += 34 + 7.2 * static_cast<double>(std::string_view(curve.name).size());
  }
  const bool busy =
      std::ranges::any_of(measured.hosts, [](const Host& host) { return host.busy(); });
  const std::string note = fmt::format(
      "medians; bars: 95 % confidence; lines: least squares, one a range; pale: left out of "
      "fits{}",
      busy ? "; on a busy machine" : "");
  body += svg::text(14, 68, note, R"(font-size="11" fill="#555")");
  width = std::max({width, x + 10, 28 + svg::kLetter * static_cast<double>(note.size()),
                    28 + 8 * static_cast<double>(title.size())});
  write_file(path, svg::document(width, height, body));
}

}  // namespace tutti::tools
