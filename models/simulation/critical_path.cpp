// From the bar that ends last, back to a bar that waited for nothing. Moments that are one in the
// simulation are equal numbers, so they are compared as such.
#include "models/simulation/critical_path.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/index.hpp"

namespace tutti::models {

std::vector<std::size_t> critical_path(std::span<const Bar> bars) {
  std::unordered_map<Rank, std::vector<std::size_t>> of_rank;
  for (std::size_t i = 0; i < bars.size(); ++i) of_rank[bars[i].rank].push_back(i);
  std::vector<std::size_t> path;
  if (bars.empty()) return path;
  const auto last = std::max_element(bars.begin(), bars.end(),
                                     [](const Bar& a, const Bar& b) { return a.end < b.end; });
  for (std::size_t at = index(last - bars.begin());;) {
    path.push_back(at);
    const Bar& bar = bars[at];
    if (bar.from >= 0 && bar.arrived == bar.begin) {
      at = index(bar.from);
      continue;
    }
    // Bars of a rank stand in the order of their beginnings.
    const auto& mine = of_rank[bar.rank];
    const auto here = std::lower_bound(mine.begin(), mine.end(), at);
    const auto before =
        std::find_if(std::make_reverse_iterator(here), mine.rend(), [&](std::size_t other) {
          return bars[other].busy == bar.begin || bars[other].end == bar.begin ||
                 bars[other].turn == bar.begin;
        });
    if (before != mine.rend())
      at = *before;
    else if (bar.behind >= 0)  // another rank of its node had their port
      at = index(bar.behind);
    else
      break;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace tutti::models
