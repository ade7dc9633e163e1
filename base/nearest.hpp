// The word that a user may have meant. Pure.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tutti {

// Case does not count.
inline bool same_letter(char a, char b) noexcept {
  const auto small = [](char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; };
  return small(a) == small(b);
}

// How many letters are wrong, missing, too many or swapped with their neighbour. (The distance of
// optimal string alignment.)
inline std::size_t letters_apart(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t wrong = same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + wrong});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}

// The nearest of these words; empty: none is near. A beginning or a continuation of one is near.
template <class Words>
std::string_view nearest(std::string_view written, const Words& words) {
  constexpr std::size_t kLongest = 64, kShortest = 3;
  if (written.size() > kLongest) return {};
  const auto begins = [](std::string_view whole, std::string_view begin) {
    return begin.size() >= kShortest && begin.size() <= whole.size() &&
           std::equal(begin.begin(), begin.end(), whole.begin(), same_letter);
  };
  std::string_view best;
  std::size_t least = std::max<std::size_t>(written.size() / 3, 1) + 1;
  for (const std::string_view word : words) {
    const auto [shorter, longer] = std::minmax({word.size(), written.size()});
    const bool begins_alike = begins(word, written) || begins(written, word);
    if (!begins_alike && longer - shorter >= least) continue;  // lengths too far apart
    const std::size_t apart =
        begins_alike ? std::size_t{longer != shorter} : letters_apart(written, word);
    if (apart >= least) continue;
    least = apart;
    best = word;
  }
  return best;
}

// What to say of a name that is none of these words: "there is no collective 'bcst'; did you mean
// bcast? There are barrier, bcast, …".
template <class Words>
std::string no_such(std::string_view what, std::string_view written, const Words& words) {
  const std::string_view near = nearest(written, words);
  return fmt::format("there is no {} '{:.200}'; {} {}", what, written,
                     near.empty() ? "there are" : fmt::format("did you mean {}? There are", near),
                     fmt::join(words, ", "));
}

}  // namespace tutti
