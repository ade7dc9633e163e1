// The word that a user may have meant. Pure.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
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

// The nearest of these words; empty: none is near. A word that begins or ends with the other is
// near, the more so the longer what they share.
template <class Words>
std::string_view nearest(std::string_view written, const Words& words) {
  constexpr std::size_t kLongest = 64, kShortest = 3;
  if (written.size() > kLongest || written.size() < kShortest) return {};
  const auto shares_an_end = [](std::string_view whole, std::string_view part) {
    return part.size() >= kShortest && part.size() <= whole.size() &&
           (std::equal(part.begin(), part.end(), whole.begin(), same_letter) ||
            std::equal(part.rbegin(), part.rend(), whole.rbegin(), same_letter));
  };
  std::string_view best;
  // Letters apart, and for words that share an end, which are one apart, letters beyond.
  using Distance = std::pair<std::size_t, std::size_t>;
  Distance least{std::max<std::size_t>(written.size() / 3, 1) + 1, 0};
  for (const std::string_view word : words) {
    const auto [shorter, longer] = std::minmax({word.size(), written.size()});
    const bool alike = shares_an_end(word, written) || shares_an_end(written, word);
    if (!alike && longer - shorter >= least.first) continue;  // lengths too far apart
    const Distance apart = alike ? Distance{longer != shorter, longer - shorter}
                                 : Distance{letters_apart(written, word), 0};
    if (apart >= least) continue;
    least = apart;
    best = word;
  }
  return best;
}

// A message about a name that is not among these words: "there is no collective 'bcst'; did you
// mean bcast? There are barrier, bcast, …".
template <class Words>
std::string no_such(std::string_view what, std::string_view written, const Words& words) {
  const std::string_view near = nearest(written, words);
  return fmt::format("there is no {} '{:.200}'; {} {}", what, written,
                     near.empty() ? "there are" : fmt::format("did you mean {}? There are", near),
                     fmt::join(words, ", "));
}

}  // namespace tutti
