// The choice of an algorithm, and how a user writes one. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters{};
  bool preferred = false;     // written with `prefer`: passed over if it does not apply
  std::string_view reason{};  // why it was made, for the log; set by who makes it, static
};

// As a user would write it: "bruck(k=3)".
std::string to_string(const Choice& choice);

// The collective of this name. Throws Error{bad_configuration}: there is none; the message has the
// nearest name and all others.
Collective read_collective(std::string_view name);

// Reads choices such as `allgather=bruck(k=3);bcast=chain(segment=64k);barrier=prefer
// hierarchical(across=dissemination(k=3))`. Sizes are read by parse_size(), blanks around words are
// ignored, an empty text chooses nothing. Throws Error{unknown_algorithm} if the collective has no
// such algorithm, and Error{bad_configuration} for everything else that is wrong; the message names
// the offending word and the words that would be right.
std::map<Collective, Choice> parse_choices(std::string_view text);

}  // namespace tutti::collectives
