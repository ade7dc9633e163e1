// Options that a command would pass over: it refuses them, and says with what they go.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "collectives/schedule/problem.hpp"

namespace tutti::tools {

class Command;

// Each throws Error{bad_configuration} if the command line gives such an option without effect.

// The options go with `what`, which is not so here.
void refuse_given(const Command& command, std::initializer_list<const char*> options,
                  std::string_view what);
// The option is for collectives of which `uses` is true.
void refuse_without(const Command& command, const char* option,
                    std::span<const collectives::Collective> named,
                    bool (*uses)(collectives::Collective));
// --torus says itself how many ranks there are, and is for collectives of neighbours.
void refuse_torus_in_vain(const Command& command, std::span<const collectives::Collective> named);

}  // namespace tutti::tools
