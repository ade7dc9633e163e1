// The maps of `tutti tune` (OCC figures 6 and 7): for each collective the best method over sizes
// and numbers of ranks, as measured and as predicted, and what is lost by trusting the prediction.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "collectives/schedule/problem.hpp"
#include "tools/drawing/svg.hpp"
#include "base/files.hpp"
#include "tools/tune/tune.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

constexpr double kCellWidth = 62, kCellHeight = 26, kMapLeft = 58, kGap = 40, kHead = 46;
constexpr double kLeastWidth = 230;
constexpr double kLegendRow = 18;
constexpr double kSizes = 22;  // below a map
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
  double width() const {
    return std::max(kCellWidth * static_cast<double>(sizes.size()), kLeastWidth);
  }
  double height() const { return kCellHeight * static_cast<double>(ranks.size()); }
  int ranks_per_node(int P) const {
    return (*std::find_if(points.begin(), points.end(),
                          [P](const Point* one) { return one->P == P; }))
        ->ranks_per_node;
  }
};

template <class Value>
void insert(std::vector<Value>& values, const Value& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

constexpr int kMeasured = -1;  // where an oracle's number is wanted

// Empty: it is not known.
std::string best_name(const Point& point, int oracle) {
  const int best = oracle == kMeasured ? point.best_measured()
                                       : point.best_predicted(static_cast<std::size_t>(oracle));
  return best < 0 ? "" : with_units(point.candidates[static_cast<std::size_t>(best)].name);
}

std::vector<Collected> collect(const std::vector<Point>& points, int oracles) {
  std::vector<Collected> all;
  for (const Point& point : points) {
    if (all.empty() || all.back().collective != point.collective)
      all.push_back({point.collective, {}, {}, {}, {}});
    Collected& here = all.back();
    here.points.push_back(&point);
    insert(here.sizes, point.bytes);
    insert(here.ranks, point.P);
    for (int oracle = kMeasured; oracle < oracles; ++oracle)
      if (const std::string name = best_name(point, oracle); !name.empty())
        insert(here.methods, name);
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
  for (std::size_t i = 0; i < c.ranks.size(); ++i) {
    const int on_node = c.ranks_per_node(c.ranks[i]);
    const bool nodes = on_node < c.ranks[i];
    const double row = top + kCellHeight * static_cast<double>(i);
    drawn += svg::text(left - 6, row + kCellHeight * (nodes ? 0.45 : 0.65),
                       fmt::format("P = {}", c.ranks[i]), svg::kTickLeft);
    if (nodes)
      drawn += svg::text(left - 6, row + kCellHeight * 0.85, fmt::format("{} a node", on_node),
                         R"(font-size="9" text-anchor="end")");
  }
  for (std::size_t i = 0; i < c.sizes.size(); ++i)
    drawn += svg::text(left + kCellWidth * (static_cast<double>(i) + 0.5), top + c.height() + 15,
                       c.sizes[i] == 0 ? "no bytes" : size_text(c.sizes[i]), svg::kTick);
  return drawn;
}

Cell method_cell(const Collected& c, const Point& point, int oracle) {
  const std::string name = best_name(point, oracle);
  if (name.empty()) return {"#f4f4f4", "-", "not known"};
  const std::size_t number = c.number(name);
  const bool decided = oracle != kMeasured || point.decided();
  return {kMethodColours[number % std::size(kMethodColours)],
          fmt::format("{}{}", number + 1, decided ? "" : " ~"),
          decided ? name : name + ", or another: it is undecided"};
}

// White below 5 %, as in OCC figure 7; red from 300 %.
Cell penalty_cell(const std::optional<Penalty>& penalty) {
  if (!penalty) return {"#f4f4f4", "-", "not known"};
  const double percent = penalty->percent;
  const std::string text = fmt::format("{:.0f} %", percent);
  if (!penalty->decided) return {"#f4f4f4", text + " ~", text + ", or nothing: it is undecided"};
  const double share = percent < 5 ? 0 : std::min(1.0, 0.15 + 0.85 * percent / 300);
  const int paler = static_cast<int>(255 - 160 * share);
  return {fmt::format("#ff{0:02x}{0:02x}", paler), text, text};
}

// The methods by number, in columns right of the first row of maps, about as high as these.
struct MethodList {
  std::string drawn;
  double height, right;
};
MethodList methods_of(const Collected& c, double left, double top) {
  const auto beside = static_cast<std::size_t>((c.height() + kSizes) / kLegendRow);
  const std::size_t rows = std::max<std::size_t>(beside, 6);
  MethodList list{{}, 0, left};
  double right = left;
  for (std::size_t i = 0; i < c.methods.size(); ++i) {
    if (i % rows == 0) left = right;
    const double y = top + 11 + kLegendRow * static_cast<double>(i % rows);
    list.drawn +=
        svg::rect(left, y - 11, 24, 14,
                  fmt::format(R"(fill="{}")", kMethodColours[i % std::size(kMethodColours)])) +
        svg::text(left + 12, y, fmt::format("{}", i + 1), svg::kTick) +
        svg::text(left + 30, y, c.methods[i], R"(font-size="11")");
    right = std::max(right, left + 50 + svg::kLetter * svg::letters_of(c.methods[i]));
  }
  list.height = kLegendRow * static_cast<double>(std::min(rows, c.methods.size()));
  list.right = right;
  return list;
}

struct Map {
  std::string title;
  std::function<Cell(const Point&)> cell;
};

// A row for the measurements, and one for each model, with what is lost by it beside its map.
std::vector<std::vector<Map>> rows_of(const Collected& c, bool measured, std::size_t shown,
                                      const std::vector<Oracle>& oracles) {
  const std::string name{name_of(c.collective)};
  std::vector<std::vector<Map>> rows;
  if (measured)
    rows.push_back({{name + ", best as measured",
                     [&](const Point& p) { return method_cell(c, p, kMeasured); }}});
  for (std::size_t i = 0; i < shown; ++i) {
    auto& row = rows.emplace_back();
    row.push_back({fmt::format("{}, best by {}", name, oracles[i].label),
                   [&, i](const Point& p) { return method_cell(c, p, static_cast<int>(i)); }});
    if (measured)
      row.push_back({shown == 1 ? "lost by trusting the model" : "lost by trusting it",
                     [i](const Point& p) { return penalty_cell(p.penalty(i)); }});
    else if (i > 0)
      row.push_back({"lost if the first one is right",
                     [i](const Point& p) { return penalty_cell(p.penalty(i, 0)); }});
  }
  return rows;
}

struct PlacedMaps {
  std::string drawn;
  double bottom, width;
};
PlacedMaps maps_below(const std::vector<Point>& points, bool measured, std::size_t shown,
                      const std::vector<Oracle>& oracles, double top) {
  constexpr double kLeastPicture = 560;
  PlacedMaps placed{{}, top, kLeastPicture};
  for (const Collected& c : collect(points, static_cast<int>(shown))) {
    const auto rows = rows_of(c, measured, shown, oracles);
    double wide = c.width();
    for (const auto& row : rows)
      for (const Map& map : row) wide = std::max(wide, svg::kLetter * svg::letters_of(map.title));
    bool is_first = true;
    for (const auto& row : rows) {
      placed.bottom += kHead;
      double left = kMapLeft, height = c.height() + kSizes;
      for (const Map& map : row) {
        placed.drawn += map_of(c, left, placed.bottom, map.title, map.cell);
        left += wide + kGap + kMapLeft;
      }
      placed.width = std::max(placed.width, left - kMapLeft);
      if (std::exchange(is_first, false)) {
        const MethodList methods = methods_of(c, left - kMapLeft, placed.bottom);
        placed.drawn += methods.drawn;
        placed.width = std::max(placed.width, methods.right);
        height = std::max(height, methods.height);
      }
      placed.bottom += height;
    }
  }
  return placed;
}

}  // namespace

void draw_maps(const std::string& path, const std::vector<Point>& points,
               const std::vector<Oracle>& oracles) {
  const bool measured = std::any_of(points.begin(), points.end(),
                                    [](const Point& p) { return p.best_measured() >= 0; });
  // A job's last model, the one that selects, has no map of its own beside others.
  const std::size_t shown =
      measured ? std::min<std::size_t>(oracles.size(), std::max<std::size_t>(1, oracles.size() - 1))
               : oracles.size();
  const bool unsure = std::any_of(points.begin(), points.end(), [&](const Point& p) {
    bool some = !p.decided();
    for (std::size_t i = 0; i < shown; ++i)
      if (const auto penalty = p.penalty(i)) some = some || !penalty->decided;
    return some;
  });
  const bool lost = measured ? !oracles.empty() : shown > 1;
  const auto below = [&](double top) { return maps_below(points, measured, shown, oracles, top); };
  const double width = below(0).width;
  const svg::Head head =
      svg::head(14, width - 28, "The best algorithm over sizes and numbers of ranks",
                fmt::format("sizes are of the message or of one rank's block{}{}{}",
                            lost ? "; losses are white below 5 %, darkest from 300 %" : "",
                            unsure ? "; ~: measurements cannot tell" : "",
                            measured ? "" : "; each rank is taken to have a core of its own"));
  const PlacedMaps maps = below(head.bottom - 4);
  write_file(path, svg::document(width, maps.bottom + 20, head.drawn + maps.drawn));
}

}  // namespace tutti::tools
