// Words, numbers and sizes as users write them in settings, choices and options. Pure.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
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

// A whole number, with k, K, M or G behind it for powers of 1024: "64k".
inline std::optional<Bytes> parse_size(std::string_view text) {
  const char unit = text.empty() ? '\0' : text.back();
  const int shift = unit == 'k' || unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
  if (shift != 0) text.remove_suffix(1);
  const auto value = parse_number(text);
  const Bytes most = std::numeric_limits<Bytes>::max() >> shift;
  if (!value || *value > most || *value < -most) return std::nullopt;
  return *value * (Bytes{1} << shift);
}

}  // namespace tutti
