// Predictions as curves: a panel for each platform, collective and number of ranks (or, over one
// size, for each platform and collective, over the ranks), a curve for each algorithm. A panel of
// one size, such as a barrier's, has bars.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "tools/drawing/nodes.hpp"
#include "tools/drawing/log_axes.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/predict/predict.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

constexpr double kInnerWidth = 520, kInnerHeight = 330, kPanelLeft = 76, kPanelTop = 70,
                 kPanelBottom = LogAxes::kBelow;
constexpr double kEntry = 17;   // a line of the legend
constexpr double kLegend = 26;  // beside the panel
constexpr const char* kCurveColours[] = {"#2f6db5", "#d1245b", "#2e9e6b", "#e08a1e",
                                         "#8661c1", "#0e8f9e", "#7a5230", "#5b6775"};
constexpr const char* kCurveDashes[] = {"", "6 3", "2 3", "9 3 2 3"};

struct Curve {
  std::string name;
  std::vector<std::pair<Bytes, double>> points;
};
struct Panel {
  std::string title, note, below;
  int most_on_node = 1;  // ranks
  bool several_nodes = false;
  LogAxes axes;
  std::vector<Curve> curves;

  bool has_bars() const { return axes.sizes.size() == 1; }
  // Below bars.
  std::string only_size() const {
    const Bytes size = axes.sizes.front();
    return size == 0 ? "no bytes" : axes.label_of(size);
  }
};

// Curves that could not be told apart by their colours differ in their dashes.
std::string style_of(std::size_t curve) {
  const char* const dash = kCurveDashes[curve / std::size(kCurveColours) % std::size(kCurveDashes)];
  return fmt::format(R"(fill="none" stroke="{}" stroke-width="2"{})",
                     kCurveColours[curve % std::size(kCurveColours)],
                     *dash ? fmt::format(R"( stroke-dasharray="{}")", dash) : "");
}

class CurvesPainter {
 public:
  CurvesPainter(const std::vector<Prediction>& predictions, bool over_ranks)
      : over_ranks_(over_ranks) {
    for (const Prediction& p : predictions) add(p);
  }

  std::string draw() {
    for (Panel& panel : panels_) {
      join_equal(panel.curves);
      if (panel.has_bars()) name_times(panel.curves);
      if (over_ranks_) panel.title += placement_over_ranks(panel);
    }
    double top = 0, width = 0;
    std::string body;
    for (Panel& panel : panels_) {
      panel.axes.left = kPanelLeft;
      panel.axes.top = top + kPanelTop;
      const double legend = kEntry * static_cast<double>(panel.curves.size());
      body += draw(panel);
      top += kPanelTop + std::max(kInnerHeight, legend) + kPanelBottom;
      for (const Curve& curve : panel.curves)
        width = std::max(width, kPanelLeft + kInnerWidth + kLegend + 34 +
                                    svg::kLetter * static_cast<double>(curve.name.size()) + 14);
      width = std::max(width, kPanelLeft + 8.2 * static_cast<double>(panel.title.size()) + 14);
      width =
          std::max(width, kPanelLeft + svg::kLetter * static_cast<double>(panel.note.size()) + 14);
    }
    return svg::document(width, top, body);
  }

 private:
  void add(const Prediction& p) {
    const bool blocks = collectives::has_blocks(p.what.collective);
    const bool barrier = p.what.collective == collectives::Collective::barrier;
    std::string title{name_of(p.what.collective)};
    if (!over_ranks_)
      title += ", " + counted(p.what.P, "rank") + placement_of(p.node);
    else if (!barrier)
      title += fmt::format(", {}{}", size_text(p.what.bytes), blocks ? " a block" : "");
    const std::string note = describe(*p.platform);
    auto panel = std::find_if(panels_.begin(), panels_.end(), [&](const Panel& some) {
      return some.title == title && some.note == note;
    });
    if (panel == panels_.end()) {
      panels_.push_back({.title = title, .note = note});
      panel = panels_.end() - 1;
      panel->below = over_ranks_ ? "ranks" : blocks ? "size of one rank's block" : "size";
      panel->axes.width = kInnerWidth;
      panel->axes.height = kInnerHeight;
      panel->axes.counts = over_ranks_;
    }
    std::map<int, int> on;
    for (const int node : p.node) panel->most_on_node = std::max(panel->most_on_node, ++on[node]);
    panel->several_nodes = panel->several_nodes || on.size() > 1;
    const std::string name = with_units(to_string(p.what.choice));
    auto curve = std::find_if(panel->curves.begin(), panel->curves.end(),
                              [&](const Curve& some) { return some.name == name; });
    if (curve == panel->curves.end()) curve = panel->curves.insert(curve, {name, {}});
    const Bytes at = over_ranks_ ? p.what.P : p.what.bytes;
    curve->points.emplace_back(at, p.result.time);
    panel->axes.include(p.result.time, p.result.time);
    auto& sizes = panel->axes.sizes;
    const auto place = std::lower_bound(sizes.begin(), sizes.end(), at);
    if (place == sizes.end() || *place != at) sizes.insert(place, at);
  }

  // The placement for all numbers of ranks.
  static std::string placement_over_ranks(const Panel& panel) {
    if (panel.most_on_node == 1) return {};
    if (!panel.several_nodes) return ", on one node";
    return fmt::format(", up to {} a node", counted(panel.most_on_node, "rank"));
  }

  // Algorithms that take equal times everywhere are one curve.
  static void join_equal(std::vector<Curve>& curves) {
    for (auto curve = curves.begin(); curve != curves.end();) {
      const auto equal = std::find_if(curves.begin(), curve, [&](const Curve& other) {
        return std::equal(other.points.begin(), other.points.end(), curve->points.begin(),
                          curve->points.end(), [](const auto& a, const auto& b) {
                            return a.first == b.first &&
                                   std::abs(a.second - b.second) <= 1e-9 * a.second;
                          });
      });
      if (equal == curve) {
        ++curve;
        continue;
      }
      equal->name += ", " + curve->name;
      curve = curves.erase(curve);
    }
  }

  // A bar has its time beside its name.
  static void name_times(std::vector<Curve>& curves) {
    for (Curve& curve : curves) curve.name += ": " + svg::time_text(curve.points.front().second, 5);
  }

  static std::string draw(Panel& panel) {
    LogAxes& axes = panel.axes;
    axes.settle();
    std::string drawn = svg::text(axes.left, axes.top - 36, panel.title, R"(font-size="15")") +
                        svg::text(axes.left, axes.top - 16, panel.note, svg::kNote) +
                        axes.draw_times("predicted time") +
                        (panel.has_bars() ? "" : axes.draw_sizes()) + axes.draw_frame() +
                        axes.draw_name_of_sizes(panel.has_bars() ? panel.only_size() : panel.below);
    // The legend has the order of the times at the right end, so that it can be read along.
    std::vector<std::size_t> order(panel.curves.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return panel.curves[a].points.back().second > panel.curves[b].points.back().second;
    });
    double y = axes.top + 8;
    const double each = axes.width / static_cast<double>(order.size());
    double bar = axes.left;  // where the place of the next one begins
    for (const std::size_t i : order) {
      const char* const colour = kCurveColours[i % std::size(kCurveColours)];
      drawn += panel.has_bars() ? draw_bar(panel.curves[i], axes, bar, each, colour)
                                : draw(panel.curves[i], axes, style_of(i), colour);
      bar += each;
      const double x = axes.left + axes.width + kLegend;
      drawn += fmt::format("<path d=\"M{:.1f},{:.1f} h24\" {}/>", x, y - 4, style_of(i)) +
               svg::text(x + 31, y, panel.curves[i].name, R"(font-size="11")");
      y += kEntry;
    }
    return drawn;
  }

  // From the axis to its time, in the middle of its place.
  static std::string draw_bar(const Curve& curve, const LogAxes& axes, double left, double each,
                              const char* colour) {
    const double wide = std::min(40.0, 0.7 * each), top = axes.y(curve.points.front().second);
    return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}" fill="{}">)",
                       left + (each - wide) / 2, top, wide,
                       std::max(2.0, axes.top + axes.height - top), colour) +
           fmt::format("<title>{}</title></rect>\n", svg::escaped(curve.name));
  }

  static std::string draw(const Curve& curve, const LogAxes& axes, const std::string& style,
                          const char* colour) {
    std::string path, points;
    for (const auto& [at, us] : curve.points) {
      path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : " L", axes.x(at), axes.y(us));
      points += fmt::format(
          R"(<circle cx="{:.1f}" cy="{:.1f}" r="2.6" fill="{}"><title>{}</title></circle>)",
          axes.x(at), axes.y(us), colour,
          svg::escaped(
              fmt::format("{}, {}: {}", curve.name, axes.label_of(at), svg::time_text(us, 5))));
    }
    return fmt::format(R"(<path d="{}" {}/>)", path, style) + points + "\n";
  }

  const bool over_ranks_;
  std::vector<Panel> panels_;
};

}  // namespace

void write_curves(const std::string& path, const std::vector<Prediction>& predictions) {
  const auto several = [&](auto&& of) {
    return std::any_of(predictions.begin(), predictions.end(),
                       [&](const Prediction& p) { return of(p) != of(predictions.front()); });
  };
  const bool sizes = several([](const Prediction& p) { return p.what.bytes; });
  const bool ranks = several([](const Prediction& p) { return p.what.P; });
  if (!sizes && !ranks)
    throw Error(Code::bad_configuration,
                "curves need several sizes or numbers of ranks, such as -m 8-1M or -P 2-1024");
  write_file(path, CurvesPainter{predictions, !sizes}.draw());
}

}  // namespace tutti::tools
