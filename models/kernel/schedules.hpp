// A kernel as one schedule a rank: its calls, one after the other as in a program. Pure.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "collectives/schedule/schedule.hpp"
#include "models/kernel/kernel.hpp"
#include "models/platform/platform.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::models::kernel {

// The algorithm of a call that names none. `nodes`: of the ranks of its group, as problem.node.
using Choose = std::function<collectives::Choice(const collectives::Problem& problem)>;

// The steps of a rank's operations from `begin` on.
struct Steps {
  std::size_t begin = 0;
  // The first step of each operation, and one past the end: they stand in this order.
  std::vector<collectives::StepId> first;
  std::size_t operation_of(collectives::StepId step) const noexcept;
};

// How many messages so far, to each rank and from each.
struct Counts {
  std::map<Rank, Ordinal> sent, received;
  Ordinal& of(const collectives::Step& step) {
    return collectives::receives(step.kind) ? received[step.peer] : sent[step.peer];
  }
};

// Makes schedules of all ranks, or of the operations of one stage of each. A computation is a
// `reduce` of no bytes (SimulationOptions::computing); a blocking call is done before the next one
// begins.
class Schedules {
 public:
  // `node`: of each rank. Throws Error{bad_configuration}: an algorithm that the text names does
  // not apply, or a schedule would have more than kMostSteps steps. Borrows the kernel. `platform`:
  // gives algorithms that the text names the times that they leave unset; null: nothing does.
  Schedules(const Kernel& kernel, const std::vector<int>& node, const Choose& choose,
            const Platform* platform = nullptr);

  collectives::Schedule of(Rank rank) { return of(rank, 0, kernel_.ranks[index(rank)].size()); }
  // The schedule of its operations [begin, end), which no message leaves.
  collectives::Schedule of(Rank rank, std::size_t begin, std::size_t end);
  // Steps of the schedule that of(rank) made last.
  const Steps& steps(Rank rank) const noexcept { return steps_[index(rank)]; }
  // Throws Error{bad_configuration}, which says for which ranks these wait, and in which lines.
  [[noreturn]] void deadlock(const std::vector<Result::Blocked>& blocked) const;
  // The choice for each of Kernel::calls, as it runs.
  const std::vector<collectives::Choice>& choices() const noexcept { return choices_; }

 private:
  struct Part {  // of a call, of one rank
    collectives::Schedule schedule;
    std::vector<collectives::Edge> edges;  // ascending order of `after`
  };
  const Part& part(int call, Rank rank);
  std::map<std::size_t, Counts> starts(Rank rank, std::size_t begin, std::size_t end);

  const Kernel& kernel_;
  std::vector<collectives::Problem> problems_;  // of each call, of rank 0 of its group
  std::vector<collectives::Choice> choices_;
  std::vector<Steps> steps_;
  std::map<std::pair<int, Rank>, Part> parts_;
};

}  // namespace tutti::models::kernel
