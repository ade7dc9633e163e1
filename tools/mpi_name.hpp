// How the MPI at hand is called wherever a command names it: "MPICH 4.0.2", "Open MPI 4.1.4".
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace tutti::tools {

// By what MPI_Get_library_version() says: the words before the version, and the version. The first
// line, if it has none. Pure.
inline std::string mpi_name_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t:", kDigits = "0123456789";
  const std::string_view line = text.substr(0, text.find_first_of("\n,"));
  std::vector<std::string_view> words;
  for (std::size_t begin = 0; begin < line.size();) {
    begin = std::min(line.find_first_not_of(kBetween, begin), line.size());
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    std::string_view word = line.substr(begin, end - begin);
    begin = end;
    if (word.ends_with("(R)")) word.remove_suffix(3);
    if (word.empty() || word == "Version" || word == "Library") continue;
    const bool has_v = word.size() > 1 && word[0] == 'v' && kDigits.find(word[1]) != word.npos;
    if (has_v) word.remove_prefix(1);
    words.push_back(word);
    if (kDigits.find(word[0]) != word.npos) return fmt::format("{}", fmt::join(words, " "));
  }
  return std::string(line);
}

// The name of this process's MPI. May be called before MPI_Init.
std::string mpi_name();

}  // namespace tutti::tools
