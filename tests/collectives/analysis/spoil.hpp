// Spoils right schedules, and expects the verifier to say how. For tests of the verifier.
#pragma once

#include <catch2/catch.hpp>
#include <functional>

#include "tests/collectives/ranks.hpp"

namespace tutti::collectives::test {

inline void caught(const std::vector<Schedule>& all, const Problem& problem, Violation expected,
                   const std::string& says) {
  const Verdict verdict = verify(all, problem);
  INFO(verdict.message);
  CHECK(name_of(verdict.violation) == name_of(expected));
  CHECK_THAT(verdict.message, Catch::Contains(says));
}

// Removes step `id` and all its edges.
inline void remove_step(Schedule& schedule, StepId id) {
  std::vector<Edge> edges;
  for (StepId before = 0; before < schedule.steps.size(); ++before) {
    for (StepId after : schedule.successors_of(before)) {
      if (before != id && after != id)
        edges.push_back({before - (before > id), after - (after > id)});
    }
  }
  schedule.steps.erase(schedule.steps.begin() + id);
  link(schedule, edges);
}

inline void edit_edges(Schedule& schedule, const std::function<void(std::vector<Edge>&)>& edit) {
  std::vector<Edge> edges;
  for (StepId before = 0; before < schedule.steps.size(); ++before) {
    for (StepId after : schedule.successors_of(before)) edges.push_back({before, after});
  }
  edit(edges);
  link(schedule, edges);
}

// The n-th step of that kind, from 0; kNoStep: there are fewer.
inline StepId nth(const Schedule& schedule, StepKind kind, int n) {
  for (StepId id = 0; id < schedule.steps.size(); ++id) {
    if (schedule.steps[id].kind == kind && n-- == 0) return id;
  }
  return kNoStep;
}

}  // namespace tutti::collectives::test
