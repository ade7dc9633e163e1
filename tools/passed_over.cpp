// Refuses options that the others would leave without effect.
#include "tools/passed_over.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "tools/command_line.hpp"

namespace tutti::tools {

using collectives::Collective;

void refuse_given(const Command& command, std::initializer_list<const char*> options,
                  std::string_view what) {
  for (const char* const option : options)
    if (command.has(option)) bad_configuration(fmt::format("{} goes with {}", option, what));
}

void refuse_without(const Command& command, const char* option, std::span<const Collective> named,
                    bool (*uses)(Collective)) {
  if (!command.has(option) || std::ranges::any_of(named, uses)) return;
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < collectives::kCollectives; ++i)
    if (const auto collective = static_cast<Collective>(i); uses(collective))
      names.push_back(name_of(collective));
  refuse_given(command, {option},
               fmt::format("collectives that use it: {}", fmt::join(names, ", ")));
}

void refuse_torus_in_vain(const Command& command, std::span<const Collective> named) {
  refuse_without(command, "--torus", named, collectives::is_of_neighbours);
  if (command.has("--torus") && command.has("--ranks"))
    bad_configuration("--ranks goes without --torus, which says how many ranks there are");
}

}  // namespace tutti::tools
