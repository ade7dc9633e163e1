// The names by which people choose among MPI's collectives: allreduce, bcast and so on, each with
// its non-blocking form.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "src/drop-in/calls.h"

namespace tutti::drop_in {

// In lower case, without MPI_, each once: a large-count form goes by the name of the other.
inline std::vector<std::string> names_of_collectives() {
  std::vector<std::string> names;
  for (std::string_view name : {
#define TUTTI_NAME(name) std::string_view(#name),
           TUTTI_BLOCKING(TUTTI_NAME)
#undef TUTTI_NAME
       }) {
    if (name.ends_with("_c")) name.remove_suffix(2);
    std::string& small = names.emplace_back(name);
    for (char& c : small) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

// Why a list, with commas, names something else than these in any case; empty: it names none else.
inline std::string why_no_list(std::string_view list) {
  const std::vector<std::string> names = names_of_collectives();
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view name = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    const auto same = [&](const std::string& own) {
      return std::equal(own.begin(), own.end(), name.begin(), name.end(), same_letter);
    };
    if (std::none_of(names.begin(), names.end(), same)) return no_such("collective", name, names);
  }
  return {};
}

}  // namespace tutti::drop_in
