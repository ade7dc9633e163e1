// Makes the neighbourhoods of grids and graphs for proofs. Pure.
#include "collectives/analysis/neighbourhoods.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "base/index.hpp"

namespace tutti::collectives {
namespace {

// Bytes of block `block` that rank `from` sends; an allgather has block 0 only.
Bytes uneven_length(Rank from, int block) { return (from * 3 + block * 2) % 7 * 100; }

constexpr Bytes kUntouched = 100;  // length of a block that comes from nobody

}  // namespace

Neighbourhoods grid_of(const std::vector<Dimension>& dimensions) {
  int P = 1;
  for (const Dimension& dimension : dimensions) P *= dimension.size;
  Neighbourhoods all(index(P));
  int below = P;  // ranks from one to the next along the dimension
  for (const Dimension& dimension : dimensions) {
    const int size = dimension.size;
    below /= size;
    for (Rank rank = 0; rank < P; ++rank) {
      const int place = rank / below % size;
      const auto at = [&](int other) {
        const bool is_there = dimension.periodic || (other >= 0 && other < size);
        return is_there ? rank + (mod(other, size) - place) * below : kNoNeighbour;
      };
      Neighbourhood& mine = all[index(rank)];
      for (const int other : {place - 1, place + 1}) {
        mine.to.push_back(at(other));
        mine.from.push_back(at(other));
      }
      mine.crossed = true;
    }
  }
  return all;
}

Neighbourhoods random_graph(int P, std::uint32_t seed) {
  std::mt19937 random(seed * 1000 + static_cast<std::uint32_t>(P));
  const auto below = [&](int bound) { return static_cast<int>(random() % index(bound)); };
  Neighbourhoods all(index(P));
  const auto connect = [&](Rank from, Rank to) {
    all[index(from)].to.push_back(to);
    // The lists of two ranks need not have the same order, but for edges between the same two.
    all[index(to)].from.push_back(from);
  };
  for (int edges = 2 * P; edges > 0; --edges) {
    const Rank from = below(P), to = below(8) == 0 ? from : below(P);
    if (from % 5 == 4 || to % 5 == 4) continue;  // they have no neighbours
    for (int times = below(4) == 0 ? 2 : 1; times > 0; --times) connect(from, to);
  }
  return all;
}

Neighbourhood stencil_on(const Torus& torus) {
  Neighbourhood all{{}, {}, false, torus};
  std::vector<int> digits(torus.size(), -1);
  const auto to_next = [&] {  // false: it was the last one
    auto digit = digits.rbegin();
    for (; digit != digits.rend() && *digit == 1; ++digit) *digit = -1;
    if (digit != digits.rend()) ++*digit;
    return digit != digits.rend();
  };
  do {
    if (std::ranges::count(digits, 0) == std::ssize(digits)) continue;
    Rank rank = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
      rank = rank * torus[i] + mod(digits[i], torus[i]);
    all.to.push_back(rank);
  } while (to_next());
  all.from = all.to;
  return all;
}

Neighbourhood random_stencil(const Torus& torus, std::uint32_t seed) {
  const int P = std::accumulate(torus.begin(), torus.end(), 1, std::multiplies<>{});
  std::mt19937 random(seed * 1000 + static_cast<std::uint32_t>(P));
  const auto below = [&](int bound) { return static_cast<int>(random() % index(bound)); };
  Neighbourhood all{{}, {}, false, torus};
  for (int offsets = 1 + below(12); offsets > 0; --offsets) all.to.push_back(below(P));
  for (const Rank offset : all.to)
    all.from.insert(all.from.begin() + below(static_cast<int>(all.from.size()) + 1),
                    minus(torus, 0, offset));
  return all;
}

Neighbourhoods at_all_ranks(const Neighbourhood& of_rank_0) {
  const Torus& torus = of_rank_0.torus;
  const int P = std::accumulate(torus.begin(), torus.end(), 1, std::multiplies<>{});
  Neighbourhoods all;
  all.reserve(index(P));
  for (Rank rank = 0; rank < P; ++rank) all.push_back(moved(of_rank_0, 0, rank));
  return all;
}

Torus even_torus(int P, int dimensions) {
  Torus torus;
  for (int left = dimensions; left > 0; --left) {
    int size = std::max(1, static_cast<int>(std::lround(std::pow(P, 1.0 / left))));
    while (P % size != 0) --size;
    torus.push_back(size);
    P /= size;
  }
  std::ranges::sort(torus);
  return torus;
}

void give_needed_neighbours(const Algorithm& algorithm, Problem& problem) {
  if (algorithm.needs.has(Condition::torus))
    problem.neighbours = stencil_on(even_torus(problem.P, 2));
}

std::vector<Problem> problems_in(const Neighbourhoods& neighbourhoods, const Problem& any,
                                 bool uneven) {
  const bool one = any.collective == Collective::neighbor_allgather;
  std::vector<Problem> all(neighbourhoods.size(), any);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const Neighbourhood& mine = neighbourhoods[rank];
    const auto me = static_cast<Rank>(rank);
    all[rank].rank = me;
    all[rank].neighbours = mine;
    if (!uneven) continue;
    for (int i = 0; i < (one ? 1 : static_cast<int>(mine.to.size())); ++i)
      all[rank].counts.push_back(uneven_length(me, i));
    for (int i = 0; i < static_cast<int>(mine.from.size()); ++i) {
      const Rank from = mine.from[index(i)];
      Bytes length = kUntouched;
      if (from != kNoNeighbour)
        length = uneven_length(from, one ? 0 : source_of(mine, me, i, neighbourhoods[index(from)]));
      all[rank].receive_counts.push_back(length);
    }
  }
  return all;
}

}  // namespace tutti::collectives
