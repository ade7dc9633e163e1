// Draws the legend of a time chart.
#include "tools/draw/legend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "tools/drawing/svg.hpp"

namespace tutti::tools {
namespace {

constexpr std::array<StepLook, 5> kStepLooks{{{"#2f6db5", "send"},
                                              {"#2e9e6b", "receive"},
                                              {"#e08a1e", "receive and combine"},
                                              {"#8661c1", "copy"},
                                              {"#c2611f", "combine"}}};

// The kinds of marks that the charts have, and nothing else.
class Legend {
 public:
  Legend(std::span<const Chart* const> charts, double left, double y)
      : charts_(charts), at_(left), y_(y) {}

  std::string draw() {
    for (const StepLook& kind : kStepLooks)
      if (any([&](const Chart::Bar& bar) { return &look_of(bar.kind) == &kind; }))
        box(fmt::format(R"(rx="2" fill="{}")", kind.colour), kind.name);
    if (any([](const Chart::Bar& bar) { return bar.port > bar.end; }))
      box(fmt::format(R"(rx="2" fill="{}" fill-opacity="0.28")", look_of(kPortLook).colour),
          "the port is busy");
    if (std::any_of(charts_.begin(), charts_.end(),
                    [](const Chart* chart) { return !chart->stays.empty(); }))
      box(fmt::format(R"(fill="{}")", kStay), "in the call");
    stroke(kMessage, 1.2, "message");
    if (any([](const Chart::Bar& bar) { return bar.critical; }))
      stroke(kCritical, 2, "critical path");
    return drawn_;
  }

 private:
  void box(std::string_view attributes, std::string_view what) {
    drawn_ += svg::rect(at_, y_ - 10, 16, 11, attributes);
    name(21, what);
  }
  void stroke(std::string_view colour, double width, std::string_view what) {
    drawn_ += svg::line(at_, y_ - 1, at_ + 22, y_ - 8, colour, width);
    name(27, what);
  }
  void name(double beside, std::string_view what) {
    drawn_ += svg::text(at_ + beside, y_, what, R"(font-size="12")");
    at_ += beside + 7.0 * static_cast<double>(what.size()) + 20;
  }
  template <class Test>
  bool any(Test&& test) const {
    return std::any_of(charts_.begin(), charts_.end(), [&](const Chart* chart) {
      return std::any_of(chart->bars.begin(), chart->bars.end(), test);
    });
  }

  std::span<const Chart* const> charts_;
  double at_, y_;
  std::string drawn_;
};

}  // namespace

const StepLook& look_of(collectives::StepKind kind) noexcept { return kStepLooks[index(kind)]; }

std::string draw_legend(std::span<const Chart* const> charts, double left, double y) {
  return Legend(charts, left, y).draw();
}

}  // namespace tutti::tools
