// The words of a kernel's text, and what numbers in it are. Pure.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace tutti::models::kernel {

// A line ends with a word of its own, "\n"; so do ; { } : and =, unless they stand in parentheses.
struct Word {
  std::string_view text;  // of the whole text
  int line;               // from 1 on
};
std::vector<Word> words_of(std::string_view text);

using Names = std::map<std::string, Bytes, std::less<>>;  // values by `let`

// "4096", "64KiB", a name, or a product of them: "134*block". Throws Error{bad_configuration}: it
// is no product, or exceeds 2^40.
Bytes product(std::string_view text, const Names& names);
// "1.5ms", "134*0.2ms": microseconds. Throws Error{bad_configuration}.
double time(std::string_view text, const Names& names);

}  // namespace tutti::models::kernel
