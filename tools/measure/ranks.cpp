// Chooses the ranks that measure each level, and makes their communicators.
#include "tools/measure/ranks.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "tools/bench/bench.hpp"

namespace tutti::tools {

std::vector<Level> levels_of(Engine& engine) {
  const auto& placement = engine.placement();
  std::map<int, std::vector<int>> on;
  for (int rank = 0; rank < engine.size(); ++rank) on[placement.node_of(rank)].push_back(rank);
  const auto most = std::max_element(on.begin(), on.end(), [](const auto& a, const auto& b) {
    return a.second.size() < b.second.size();
  });
  std::vector<Level> levels;
  if (most->second.size() > 1 && !engine.wire_on_nodes())
    levels.push_back({"within nodes", most->second, most->second});
  Level between{"between nodes", {0}, {0}, true};
  for (int rank = 1; rank < engine.size(); ++rank)
    if (on.size() == 1 ? engine.wire_on_nodes() : placement.node_of(rank) != placement.node_of(0))
      between.ranks.push_back(rank);
  if (between.ranks.size() < 2) return levels;
  const auto first = on.begin();  // of rank 0
  auto other = on.size() > 1 ? std::next(first) : first;
  for (auto some = other; some != on.end(); ++some)
    if (some->second.size() > other->second.size()) other = some;
  between.ring.clear();
  if (other == first)
    between.ring = first->second;
  else
    for (std::size_t i = 0; i < std::min(first->second.size(), other->second.size()); ++i)
      for (const auto node : {first, other}) between.ring.push_back(node->second[i]);
  between.ring.resize(between.ring.size() / 2 * 2);
  levels.push_back(between);
  return levels;
}

Members::Members(Engine& engine, const std::vector<int>& ranks, std::size_t count) {
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const auto end = ranks.begin() + static_cast<std::ptrdiff_t>(count);
  const auto place = std::find(ranks.begin(), end, me);
  MPI_Comm_split(MPI_COMM_WORLD, place != end ? 0 : MPI_UNDEFINED,
                 static_cast<int>(place - ranks.begin()), &mpi_);
  if (mpi_ == MPI_COMM_NULL) return;
  const auto& placement = engine.placement();
  const auto before = std::count_if(ranks.begin(), place, [&](int rank) {
    return placement.node_of(rank) == placement.node_of(me);
  });
  core_.emplace(static_cast<int>(before), engine.processors());
  must(tutti_comm_create(mpi_, &comm_), "tutti_comm_create");
}

Members::~Members() {
  if (comm_ != TUTTI_COMM_NULL) tutti_comm_free(&comm_);
  if (mpi_ != MPI_COMM_NULL) MPI_Comm_free(&mpi_);
}

}  // namespace tutti::tools
