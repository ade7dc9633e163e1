// The bench's picture, as an SVG file of our own writing: one panel a collective, time over size,
// both axes logarithmic. A panel of one size (a barrier has none) shows the two libraries side by
// side instead.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "collectives/schedule/problem.hpp"
#include "base/files.hpp"
#include "tools/bench/bench.hpp"
#include "tools/drawing/log_axes.hpp"
#include "tools/drawing/svg.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

using svg::kLetter;
using svg::kTick;
using svg::line;
using svg::text;
using svg::time_text;

constexpr PanelShape kCollectivePanel{.width = 400,
                                      .height = 304,
                                      .left = 66,
                                      .top = 34,
                                      .right = 18,
                                      .bottom = LogAxes::kBelow,
                                      .head = 66};

struct Library {
  const char *colour, *name;
  bool square, filled;
  const Timing* (*pick)(const BenchRow&);
};
constexpr Library kTutti{"#0b6e4f", "Tutti", false, true,
                         [](const BenchRow& r) { return &r.tutti; }};
constexpr Library kMpi{"#c8553d", "MPI", true, true,
                       [](const BenchRow& r) { return r.mpi ? &*r.mpi : nullptr; }};
constexpr Library kPlain{"#5b5f97", "Tutti, plain", false, false,
                         [](const BenchRow& r) { return r.plain ? &*r.plain : nullptr; }};
constexpr Library kTuttiFirst{"#0b6e4f", "Tutti at first", false, false, [](const BenchRow& r) {
                                return r.first ? &r.first->batch : nullptr;
                              }};
constexpr Library kMpiFirst{"#c8553d", "MPI at first", true, false, [](const BenchRow& r) {
                              return r.mpi_first ? &r.mpi_first->batch : nullptr;
                            }};

// A circle for Tutti, a square for the MPI, empty without gaps and at first: not all see the
// colours, and printers may have none.
std::string library_mark(const Library& library, double x, double y) {
  const char* const fill = library.filled ? library.colour : "white";
  if (!library.square)
    return fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3.4" fill="{}" stroke="{}"/>)", x, y,
                       fill, library.colour);
  return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="6" height="6" fill="{}" stroke="{}"/>)",
                     x - 3, y - 3, fill, library.colour);
}

struct CollectivePanel {
  std::vector<const BenchRow*> rows;
  LogAxes axes{.width = kCollectivePanel.inner_width(), .height = kCollectivePanel.inner_height()};
  bool one_size = true;

  double x(std::int64_t bytes) const { return axes.x(bytes); }
  double y(double us) const { return axes.y(us); }
};

void lay_out(CollectivePanel& p) {
  std::stable_sort(p.rows.begin(), p.rows.end(),
                   [](const BenchRow* a, const BenchRow* b) { return a->bytes < b->bytes; });
  for (const BenchRow* r : p.rows) p.axes.sizes.push_back(r->bytes);
  p.axes.settle();
  p.one_size = p.rows.front()->bytes == p.rows.back()->bytes;
}

// The median and its interval; a browser shows the numbers under the pointer.
std::string draw_point(const Library& library, const CollectivePanel& p, const BenchRow& r,
                       double x) {
  const Timing& t = *library.pick(r);
  const std::string what = fmt::format("{}{}: {} [{}, {}]", library.name,
                                       &t == &r.tutti ? ", " + with_units(r.algorithm) : "",
                                       time_text(t.median), time_text(t.low), time_text(t.high));
  return fmt::format("<g><title>{}</title>", svg::escaped(what)) +
         line(x, p.y(t.low), x, p.y(t.high), library.colour, 1.4) +
         library_mark(library, x, p.y(t.median)) + "</g>\n";
}

std::string draw_line(const Library& library, const CollectivePanel& p) {
  std::string path, points;
  for (const BenchRow* r : p.rows) {
    const Timing* t = library.pick(*r);
    if (!t) continue;
    path +=
        fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : " L", p.x(r->bytes), p.y(t->median));
    points += draw_point(library, p, *r, p.x(r->bytes));
  }
  return fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"{}/>)", path,
                     library.colour, library.filled ? "" : R"( stroke-dasharray="6 3")") +
         "\n" + points;
}

std::string draw_side_by_side(const CollectivePanel& p) {
  std::string drawn;
  std::vector<const Library*> there;
  for (const Library* const library : {&kTutti, &kTuttiFirst, &kMpi, &kMpiFirst, &kPlain})
    if (library->pick(*p.rows.front())) there.push_back(library);
  const double each = kCollectivePanel.inner_width() / static_cast<double>(there.size());
  double x = p.axes.left - each / 2;
  for (const Library* const library : there) {
    const Timing* const t = library->pick(*p.rows.front());
    x += each;
    drawn += draw_point(*library, p, *p.rows.front(), x) +
             text(x + 9, p.y(t->median) + 4, time_text(t->median), R"(font-size="11")");
    drawn += text(x, p.axes.top + kCollectivePanel.inner_height() + 17, library->name, kTick);
  }
  return drawn;
}

std::string draw_panel(CollectivePanel& p, const std::string& title) {
  lay_out(p);
  const auto collective = collectives::collective_named(title);
  const bool blocks = collective && collectives::has_blocks(*collective);
  std::string drawn = text(p.axes.left, p.axes.top - 10, title, svg::kTitle) + p.axes.draw_times();
  drawn += p.axes.draw_frame();
  drawn += p.one_size
               ? draw_side_by_side(p)
               : p.axes.draw_sizes() + draw_line(kMpi, p) + draw_line(kPlain, p) +
                     draw_line(kMpiFirst, p) + draw_line(kTuttiFirst, p) + draw_line(kTutti, p);
  const std::string what =
      collective == collectives::Collective::barrier ? "no bytes"
      : p.one_size ? fmt::format("{} of {}", blocks ? "one rank's block" : "message",
                                 size_text(p.rows.front()->bytes))
                   : fmt::format("size of {}", blocks ? "one rank's block" : "the message");
  return drawn + p.axes.draw_name_of_sizes(what);
}

// Widens the picture to what it needs.
std::string draw_head(const BenchSetting& s, bool with_mpi, bool with_plain, double& width) {
  constexpr double kLargeLetter = 8;
  const std::string title = fmt::format("{}, connections: {}{}{}", place_of(s), s.transports,
                                        s.device.empty() ? "" : "; ", s.device);
  const bool busy = std::ranges::any_of(s.hosts, [](const Host& host) { return host.busy(); });
  const std::string note =
      fmt::format("medians; bars: 95 % confidence{}", busy ? "; on a busy machine" : "");
  std::string drawn = text(14, 24, title, R"(font-size="14")");
  double x = 20;
  const auto entry = [&](const Library& library, const std::string& name) {
    drawn += library_mark(library, x, 44) + text(x + 10, 48, name);
    x += 34 + kLargeLetter * static_cast<double>(name.size());
  };
  entry(kTutti, kTutti.name);
  if (s.first > 0) entry(kTuttiFirst, kTuttiFirst.name);
  if (with_mpi) entry(kMpi, s.mpi);
  if (with_mpi && s.first > 0) entry(kMpiFirst, kMpiFirst.name);
  if (with_plain) entry(kPlain, kPlain.name);
  width = std::max({width, 28 + kLargeLetter * static_cast<double>(title.size()),
                    x + 14 + kLetter * static_cast<double>(note.size())});
  return drawn + text(x, 48, note, svg::kNote);
}

// About as wide as a screen, with few empty places in the last line: three panels are one line,
// four are two by two.
std::size_t columns_for(std::size_t panels) {
  const auto empty = [&](std::size_t columns) { return columns - 1 - (panels - 1) % columns; };
  const auto square = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(panels))));
  return empty(square + 1) < empty(square) ? square + 1 : square;
}

}  // namespace

void write_svg(const std::string& path, const BenchSetting& s, const std::vector<BenchRow>& rows) {
  std::map<std::string, CollectivePanel> panels;
  std::vector<std::string> order;
  bool with_mpi = false, with_plain = false;
  for (const BenchRow& r : rows) {
    if (!panels.count(r.collective)) order.push_back(r.collective);
    CollectivePanel& p = panels[r.collective];
    p.rows.push_back(&r);
    p.axes.include(r.tutti.low, r.tutti.high);
    if (r.mpi) p.axes.include(r.mpi->low, r.mpi->high), with_mpi = true;
    if (r.first) p.axes.include(r.first->batch.low, r.first->batch.high);
    if (r.mpi_first) p.axes.include(r.mpi_first->batch.low, r.mpi_first->batch.high);
    if (r.plain) p.axes.include(r.plain->low, r.plain->high), with_plain = true;
  }
  const std::size_t columns = columns_for(order.size());
  std::string body;
  for (std::size_t i = 0; i < order.size(); ++i) {
    CollectivePanel& p = panels[order[i]];
    const std::size_t row = i / columns, column = i % columns;
    p.axes.left = kCollectivePanel.width * static_cast<double>(column) + kCollectivePanel.left;
    p.axes.top = kCollectivePanel.head + kCollectivePanel.height * static_cast<double>(row) +
                 kCollectivePanel.top;
    body += draw_panel(p, order[i]);
  }
  double width = kCollectivePanel.width * static_cast<double>(columns);
  const std::string head = draw_head(s, with_mpi, with_plain, width);
  const std::size_t lines = (order.size() + columns - 1) / columns;
  const double height =
      kCollectivePanel.head + kCollectivePanel.height * static_cast<double>(lines);
  write_file(path, svg::document(width, height, head + body));
}

}  // namespace tutti::tools
