// How the commands write numbers and paragraphs for people.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>

namespace tutti::tools {

// Four significant digits, or all that stand before the point: never 1.234e+04.
inline std::string four_digits(double number) {
  return std::abs(number) < 9999.5 ? fmt::format("{:.4g}", number) : fmt::format("{:.0f}", number);
}

// The text in lines of at most so many columns, each of which begins with so many blanks.
inline std::string paragraph(std::string_view text, std::size_t indent, std::size_t width = 100) {
  std::string lines, line;
  const auto end_line = [&] {
    if (!line.empty()) lines += fmt::format("{:{}}{}\n", "", indent, line);
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, blank);
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) end_line();
    line += fmt::format("{}{}", line.empty() ? "" : " ", word);
    text.remove_prefix(std::min(blank + 1, text.size()));
  }
  end_line();
  return lines;
}

}  // namespace tutti::tools
