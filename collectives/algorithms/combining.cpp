// Sorts the blocks that ranks of a torus exchange into messages, by their hops. Pure.
#include "collectives/algorithms/combining.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"

namespace tutti::collectives {
namespace {

// To look at more neighbours, or tori, would take long, and save a small part of the time.
constexpr std::size_t kMostNeighbours = 512, kMostTori = 3;

// In the order in which they leave, the blocks for each offset; and those that come from there.
std::map<Rank, std::pair<std::vector<int>, std::vector<int>>> by_offset(
    const Neighbourhood& neighbours, Rank rank) {
  std::map<Rank, std::pair<std::vector<int>, std::vector<int>>> all;
  for (std::size_t i = 0; i < neighbours.to.size(); ++i)
    all[minus(neighbours.torus, neighbours.to[i], rank)].first.push_back(static_cast<int>(i));
  for (std::size_t i = 0; i < neighbours.from.size(); ++i) {
    const int block = neighbours.matched(static_cast<int>(i));
    const Rank from = neighbours.from[index(block)];
    all[minus(neighbours.torus, rank, from)].second.push_back(block);
  }
  return all;
}

bool ends_match(const Neighbourhood& neighbours, Rank rank) {
  return std::ranges::all_of(by_offset(neighbours, rank), [](const auto& at) {
    return at.second.first.size() == at.second.second.size();
  });
}

std::size_t messages_of(const Neighbourhood& neighbours, Rank rank) {
  std::set<std::pair<int, Rank>> hops;  // by dimension
  const int dimensions = static_cast<int>(neighbours.torus.size());
  for (const Rank from : neighbours.from) {
    const Rank offset = minus(neighbours.torus, rank, from);
    for (int dimension = 0; dimension < dimensions; ++dimension)
      if (const Rank hop = along(neighbours.torus, offset, dimension); hop != 0)
        hops.insert({dimension, hop});
  }
  return hops.size();
}

std::size_t messages_at_once(const Neighbourhood& neighbours, Rank rank) {
  return static_cast<std::size_t>(
      std::ranges::count_if(neighbours.from, [rank](Rank from) { return from != rank; }));
}

// Each way to write P as a product of up to three factors, in each order.
template <class Visit>
void each_torus(int P, Visit&& visit) {
  const auto each_factor = [](int number, auto&& use) {
    for (int factor = 1; factor <= number; ++factor)
      if (number % factor == 0) use(factor);
  };
  each_factor(P, [&](int first) {
    each_factor(P / first, [&](int second) {
      Torus torus;
      for (const int size : {first, second, P / first / second})
        if (size > 1) torus.push_back(size);
      // Dimensions of one rank say nothing: each torus is visited with these in front only.
      if ((first == 1 || second > 1) && (second == 1 || P / first / second > 1)) visit(torus);
    });
  });
}

}  // namespace

std::vector<Travelling> arrivals(const Neighbourhood& neighbours, Rank rank, bool one) {
  std::vector<Travelling> all(neighbours.from.size());
  for (const auto& [offset, blocks] : by_offset(neighbours, rank)) {
    const auto& [leaving, coming] = blocks;
    for (std::size_t i = 0; i < coming.size(); ++i)
      all[index(coming[i])] = {one ? 0 : leaving[i], offset};
  }
  return all;
}

std::vector<Phase> phases_of(const Torus& torus, const std::vector<Travelling>& arrivals) {
  std::vector<Phase> phases;
  std::vector<Rank> way(arrivals.size(), 0);
  for (int dimension = static_cast<int>(torus.size()) - 1; dimension >= 0; --dimension) {
    Phase phase;
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      const Rank offset = along(torus, arrivals[i].way, dimension);
      if (offset == 0) continue;
      auto hop = std::ranges::find(phase, offset, &Hop::offset);
      if (hop == phase.end()) hop = phase.insert(phase.end(), {offset});
      const Travelling block{arrivals[i].block, way[i]};
      if (std::ranges::find(hop->blocks, block) == hop->blocks.end()) hop->blocks.push_back(block);
      way[i] += offset;
    }
    if (!phase.empty()) phases.push_back(std::move(phase));
  }
  return phases;
}

bool saves_messages(const Neighbourhood& neighbours, Rank rank) {
  return messages_of(neighbours, rank) < messages_at_once(neighbours, rank);
}

std::vector<Torus> likely_tori(const Neighbourhood& of_rank_0, int P) {
  std::vector<std::pair<std::size_t, Torus>> all;
  const auto is_nobody = [](Rank rank) { return rank == kNoNeighbour; };
  if (of_rank_0.from.size() > kMostNeighbours || std::ranges::any_of(of_rank_0.to, is_nobody) ||
      std::ranges::any_of(of_rank_0.from, is_nobody))
    return {};
  Neighbourhood mine = of_rank_0;
  const std::size_t at_once = messages_at_once(mine, 0);
  each_torus(P, [&](const Torus& torus) {
    mine.torus = torus;
    const std::size_t messages = messages_of(mine, 0);
    if (messages < at_once && ends_match(mine, 0)) all.push_back({messages, torus});
  });
  std::ranges::stable_sort(all, {}, &std::pair<std::size_t, Torus>::first);
  std::vector<Torus> likely;
  for (auto& [messages, torus] : all)
    if (likely.size() < kMostTori) likely.push_back(std::move(torus));
  return likely;
}

}  // namespace tutti::collectives
