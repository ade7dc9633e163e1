// Reads --torus into a neighbourhood.
#include "tools/torus.hpp"

#include <fmt/format.h>

#include <functional>
#include <numeric>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/analysis/neighbourhoods.hpp"

namespace tutti::tools {

collectives::Torus parse_torus(const std::string& text, int most_ranks) {
  constexpr std::size_t kMostDimensions = 4;  // each makes it three times as many neighbours
  collectives::Torus torus;
  std::int64_t ranks = 1;
  const auto refuse = [&] {
    bad_configuration(
        fmt::format("--torus '{:.200}': write the sizes of up to {} dimensions, such as 8x8, of {} "
                    "ranks at most",
                    text, kMostDimensions, most_ranks));
  };
  for (std::string_view rest = text; torus.empty() || !rest.empty();) {
    const std::size_t end = rest.find('x');
    const auto size = parse_number(rest.substr(0, end));
    if (!size || *size < 1 || *size > most_ranks || torus.size() == kMostDimensions) refuse();
    ranks *= *size;
    if (ranks > most_ranks || end + 1 == rest.size()) refuse();
    torus.push_back(static_cast<int>(*size));
    rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
  }
  return torus;
}

int ranks_on(const collectives::Torus& torus) {
  return std::accumulate(torus.begin(), torus.end(), 1, std::multiplies<>{});
}

void put_on_torus(collectives::Problem& problem, const std::string& text) {
  if (!text.empty() && is_of_neighbours(problem.collective))
    problem.neighbours = collectives::stencil_on(parse_torus(text, problem.P));
}

}  // namespace tutti::tools
