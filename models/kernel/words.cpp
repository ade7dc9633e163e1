// Cuts the text of a kernel into words, and reads products of numbers and names.
#include "models/kernel/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace tutti::models::kernel {
namespace {

constexpr Bytes kMost = Bytes{1} << 40;
constexpr double kLongest = 1e15;  // us
constexpr std::string_view kAlone = "\n;{}:=";
constexpr std::pair<std::string_view, double> kTimes[] = {
    {"s", 1e6}, {"ms", 1e3}, {"us", 1}, {"ns", 1e-3}};

template <class Visit>
void each_factor(std::string_view text, const Visit& visit) {
  for (;;) {
    const std::size_t star = text.find('*');
    visit(text.substr(0, star));
    if (star == text.npos) return;
    text.remove_prefix(star + 1);
  }
}

// As long as parentheses are open nothing but blanks and the line's end ends a word.
std::size_t length_of_word(std::string_view text) {
  int open = 0;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(') ++open;
    if (c == ')') --open;
    const bool ends = kBlanks.find(c) != kBlanks.npos || c == '#';
    if (ends || (open <= 0 && kAlone.find(c) != kAlone.npos)) break;
  }
  return at;
}

}  // namespace

std::vector<Word> words_of(std::string_view text) {
  std::vector<Word> words;
  int line = 1;
  while (!text.empty()) {
    const char c = text[0];
    std::size_t length = 1;
    if (c == '#') {
      length = std::min(text.find('\n'), text.size());
    } else if (kAlone.find(c) != kAlone.npos) {
      words.push_back({text.substr(0, 1), line});
      line += c == '\n' ? 1 : 0;
    } else if (kBlanks.find(c) == kBlanks.npos) {
      length = length_of_word(text);
      words.push_back({text.substr(0, length), line});
    }
    text.remove_prefix(length);
  }
  return words;
}

Bytes product(std::string_view text, const Names& names) {
  Bytes value = 1;
  each_factor(text, [&](std::string_view factor) {
    const auto named = names.find(factor);
    const auto read = named != names.end() ? std::optional(named->second) : parse_size(factor);
    if (!read || *read < 0)
      bad_configuration(fmt::format(
          "'{:.100}' is not a size: write bytes, such as 4096 or 64k, names of `let`, or a product",
          text));
    if (*read > 0 && value > kMost / *read)
      bad_configuration(fmt::format("'{:.100}' is more than {}", text, kMost));
    value *= *read;
  });
  return value;
}

double time(std::string_view text, const Names& names) {
  const auto problem = [text] {
    return fmt::format(
        "'{:.100}' is not a time: write 1.5ms, or s, us, ns, or a product with one of these", text);
  };
  double value = 1;
  int units = 0;
  each_factor(text, [&](std::string_view factor) {
    const auto named = names.find(factor);
    if (named != names.end()) {
      value *= static_cast<double>(named->second);
      return;
    }
    const std::size_t digits = factor.find_last_of("0123456789.") + 1;
    const auto number = parse_decimal(factor.substr(0, digits));
    if (!number || *number < 0) bad_configuration(problem());
    value *= *number;
    const std::string_view unit = factor.substr(digits);
    if (unit.empty()) return;
    ++units;
    for (const auto& [name, scale] : kTimes)
      if (name == unit) {
        value *= scale;
        return;
      }
    bad_configuration(problem());
  });
  if (units != 1 || !(value <= kLongest)) bad_configuration(problem());
  return value;
}

}  // namespace tutti::models::kernel
