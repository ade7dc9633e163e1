// The maps of `tutti tune` (OCC figures 6 and 7): for each collective the best method over sizes
// and numbers of ranks, as measured and as predicted, and what is lost by trusting the prediction.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "collectives/schedule/problem.hpp"
#include "tools/drawing/svg.hpp"
#include "base/files.hpp"
#include "tools/tune/tune.hpp"

namespace tutti::tools {
namespace {

constexpr double kCellWidth = 62, kCellHeight = 26, kMapLeft = 58, kGap = 40, kHead = 46;
constexpr double kLeastWidth = 230;
constexpr double kLegendRow = 18, kLegendWidth = 300;
constexpr const char* kMethodColours[] = {"#8dd3c7", "#ffffb3", "#bebada", "#fb8072",
                                          "#80b1d3", "#fdb462", "#b3de69", "#fccde5",
                                          "#d9d9d9", "#bc80bd", "#ccebc5", "#ffed6f"};

// The points of one collective.
struct Collected {
  collectives::Collective collective;
  std::vector<const Point*> points;
  std::vector<Bytes> sizes;
  std::vector<int> ranks;
  std::vector<std::string> methods;  // numbered from 1 in the maps

  std::size_t number(const std::string& method) const {
    return static_cast<std::size_t>(std::find(methods.begin(), methods.end(), method) -
                                    methods.begin());
  }
  // With room for the titles.
  double width() const {
    return std::max(kCellWidth * static_cast<double>(sizes.size()), kLeastWidth);
  }
  double height() const { return kCellHeight * static_cast<double>(ranks.size()); }
};

template <class Value>
void insert(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

const std::string* best_name(const Point& point, bool measured) {
  const int best = measured ? point.best_measured() : point.best_predicted(0);
  return best < 0 ? nullptr : &point.candidates[static_cast<std::size_t>(best)].name;
}

std::vector<Collected> collect(const std::vector<Point>& points) {
  std::vector<Collected> all;
  for (const Point& point : points) {
    if (all.empty() || all.back().collective != point.collective)
      all.push_back({point.collective, {}, {}, {}, {}});
    Collected& here = all.back();
    here.points.push_back(&point);
    insert(here.sizes, point.bytes);
    insert(here.ranks, point.P);
    for (const bool measured : {true, false})
      if (const std::string* const name = best_name(point, measured)) insert(here.methods, *name);
  }
  return all;
}

struct Cell {
  std::string colour, text, title;
};

std::string map_of(const Collected& c, double left, double top, const std::string& title,
                   const std::function<Cell(const Point&)>& cell_of) {
  std::string drawn = svg::text(left, top - 8, title, svg::kTitle);
  for (const Point* const point : c.points) {
    const auto column = std::find(c.sizes.begin(), c.sizes.end(), point->bytes) - c.sizes.begin();
    const auto row = std::find(c.ranks.begin(), c.ranks.end(), point->P) - c.ranks.begin();
    const double x = left + kCellWidth * static_cast<double>(column),
                 y = top + kCellHeight * static_cast<double>(row);
    const Cell cell = cell_of(*point);
    drawn += fmt::format(
                 "<g><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" "
                 "height=\"{}\" fill=\"{}\" stroke=\"#ccc\"/>",
                 svg::escaped(cell.title), x, y, kCellWidth, kCellHeight, cell.colour) +
             svg::text(x + kCellWidth / 2, y + 17, cell.text, svg::kTick) + "</g>\n";
  }
  for (std::size_t i = 0; i < c.ranks.size(); ++i)
    drawn += svg::text(left - 6, top + kCellHeight * (static_cast<double>(i) + 0.65),
                       fmt::format("P = {}", c.ranks[i]), svg::kTickLeft);
  for (std::size_t i = 0; i < c.sizes.size(); ++i)
    drawn += svg::text(left + kCellWidth * (static_cast<double>(i) + 0.5), top + c.height() + 15,
                       c.sizes[i] == 0 ? "no data" : svg::size_text(c.sizes[i]), svg::kTick);
  return drawn;
}

Cell method_cell(const Collected& c, const Point& point, bool measured) {
  const std::string* const name = best_name(point, measured);
  if (!name) return {"#f4f4f4", "-", "not known"};
  const std::size_t number = c.number(*name);
  const bool decided = !measured || point.decided();
  return {kMethodColours[number % std::size(kMethodColours)],
          fmt::format("{}{}", number + 1, decided ? "" : " ~"),
          decided ? *name : *name + ", or another: their intervals overlap"};
}

// White below 5 %, as in OCC figure 7; red from 300 %.
Cell penalty_cell(const Point& point) {
  const auto penalty = point.penalty(0);
  if (!penalty) return {"#f4f4f4", "-", "not measured"};
  const double share = *penalty < 5 ? 0 : std::min(1.0, 0.15 + 0.85 * *penalty / 300);
  const int paler = static_cast<int>(255 - 160 * share);
  const std::string text = fmt::format("{:.0f} %", *penalty);
  return {fmt::format("#ff{0:02x}{0:02x}", paler), text, text};
}

std::size_t row_of(std::size_t entry, std::size_t columns) { return entry / columns; }

std::string legend(const Collected& c, double top, std::size_t columns) {
  std::string drawn;
  for (std::size_t i = 0; i < c.methods.size(); ++i) {
    const double x = kMapLeft + kLegendWidth * static_cast<double>(i % columns),
                 y = top + kLegendRow * static_cast<double>(row_of(i, columns));
    drawn += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"24\" height=\"14\" fill=\"{}\"/>",
                         x, y - 11, kMethodColours[i % std::size(kMethodColours)]) +
             svg::text(x + 12, y, fmt::format("{}", i + 1), svg::kTick) +
             svg::text(x + 30, y, c.methods[i], R"(font-size="11")");
  }
  return drawn;
}

}  // namespace

void draw_maps(const std::string& path, const std::vector<Point>& points,
               const std::vector<Oracle>& oracles) {
  const bool measured = std::any_of(points.begin(), points.end(),
                                    [](const Point& p) { return p.best_measured() >= 0; });
  const std::size_t maps =
      (measured ? 1u : 0u) + (oracles.empty() ? 0u : 1u) + (measured && !oracles.empty() ? 1u : 0u);
  double top = 30, width = 2 * kLegendWidth;
  std::string body =
      svg::text(14, 24, "The best algorithm over sizes and numbers of ranks", R"(font-size="14")") +
      svg::text(14, 42,
                "sizes are of the message or of one rank's block; what is lost is white below 5 %, "
                "darkest from 300 %",
                svg::kNote);
  for (const Collected& c : collect(points)) {
    width = std::max(width, (kMapLeft + c.width() + kGap) * static_cast<double>(maps));
    const std::size_t columns =
        std::max<std::size_t>(1, static_cast<std::size_t>((width - kMapLeft) / kLegendWidth));
    top += kHead;
    double left = kMapLeft;
    const std::string name{name_of(c.collective)};
    const auto add = [&](const std::string& title, const std::function<Cell(const Point&)>& cell) {
      body += map_of(c, left, top, title, cell);
      left += c.width() + kGap + kMapLeft;
    };
    if (measured)
      add(name + ", best as measured", [&](const Point& p) { return method_cell(c, p, true); });
    if (!oracles.empty())
      add(fmt::format("{}, best by {}", name, oracles.front().label),
          [&](const Point& p) { return method_cell(c, p, false); });
    if (measured && !oracles.empty())
      add("lost by trusting the model", [](const Point& p) { return penalty_cell(p); });
    top += c.height() + 40;
    body += legend(c, top, columns);
    const std::size_t rows = row_of(c.methods.size() + columns - 1, columns);
    top += kLegendRow * static_cast<double>(rows);
  }
  write_file(path, svg::document(width + 20, top + 10, body));
}

}  // namespace tutti::tools
