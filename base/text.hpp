// Words, numbers and sizes as users write them in settings, choices and options. Pure.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include "base/types.hpp"

namespace tutti {

inline constexpr std::string_view kBlanks = " \t\r\n";

// Without the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// A whole decimal number; nothing if the text is anything else, or the number too large.
inline std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

// A decimal number such as 0.4 or 1e-4, not infinite; nothing if the text is anything else.
inline std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// A whole number, and a unit if one is wanted: k, M, G or T for powers of 1024, alone or with B or
// iB behind it, or B. "64k", "64 KiB"; case does not count.
inline std::optional<Bytes> parse_size(std::string_view text) {
  const auto digits = text.find_last_of("0123456789") + 1;  // 0: there is none
  std::string_view unit = trimmed(text.substr(digits));
  const auto drop = [&unit](char letter) {
    const bool is_last =
        !unit.empty() && (unit.back() == letter || unit.back() == letter - 'a' + 'A');
    if (is_last) unit.remove_suffix(1);
    return is_last;
  };
  const bool binary = drop('b') && drop('i');
  constexpr std::string_view kUnits = "kmgt";
  int shift = 0;
  for (std::size_t i = 0; i < kUnits.size() && shift == 0; ++i)
    if (drop(kUnits[i])) shift = 10 * (static_cast<int>(i) + 1);
  const auto value = parse_number(text.substr(0, digits));
  const Bytes most = std::numeric_limits<Bytes>::max() >> shift;
  if (!unit.empty() || (binary && shift == 0) || !value || *value > most || *value < -most)
    return std::nullopt;
  return *value * (Bytes{1} << shift);
}

// "1 rank", "2 ranks".
template <class Number>
std::string counted(Number number, std::string_view one) {
  return std::to_string(number).append(" ").append(one).append(number == 1 ? "" : "s");
}

// With control characters as \n, \t or \x1b: what a user wrote, in a message of one line.
inline std::string in_one_line(std::string_view text) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string line;
  line.reserve(text.size());
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      line += "\\n";
    else if (c == '\t')
      line += "\\t";
    else if (byte < 0x20 || byte == 0x7f)
      line += {'\\', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
    else
      line += c;
  }
  return line;
}

}  // namespace tutti
