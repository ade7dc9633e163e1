// How the commands write numbers and paragraphs for people.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tutti::tools {

// Four significant digits, or all that stand before the point: never 1.234e+04.
inline std::string four_digits(double number) {
  return std::abs(number) < 9999.5 ? fmt::format("{:.4g}", number) : fmt::format("{:.0f}", number);
}

inline constexpr std::array<std::string_view, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};

// "512 B", "64 KiB", "1 MiB", "1025 B": all of its digits.
inline std::string size_text(long long bytes) {
  std::size_t unit = 0;
  for (; bytes >= 1024 && bytes % 1024 == 0 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

// "1.001 KiB": four of them.
inline std::string about_size_text(double bytes) {
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); bytes /= 1024) ++unit;
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
}

// An algorithm as to_string() writes it, for people: "chain(segment=65536)" becomes
// "chain(segment=64 KiB)", which can be read again as well.
inline std::string with_units(std::string_view algorithm) {
  constexpr std::string_view kSegment = "segment=";
  const std::size_t found = algorithm.find(kSegment);
  if (found == algorithm.npos) return std::string(algorithm);
  const std::size_t begin = found + kSegment.size();
  const std::size_t end = std::min(algorithm.find_first_of(",)", begin), algorithm.size());
  const auto bytes = parse_number(algorithm.substr(begin, end - begin));
  if (!bytes) return std::string(algorithm);
  return fmt::format("{}{}{}", algorithm.substr(0, begin), size_text(*bytes),
                     algorithm.substr(end));
}

// "1-33,64": ascending numbers as a reader would write them.
inline std::string ranges_text(const std::vector<int>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size();) {
    std::size_t j = i;
    while (j + 1 < values.size() && values[j + 1] == values[j] + 1) ++j;
    text += fmt::format("{}{}", text.empty() ? "" : ",", values[i]);
    if (j > i) text += fmt::format("-{}", values[j]);
    i = j + 1;
  }
  return text;
}

// How many, in UTF-8.
inline std::size_t letters_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;  // not the rest of a letter
  }));
}

// The beginning of a word that is longer than `width` letters: to its first comma or semicolon, or
// so many letters.
inline std::string_view front_of(std::string_view word, std::size_t width) {
  std::size_t end = 0;
  for (std::size_t letters = 0; end < word.size(); ++end) {
    letters += letters_of(word.substr(end, 1));
    if (letters > width) break;
    if (word[end] == ',' || word[end] == ';') return word.substr(0, end + 1);
  }
  return word.substr(0, end);
}

// The text in lines of at most `width` letters, and of `first` the first one, which is no shorter.
// Ends lines at blanks, and within words that are longer than a line behind commas and semicolons.
inline std::vector<std::string> lines_of(std::string_view text, std::size_t width,
                                         std::size_t first = 0) {
  std::vector<std::string> lines;
  width = std::max<std::size_t>(width, 1);
  std::size_t room = 0;
  bool blank = false;  // before the next piece
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    const std::string_view piece = letters_of(word) > width ? front_of(word, width) : word;
    const std::size_t letters = letters_of(piece);
    if (!lines.empty() && letters + (blank ? 1 : 0) <= room) {
      lines.back().append(blank ? " " : "").append(piece);
      room -= letters + (blank ? 1 : 0);
    } else if (!piece.empty()) {
      lines.emplace_back(piece);
      room = (lines.size() == 1 ? std::max(first, width) : width) - letters;
    }
    text.remove_prefix(piece.size());
    blank = text.starts_with(' ');
    if (blank) text.remove_prefix(1);
  }
  return lines;
}

// Lines of at most so many columns, which begin with `indent` blanks, the first one with
// `first_indent`, which is no more.
inline std::string paragraph(std::string_view text, std::size_t indent, std::size_t first_indent,
                             std::size_t width = 100) {
  std::string all;
  std::size_t blanks = first_indent;
  for (const std::string& line : lines_of(text, width - indent, width - first_indent)) {
    all += fmt::format("{:{}}{}\n", "", blanks, line);
    blanks = indent;
  }
  return all;
}
inline std::string paragraph(std::string_view text, std::size_t indent) {
  return paragraph(text, indent, indent);
}

}  // namespace tutti::tools
