// Makes the problem and the schedule of each rank for one call. Pure.
#include "collectives/analysis/all_ranks.hpp"

#include "base/index.hpp"

namespace tutti::collectives {
namespace {

// Bytes that rank `from` sends to rank `to`; some pairs have 0.
Bytes example_count(bool in_place, Rank from, Rank to) {
  return in_place ? from * to % 5 * 60 : (from + 2 * to) % 4 * 90;
}

}  // namespace

Problem problem_of_rank(const Problem& any, Rank rank) {
  Problem mine = any;
  mine.rank = rank;
  if (any.neighbours && !any.neighbours->torus.empty())
    mine.neighbours = moved(*any.neighbours, any.rank, rank);
  return mine;
}

std::vector<Problem> problems_of_all_ranks(const Problem& any) {
  std::vector<Problem> all;
  all.reserve(index(any.P));
  for (Rank rank = 0; rank < any.P; ++rank) {
    Problem& mine = all.emplace_back(problem_of_rank(any, rank));
    if (any.collective != Collective::alltoall || any.counts.empty()) continue;
    mine.receive_counts.resize(mine.counts.size());
    for (Rank other = 0; other < any.P; ++other) {
      mine.counts[index(other)] = example_count(any.in_place, rank, other);
      mine.receive_counts[index(other)] = example_count(any.in_place, other, rank);
    }
  }
  return all;
}

std::vector<Schedule> schedules_of_all_ranks(const Algorithm& algorithm, const Problem& any,
                                             const Parameters& parameters) {
  std::vector<Schedule> all;
  all.reserve(index(any.P));
  for (const Problem& problem : problems_of_all_ranks(any))
    all.push_back(algorithm.build(problem, parameters));
  return all;
}

}  // namespace tutti::collectives
