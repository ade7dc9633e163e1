// The bench's picture, as an SVG file of our own writing: one panel a collective, time over size,
// both axes logarithmic. A panel of one size (a barrier has none) shows the two libraries side by
// side instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "collectives/schedule/problem.hpp"
#include "tools/bench/bench.hpp"

namespace tutti::tools {
namespace {

constexpr double kWidth = 400, kHeight = 290, kLeft = 66, kTop = 34, kRight = 18,
                 kBottom = 52;  // of a panel
constexpr double kHead = 66;    // above the panels
constexpr double kInnerWidth = kWidth - kLeft - kRight, kInnerHeight = kHeight - kTop - kBottom;
constexpr double kInset = 0.04;      // points keep off the panel's sides
constexpr double kLetter = 6.2;      // about the width of one, at the size of labels
constexpr double kFewDecades = 2.4;  // up to here the y axis has room for 1, 2 and 5 of each
constexpr double kLeastShown =
    0.001;  // microseconds; less cannot be measured, and zero has no logarithm

struct Library {
  const char *colour, *name;
  const Timing* (*pick)(const BenchRow&);
};
constexpr Library kTutti{"#0b6e4f", "Tutti", [](const BenchRow& r) { return &r.tutti; }};
constexpr Library kMpi{"#c8553d", "MPI",
                       [](const BenchRow& r) { return r.mpi ? &*r.mpi : nullptr; }};

// What others named (the MPI, devices) may hold anything.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '&')
      result += "&amp;";
    else if (c == '<')
      result += "&lt;";
    else if (c == '>')
      result += "&gt;";
    else if (c == '"')
      result += "&quot;";
    else
      result +=
          static_cast<unsigned char>(c) < ' ' ? ' ' : c;  // XML has no other control characters
  }
  return result;
}

std::string text(double x, double y, std::string_view what, std::string_view attributes = {}) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)", x, y, attributes,
                     escaped(what)) +
         "\n";
}
constexpr std::string_view kTick = R"(font-size="11" text-anchor="middle")",
                           kTickLeft = R"(font-size="11" text-anchor="end")",
                           kAxis = R"(font-size="11" text-anchor="middle" fill="#555")",
                           kTitle = R"(font-weight="bold")";

std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 double width = 1) {
  return fmt::format(
             R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" stroke="{}" stroke-width="{}"/>)",
             x1, y1, x2, y2, colour, width) +
         "\n";
}

std::string time_text(double us, int digits = 3) {
  const auto of = [digits](double value, const char* unit) {
    return value < 1000 ? fmt::format("{:.{}g} {}", value, digits, unit)
                        : fmt::format("{:.0f} {}", value, unit);
  };
  return us < 999.5 ? of(us, "µs") : us < 999.5e3 ? of(us / 1e3, "ms") : of(us / 1e6, "s");
}

// A circle for Tutti, a square for the MPI: not all see the colours, and printers may have none.
std::string mark(const Library& library, double x, double y) {
  if (library.pick == kTutti.pick)
    return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.4" fill="{}"/>)", x, y,
                       library.colour);
  return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="6" height="6" fill="{}"/>)", x - 3,
                     y - 3, library.colour);
}

struct Panel {
  std::vector<const BenchRow*> rows;
  double least = 1e300, most = 0;  // microseconds
  double left = 0, top = 0;        // of the inner rectangle
  double first = 0, last = 0;      // of the x axis: where() of the least and of the most bytes
  bool one_size = true;

  void include(const Timing& t) {
    least = std::min(least, t.low);
    most = std::max(most, t.high);
  }
  // Zero bytes have no logarithm: they stand one step of the sizes, two powers of two, left of the
  // least that has one.
  double where(std::int64_t bytes) const {
    if (bytes > 0) return std::log2(static_cast<double>(bytes));
    const auto some =
        std::find_if(rows.begin(), rows.end(), [](const BenchRow* r) { return r->bytes > 0; });
    return some == rows.end() ? 0 : std::log2(static_cast<double>((*some)->bytes)) - 2;
  }
  double x(std::int64_t bytes) const {
    return left +
           kInnerWidth * (kInset + (1 - 2 * kInset) * (where(bytes) - first) / (last - first));
  }
  double y(double us) const {
    return top + kInnerHeight * std::log(most / std::max(us, least)) / std::log(most / least);
  }
};

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

void lay_out(Panel& p) {
  std::stable_sort(p.rows.begin(), p.rows.end(),
                   [](const BenchRow* a, const BenchRow* b) { return a->bytes < b->bytes; });
  p.least = rounded(std::max(p.least, kLeastShown), false);
  p.most = rounded(std::max(p.most, kLeastShown), true);
  if (p.most < 4 * p.least) {  // a panel of two nearly equal times is not to look like a mountain
    p.least = rounded(p.least * 0.7, false);
    p.most = rounded(p.most * 1.4, true);
  }
  p.first = p.where(p.rows.front()->bytes);
  p.last = p.where(p.rows.back()->bytes);
  p.one_size = p.rows.front()->bytes == p.rows.back()->bytes;
}

std::string draw_times(const Panel& p) {
  std::string svg;
  const bool few = std::log10(p.most / p.least) <= kFewDecades;
  for (double decade = std::pow(10, std::floor(std::log10(p.least) + 1e-9));
       decade <= p.most * 1.001; decade *= 10)
    for (const double step : {1., 2., 5.}) {
      const double tick = step * decade;
      if (tick < p.least * 0.999 || tick > p.most * 1.001 || (step != 1 && !few)) continue;
      svg += line(p.left, p.y(tick), p.left + kInnerWidth, p.y(tick), step == 1 ? "#ccc" : "#eee");
      svg += text(p.left - 7, p.y(tick) + 4, time_text(tick), kTickLeft);
    }
  return svg +
         fmt::format(
             R"svg(<text transform="translate({:.1f},{:.1f}) rotate(-90)" {}>time of a call</text>)svg",
             p.left - kLeft + 14, p.top + kInnerHeight / 2, kAxis) +
         "\n";
}

// As many of the measured sizes as have room.
std::string draw_sizes(const Panel& p) {
  std::string svg;
  double free_from = 0;
  for (const BenchRow* r : p.rows) {
    const std::string label = human(r->bytes);
    const double x = p.x(r->bytes), half = kLetter * static_cast<double>(label.size()) / 2;
    svg += line(x, p.top + kInnerHeight, x, p.top + kInnerHeight + 4, "#999");
    if (x - half < free_from) continue;
    svg += text(x, p.top + kInnerHeight + 17, label, kTick);
    free_from = x + half + 8;
  }
  return svg;
}

// The median and its interval; a browser shows the numbers under the pointer.
std::string draw_point(const Library& library, const Panel& p, const BenchRow& r, double x) {
  const Timing& t = *library.pick(r);
  const std::string what =
      fmt::format("{}{}: {} [{}, {}]", library.name, &t == &r.tutti ? ", " + r.algorithm : "",
                  time_text(t.median), time_text(t.low), time_text(t.high));
  return fmt::format("<g><title>{}</title>", escaped(what)) +
         line(x, p.y(t.low), x, p.y(t.high), library.colour, 1.4) +
         mark(library, x, p.y(t.median)) + "</g>\n";
}

std::string draw_line(const Library& library, const Panel& p) {
  std::string path, points;
  for (const BenchRow* r : p.rows) {
    const Timing* t = library.pick(*r);
    if (!t) continue;
    path +=
        fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : " L", p.x(r->bytes), p.y(t->median));
    points += draw_point(library, p, *r, p.x(r->bytes));
  }
  return fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>)", path,
                     library.colour) +
         "\n" + points;
}

std::string draw_side_by_side(const Panel& p) {
  std::string svg;
  const bool two = kMpi.pick(*p.rows.front()) != nullptr;
  for (const Library* library : {&kTutti, &kMpi}) {
    const Timing* const t = library->pick(*p.rows.front());
    if (!t) continue;
    const double x = p.left + kInnerWidth * (!two ? 0.5 : library == &kTutti ? 0.3 : 0.7);
    svg += draw_point(*library, p, *p.rows.front(), x) +
           text(x + 9, p.y(t->median) + 4, time_text(t->median), R"(font-size="11")");
    svg += text(x, p.top + kInnerHeight + 17, library->name, kTick);
  }
  return svg;
}

std::string draw(Panel& p, const std::string& title) {
  lay_out(p);
  const auto collective = collectives::collective_named(title);
  const bool blocks = collective && collectives::has_blocks(*collective);
  std::string svg = text(p.left, p.top - 10, title, kTitle) + draw_times(p);
  svg += line(p.left, p.top, p.left, p.top + kInnerHeight, "#999") +
         line(p.left, p.top + kInnerHeight, p.left + kInnerWidth, p.top + kInnerHeight, "#999");
  svg +=
      p.one_size ? draw_side_by_side(p) : draw_sizes(p) + draw_line(kMpi, p) + draw_line(kTutti, p);
  const std::string what =
      collective == collectives::Collective::barrier ? "no data"
      : p.one_size ? fmt::format("{} of {}", blocks ? "one rank's block" : "message",
                                 human(p.rows.front()->bytes))
                   : fmt::format("size of {}", blocks ? "one rank's block" : "the message");
  return svg + text(p.left + kInnerWidth / 2, p.top + kInnerHeight + 36, what, kAxis);
}

// Widens the picture to what it needs.
std::string draw_head(const BenchSetting& s, bool with_mpi, double& width) {
  constexpr double kLargeLetter = 8;
  const std::string title = fmt::format("{} rank{} on {} node{}, connections: {}{}{}", s.ranks,
                                        s.ranks == 1 ? "" : "s", s.nodes, s.nodes == 1 ? "" : "s",
                                        s.transports, s.device.empty() ? "" : "; ", s.device);
  const std::string note = "medians; bars: 95 % confidence";
  std::string svg = text(14, 24, title, R"(font-size="14")");
  double x = 20;
  const auto entry = [&](const Library& library, const std::string& name) {
    svg += mark(library, x, 44) + text(x + 10, 48, name);
    x += 34 + kLargeLetter * static_cast<double>(name.size());
  };
  entry(kTutti, kTutti.name);
  if (with_mpi) entry(kMpi, s.mpi);
  width = std::max({width, 28 + kLargeLetter * static_cast<double>(title.size()),
                    x + 14 + kLetter * static_cast<double>(note.size())});
  return svg + text(x, 48, note, R"(font-size="11" fill="#555")");
}

}  // namespace

void write_svg(const std::string& path, const BenchSetting& s, const std::vector<BenchRow>& rows) {
  std::map<std::string, Panel> panels;
  std::vector<std::string> order;
  bool with_mpi = false;
  for (const BenchRow& r : rows) {
    if (!panels.count(r.collective)) order.push_back(r.collective);
    Panel& p = panels[r.collective];
    p.rows.push_back(&r);
    p.include(r.tutti);
    if (r.mpi) p.include(*r.mpi), with_mpi = true;
  }
  // About as wide as a screen: four panels are two by two.
  const std::size_t columns = std::max<std::size_t>(
      1, static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(order.size())))));
  std::string body;
  for (std::size_t i = 0; i < order.size(); ++i) {
    Panel& p = panels[order[i]];
    const std::size_t row = i / columns, column = i % columns;
    p.left = kWidth * static_cast<double>(column) + kLeft;
    p.top = kHead + kHeight * static_cast<double>(row) + kTop;
    body += draw(p, order[i]);
  }
  double width = kWidth * static_cast<double>(columns);
  const std::string head = draw_head(s, with_mpi, width);
  const std::size_t lines = (order.size() + columns - 1) / columns;
  const double height = kHead + kHeight * static_cast<double>(lines);
  std::ofstream file(path);
  file
      << fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>)",
             width, height)
      << '\n'
      << head << body << "</svg>\n";
  if (!file.flush()) throw Error(Code::system, fmt::format("cannot write {}", path));
}

}  // namespace tutti::tools
