// Draws the time chart.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/text.hpp"
#include "tools/draw/legend.hpp"
#include "tools/drawing/nodes.hpp"
#include "tools/draw/picture.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using collectives::StepKind;

constexpr double kChartLeft = 20, kRankNames = 40, kChartWidth = 1040, kChartRight = 30,
                 kChartBottom = 56;
constexpr double kMostTimes = 3;  // as long as the other one, on one axis
// 1, 2 or 5 times a power of ten, so that about eight of them make `time`.
double tick_of(double time) {
  const double rough = std::max(time, 1e-9) / 8,
               decade = std::pow(10, std::floor(std::log10(rough)));
  for (const double step : {1., 2., 5.})
    if (rough <= step * decade) return step * decade;
  return 10 * decade;
}

// One or two charts on one axis of time.
class ChartPainter {
 public:
  ChartPainter(const Chart& chart, const Chart* below, double top)
      : lanes_{&chart, below},
        lanes_count_(below ? 2 : 1),
        P_(chart.P),
        time_(std::max({chart.time, below ? below->time : 0, 1e-9})),
        row_(std::clamp(640. / P_, below ? 20. : 12., below ? 56. : 36.)),
        nodes_(chart.node),
        left_(left_of(chart)),
        top_(top) {}

  // Where its bars begin.
  static double left_of(const Chart& chart) {
    return kChartLeft + NodeMarks(chart.node).width() + kRankNames;
  }
  double end() const { return bottom() + kChartBottom; }

  std::string draw() const {
    std::string body = rows() + axis();
    for (int lane = 0; lane < lanes_count_; ++lane) body += stays(lane);
    for (int lane = 0; lane < lanes_count_; ++lane) body += messages(lane);
    for (int lane = 0; lane < lanes_count_; ++lane) body += bars(lane);
    return body + ends();
  }

 private:
  double x(double us) const { return left_ + kChartWidth * us / time_; }
  double bottom() const { return top_ + row_ * P_; }
  double height() const { return (row_ * (P_ > 32 ? 0.72 : 0.62)) / lanes_count_; }
  double top_of(Rank rank, int lane) const {
    const double all = height() * lanes_count_;
    return top_ + row_ * rank + (row_ - all) / 2 + height() * lane;
  }
  double middle_of(Rank rank, int lane) const { return top_of(rank, lane) + height() / 2; }

  std::string rows() const {
    std::string drawn = svg::text(left_ - 8, top_ - 6, "rank", svg::kTickLeft);
    const auto size = row_ < 14 ? R"(font-size="9" text-anchor="end")" : svg::kTickLeft;
    for (Rank rank = 0; rank < P_; ++rank) {
      if ((nodes_.shown() ? nodes_.group(rank) : rank) % 2 == 0)
        drawn += svg::rect(left_, top_ + row_ * rank, kChartWidth, row_, R"(fill="#f4f6f8")");
      drawn += svg::text(left_ - 8, top_ + row_ * (rank + 0.5) + 4, std::to_string(rank), size);
    }
    return drawn + nodes_.draw(kChartLeft, top_, row_, left_, left_ + kChartWidth);
  }

  std::string axis() const {
    const double tick = tick_of(time_), unit = time_ < 1000 ? 1 : time_ < 1e6 ? 1e3 : 1e6;
    std::string drawn;
    for (int i = 0; i * tick <= time_ * 1.0001; ++i) {
      drawn += svg::line(x(i * tick), top_, x(i * tick), bottom() + 5, i == 0 ? "#999" : "#dde2e7");
      drawn +=
          svg::text(x(i * tick), bottom() + 19, fmt::format("{:.6g}", i * tick / unit), svg::kTick);
    }
    const std::string_view name = unit < 10 ? "time, µs" : unit < 1e5 ? "time, ms" : "time, s";
    return drawn + svg::line(left_, bottom(), left_ + kChartWidth, bottom(), "#999") +
           svg::text(left_ + kChartWidth / 2, bottom() + 40, name, svg::kAxis);
  }

  // A rank that comes late is not to look as if it waited.
  std::string stays(int lane) const {
    std::string drawn;
    const std::vector<Chart::Stay>& all = lanes_[lane]->stays;
    for (Rank rank = 0; rank < static_cast<Rank>(all.size()); ++rank) {
      const Chart::Stay& stay = all[index(rank)];
      drawn += svg::rect(x(stay.begin), top_of(rank, lane) + height() * 0.38,
                         std::max(x(stay.end) - x(stay.begin), 1.6), height() * 0.24,
                         fmt::format(R"(fill="{}")", kStay),
                         fmt::format("rank {}: in the call, {} to {}", rank,
                                     svg::time_text(stay.begin, 5), svg::time_text(stay.end, 5)));
    }
    return drawn;
  }

  // Critical ones last, so that they lie above.
  std::string messages(int lane) const {
    std::string drawn[2];
    for (const Chart::Message& message : lanes_[lane]->messages)
      drawn[message.critical ? 1 : 0] += fmt::format(
          R"(<line x1="{:.2f}" y1="{:.1f}" x2="{:.2f}" y2="{:.1f}"/>)", x(message.left),
          middle_of(message.from, lane), x(message.arrived), middle_of(message.to, lane));
    const double opacity = lane == 1 ? 0.35 : lanes_[lane]->messages.size() > 500 ? 0.5 : 0.85;
    return fmt::format("<g stroke=\"{}\" stroke-opacity=\"{}\"{}>{}</g>\n", kMessage, opacity,
                       lane == 1 ? R"( stroke-dasharray="4 3")" : "", drawn[0]) +
           fmt::format("<g stroke=\"{}\" stroke-width=\"2\"{}>{}</g>\n", kCritical,
                       lane == 1 ? R"( stroke-opacity="0.5" stroke-dasharray="4 3")" : "",
                       drawn[1]);
  }

  std::string bars(int lane) const {
    std::string drawn;
    std::vector<const Chart::Bar*> order;
    for (const Chart::Bar& bar : lanes_[lane]->bars) order.push_back(&bar);
    std::stable_sort(order.begin(), order.end(),
                     [](const Chart::Bar* a, const Chart::Bar* b) { return a->begin < b->begin; });
    std::vector<double> free_from(index(P_));  // of labels, by rank: recorded bars may overlap
    for (const Chart::Bar* const one : order) {
      const Chart::Bar& bar = *one;
      const double from = x(bar.begin), width = std::max(x(bar.end) - from, 1.6);
      const double top = top_of(bar.rank, lane);
      if (bar.port > bar.end)
        drawn += svg::rect(x(bar.end), top + height() * 0.2,
                           std::max(0., x(std::min(bar.port, time_)) - x(bar.end)), height() * 0.6,
                           fmt::format(R"(fill="{}" fill-opacity="{}")", look_of(kPortLook).colour,
                                       lane == 1 ? 0.14 : 0.28));
      drawn += svg::rect(
          from, top, width, height(),
          fmt::format(
              R"(rx="{}" fill="{}"{}{})", std::min(2., width / 2), look_of(bar.kind).colour,
              lane == 1 ? R"( fill-opacity="0.45")" : "",
              bar.critical ? fmt::format(R"( stroke="{}" stroke-width="1.6")", kCritical) : ""),
          tip(bar));
      drawn += label(bar, from + width / 2, top, width, free_from[index(bar.rank)]);
    }
    return drawn;
  }

  static std::string tip(const Chart::Bar& bar) {
    std::string what = fmt::format("rank {}: {}", bar.rank, look_of(bar.kind).name);
    if (bar.peer >= 0)
      what += fmt::format(" {} rank {}", bar.kind == StepKind::send ? "to" : "from", bar.peer);
    return what + fmt::format(", {}: {} to {}", size_text(bar.bytes), svg::time_text(bar.begin, 5),
                              svg::time_text(bar.end, 5));
  }

  // The peer of the message: with an arrow, or without, as the bar has room for any rank. So all
  // bars of one width have a label, or none has. Moves `free_from` to its end.
  std::string label(const Chart::Bar& bar, double middle, double top, double width,
                    double& free_from) const {
    if (bar.peer < 0) return {};
    constexpr double kLeastSize = 7, kDigit = 0.62;  // of its size
    const auto digits = static_cast<double>(std::to_string(P_ - 1).size());
    const double with = (width - 4) / (kDigit * (digits + 1)),
                 without = (width - 1) / kDigit / digits;
    const bool arrow = with >= kLeastSize;
    const double size = std::min({11., height() - 2, arrow ? with : without});
    const double half = kDigit * size * (digits + (arrow ? 1 : 0)) / 2;
    if (size < kLeastSize || middle - half < free_from) return {};
    free_from = middle + half;
    return svg::text(middle, top + height() / 2 + size * 0.36,
                     fmt::format("{}{}",
                                 !arrow                       ? ""
                                 : bar.kind == StepKind::send ? "→"
                                                              : "←",
                                 bar.peer),
                     fmt::format(R"(font-size="{:.1f}" text-anchor="middle" fill="white")", size));
  }

  std::string ends() const {
    std::string drawn;
    for (int lane = 0; lane < lanes_count_; ++lane) {
      const double at = x(lanes_[lane]->time);
      // If two times would meet, the second one stands at the bottom.
      const bool meets = lane == 1 && std::abs(at - x(lanes_[0]->time)) < 130;
      drawn +=
          fmt::format(R"(<line x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}" stroke="#444" )"
                      R"(stroke-dasharray="{3}"/>)",
                      at, top_ - 4, bottom(), lane == 0 ? "5 3" : "2 3");
      drawn += svg::text(at + 4, meets ? bottom() + 40 : top_ - 7,
                         fmt::format("{}{}",
                                     lanes_count_ == 1 ? ""
                                     : lane == 0       ? "above "
                                                       : "below ",
                                     svg::time_text(lanes_[lane]->time, 4)),
                         fmt::format(R"(font-size="11" text-anchor="{}" fill="#444")",
                                     at < left_ + 200 ? "start" : "end"));
    }
    return drawn + "\n";
  }

  const Chart* lanes_[2];
  const int lanes_count_, P_;
  const double time_, row_;
  const NodeMarks nodes_;
  const double left_, top_;  // of the rows
};

}  // namespace

std::string title_of(collectives::Collective collective, const std::string& algorithm,
                     std::span<const int> node, Bytes bytes) {
  std::string title = fmt::format("{} {}, {}{}", name_of(collective), with_units(algorithm),
                                  counted(node.size(), "rank"), placement_of(node));
  if (collective == collectives::Collective::barrier) return title;
  return title + fmt::format(", {}{}", size_text(bytes),
                             collectives::has_blocks(collective) ? " a block" : "");
}

std::string draw_chart(const Chart& chart, const Chart* below) {
  const Chart* const charts[] = {&chart, below};
  const double longer = below ? std::max(chart.time, below->time) : 0,
               shorter = below ? std::min(chart.time, below->time) : 0;
  const bool apart = longer > kMostTimes * shorter;
  std::string note = chart.note;
  if (below)
    note += fmt::format("\nbelow it, {}: {}; {}", apart ? "with an axis of its own" : "paler",
                        below->title, below->note);
  const double left = ChartPainter::left_of(chart);
  const svg::Head head = svg::head(left, kChartWidth, chart.title, note);
  std::string drawn = head.drawn + draw_legend({charts, below ? 2u : 1u}, left, head.bottom + 34);
  const ChartPainter first(chart, apart ? nullptr : below, head.bottom + 60);
  drawn += first.draw();
  double end = first.end();
  if (apart) {
    const ChartPainter second(*below, nullptr, end + 30);
    drawn += second.draw();
    end = second.end();
  }
  return svg::document(left + kChartWidth + kChartRight, end, drawn);
}

}  // namespace tutti::tools
