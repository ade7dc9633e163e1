// The schedules of all ranks by the name of their algorithm, and what can be counted in them.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include "collectives/algorithms/catalogue.hpp"
#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/form.hpp"
#include "collectives/analysis/rounds.hpp"
#include "collectives/analysis/verifier.hpp"

namespace tutti::collectives::test {

// Requires that the schedules are well formed: tests use their peers and slices as indices.
inline std::vector<Schedule> build_all(std::string_view name, const Problem& problem,
                                       const Parameters& parameters = {}) {
  auto all = schedules_of_all_ranks(*find(problem.collective, name), problem, parameters);
  for (Rank rank = 0; rank < problem.P; ++rank)
    if (const Verdict form = check_form(all[index(rank)], problem.P, rank); !form.ok())
      FAIL(name_of(problem.collective) << ' ' << name << ": " << form.message);
  return all;
}

inline Problem barrier_of(int P) { return {{.collective = Collective::barrier}, P}; }
inline Problem bcast_of(int P, Bytes bytes, Rank root = 0) {
  return {{.collective = Collective::bcast, .root = root, .bytes = bytes}, P};
}
inline Problem allgather_of(int P, Bytes bytes, bool in_place = false) {
  return {{.collective = Collective::allgather, .bytes = bytes, .in_place = in_place}, P};
}

inline int count(const Schedule& schedule, StepKind kind) {
  return static_cast<int>(std::count_if(schedule.steps.begin(), schedule.steps.end(),
                                        [&](const Step& step) { return step.kind == kind; }));
}

inline int messages(const std::vector<Schedule>& all) {
  return std::accumulate(all.begin(), all.end(), 0,
                         [](int sum, const Schedule& s) { return sum + count(s, StepKind::send); });
}

inline Bytes bytes_sent(const Schedule& schedule) {
  Bytes sum = 0;
  for (const Step& step : schedule.steps)
    sum += step.kind == StepKind::send ? step.source.length : 0;
  return sum;
}

inline Bytes bytes_copied(const Schedule& schedule) {
  Bytes sum = 0;
  for (const Step& step : schedule.steps)
    sum += step.kind == StepKind::copy ? step.source.length : 0;
  return sum;
}

inline Bytes most_scratch(const std::vector<Schedule>& all) {
  Bytes most = 0;
  for (const Schedule& schedule : all) most = std::max(most, schedule.scratch_bytes);
  return most;
}

using Ids = std::vector<StepId>;
inline Ids ids(std::span<const StepId> span) { return {span.begin(), span.end()}; }

}  // namespace tutti::collectives::test
