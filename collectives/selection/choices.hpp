// The choice of an algorithm by hand, and how a user writes it. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "collectives/algorithms/catalogue.hpp"

namespace tutti::collectives {

struct Choice {
  const Algorithm* algorithm = nullptr;
  Parameters parameters{};
  bool preferred = false;     // by hand, and only where it applies
  std::string_view reason{};  // why it was chosen, for the log: a sentence, static
};

// `choice` as a user would write it: "bruck(k=3)".
std::string to_string(const Choice& choice);

// Reads the user's choice, `allgather=bruck(k=3);bcast=chain(segment=64k);barrier=prefer
// hierarchical(across=dissemination(k=3))`. Sizes take the suffixes k, M, G (powers of 1024);
// blanks around words are ignored; an empty text chooses nothing. Throws Error{unknown_algorithm}
// for an algorithm that the collective does not have, and Error{bad_configuration} for everything
// else that is wrong; the message names the offending word and the words that would be right.
std::map<Collective, Choice> parse_choices(std::string_view text);

}  // namespace tutti::collectives
