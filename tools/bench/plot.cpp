// The bench's picture: one panel a collective, time over size, both axes logarithmic, as an SVG file of our own writing.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <fstream>
#include <map>

#include "base/error.hpp"
#include "tools/bench/bench.hpp"

namespace tutti::tools {
namespace {

constexpr double kWidth = 380, kHeight = 300, kLeft = 62, kTop = 64, kRight = 16, kBottom = 48;
constexpr const char* kTuttiColour = "#0b6e4f";
constexpr const char* kMpiColour = "#c8553d";

struct Panel {
  std::vector<const BenchRow*> rows;
  double least = 1e300, most = 0;  // microseconds
  double x0 = 0;

  double x(std::size_t i) const {
    const double inner = kWidth - kLeft - kRight;
    return x0 + kLeft +
           (rows.size() == 1 ? inner / 2 : inner * (0.04 + 0.92 * static_cast<double>(i) / static_cast<double>(rows.size() - 1)));
  }
  double y(double us) const {
    const double inner = kHeight - kTop - kBottom;
    return kTop + inner * (1 - (std::log10(us) - std::log10(least)) / (std::log10(most) - std::log10(least)));
  }
  void include(const Timing& t) {
    least = std::min(least, t.low);
    most = std::max(most, t.high);
  }
};

std::string line_of(const Panel& p, const char* colour, const std::function<const Timing*(const BenchRow&)>& pick) {
  std::string path, marks;
  for (std::size_t i = 0; i < p.rows.size(); ++i) {
    const Timing* t = pick(*p.rows[i]);
    if (!t) continue;
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "M" : " L", p.x(i), p.y(t->median));
    marks += fmt::format(
        R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1:.1f}" y2="{2:.1f}" stroke="{3}" stroke-width="1.2"/><circle cx="{0:.1f}" cy="{4:.1f}" r="3" fill="{3}"/>)",
        p.x(i), p.y(t->low), p.y(t->high), colour, p.y(t->median));
  }
  return fmt::format(R"(<path d="{}" fill="none" stroke="{}" stroke-width="2"/>{})", path, colour, marks) + "\n";
}

std::string draw(Panel& p, const std::string& title) {
  p.least = std::pow(10, std::floor(std::log10(p.least)));
  p.most = std::pow(10, std::ceil(std::log10(p.most) + 1e-9));
  std::string svg = fmt::format(R"(<text x="{:.0f}" y="{:.0f}" font-weight="bold">{}</text>)", p.x0 + kLeft, kTop - 10, title) + "\n";
  for (double tick = p.least; tick <= p.most * 1.001; tick *= 10) {
    svg +=
        fmt::format(
            R"(<line x1="{:.0f}" x2="{:.0f}" y1="{:.1f}" y2="{:.1f}" stroke="#ddd"/><text x="{:.0f}" y="{:.1f}" text-anchor="end" font-size="11">{}</text>)",
            p.x0 + kLeft, p.x0 + kWidth - kRight, p.y(tick), p.y(tick), p.x0 + kLeft - 6, p.y(tick) + 4, fmt::format("{:g}", tick)) +
        "\n";
  }
  svg += line_of(p, kMpiColour, [](const BenchRow& r) { return r.mpi ? &*r.mpi : nullptr; });
  svg += line_of(p, kTuttiColour, [](const BenchRow& r) { return &r.tutti; });
  const std::size_t every = (p.rows.size() + 4) / 5;
  for (std::size_t i = 0; i < p.rows.size(); i += every)
    if (p.rows[i]->collective != "barrier")
      svg += fmt::format(R"(<text x="{:.1f}" y="{:.0f}" text-anchor="middle" font-size="11">{}</text>)", p.x(i), kHeight - kBottom + 16,
                         human(p.rows[i]->bytes)) +
             "\n";
  svg += fmt::format(R"(<text x="{:.0f}" y="{:.0f}" text-anchor="middle" font-size="11" fill="#555">{}</text>)",
                     p.x0 + kLeft + (kWidth - kLeft - kRight) / 2, kHeight - kBottom + 34,
                     title == "allgather" ? "block of one rank"
                     : title == "bcast"   ? "message"
                                          : "no data") +
         "\n";
  return svg +
         fmt::format(
             R"svg(<text transform="translate({:.0f},{:.0f}) rotate(-90)" text-anchor="middle" font-size="11" fill="#555">microseconds a call</text>)svg",
             p.x0 + 14, kTop + (kHeight - kTop - kBottom) / 2) +
         "\n";
}

}  // namespace

void write_svg(const std::string& path, const BenchSetting& s, const std::vector<BenchRow>& rows) {
  std::map<std::string, Panel> panels;
  std::vector<std::string> order;
  for (const BenchRow& r : rows) {
    if (!panels.count(r.collective)) order.push_back(r.collective);
    Panel& p = panels[r.collective];
    p.rows.push_back(&r);
    p.include(r.tutti);
    if (r.mpi) p.include(*r.mpi);
  }
  std::string body;
  double x0 = 0;
  for (const std::string& name : order) {
    panels[name].x0 = x0;
    x0 += kWidth;
    body += draw(panels[name], name);
  }
  std::ofstream file(path);
  file
      << fmt::format(
             R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="white"/>)",
             x0, kHeight)
      << fmt::format(R"(<text x="12" y="20" font-size="14">{} ranks, {} node(s), {}</text>)", s.ranks, s.nodes, s.transports)
      << fmt::format(
             R"(<circle cx="18" cy="36" r="4" fill="{}"/><text x="28" y="40">Tutti</text><circle cx="78" cy="36" r="4" fill="{}"/><text x="88" y="40">{}</text>)",
             kTuttiColour, kMpiColour, s.mpi)
      << '\n'
      << body << "</svg>\n";
  if (!file.flush()) throw Error(Code::system, fmt::format("cannot write {}", path));
}

}  // namespace tutti::tools
