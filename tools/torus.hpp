// The option --torus, alike in all commands: which neighbours ranks have.
#pragma once

#include <string>

#include "collectives/schedule/problem.hpp"

namespace tutti::tools {

// For the help.
inline constexpr const char* kTorusIs =
    "collectives of neighbours on a torus, such as 8x8 or 4x4x4, whose ranks have all those beside "
    "them as neighbours, diagonally, too (default: a ring); it says how many ranks there are";

// A torus of at most `most_ranks` ranks. Throws Error{bad_configuration}: none, or a larger one.
collectives::Torus parse_torus(const std::string& text, int most_ranks);
int ranks_on(const collectives::Torus& torus);

// Gives rank 0 the neighbours that the option says, if the collective is one of neighbours; an
// empty text: those of a ring.
void put_on_torus(collectives::Problem& problem, const std::string& text);

}  // namespace tutti::tools
