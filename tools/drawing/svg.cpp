// Writes pieces of SVG.
#include "tools/drawing/svg.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tools/text.hpp"

namespace tutti::tools::svg {

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
    else  // XML has no other control characters
      result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result;
}

double letters_of(std::string_view text) { return static_cast<double>(tools::letters_of(text)); }

std::string text(double x, double y, std::string_view what, std::string_view attributes) {
  return fmt::format(R"(<text x="{:.1f}" y="{:.1f}" {}>{}</text>)", x, y, attributes,
                     escaped(what)) +
         "\n";
}

std::string line(double x1, double y1, double x2, double y2, std::string_view colour,
                 double width) {
  return fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" )"
                     R"(stroke="{}" stroke-width="{}"/>)",
                     x1, y1, x2, y2, colour, width) +
         "\n";
}

std::string rect(double x, double y, double width, double height, std::string_view attributes,
                 std::string_view tip) {
  const std::string box =
      fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" {})", x, y, width,
                  height, attributes);
  if (tip.empty()) return box + "/>\n";
  return fmt::format("{}><title>{}</title></rect>\n", box, escaped(tip));
}

std::vector<std::string> wrapped(std::string_view text, double width, double letter) {
  return lines_of(text, static_cast<std::size_t>(width / letter));
}

Head head(double left, double width, std::string_view title, std::string_view note) {
  constexpr double kTitleLetter = 8.5;
  Head made{{}, 4};
  for (const std::string& line : wrapped(title, width, kTitleLetter))
    made.drawn += text(left, made.bottom += 20, line, R"(font-size="15")");
  made.bottom += 5;
  while (!note.empty()) {
    const std::size_t end = std::min(note.find('\n'), note.size());
    for (const std::string& line : wrapped(note.substr(0, end), width))
      made.drawn += text(left, made.bottom += 15, line, kNote);
    note.remove_prefix(std::min(end + 1, note.size()));
  }
  return made;
}

std::string time_text(double us, int digits) {
  const auto of = [digits](double value, const char* unit) {
    return value < 1000 ? fmt::format("{:.{}g} {}", value, digits, unit)
                        : fmt::format("{:.0f} {}", value, unit);
  };
  return us < 999.5 ? of(us, "µs") : us < 999.5e3 ? of(us / 1e3, "ms") : of(us / 1e6, "s");
}

std::string document(double width, double height, std::string_view body) {
  return fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" )"
      R"(height="{1:.0f}" font-family="sans-serif" font-size="13">)"
      R"(<rect width="100%" height="100%" fill="white"/>)"
      "\n{2}</svg>\n",
      width, height, body);
}

}  // namespace tutti::tools::svg
