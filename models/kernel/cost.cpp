// A rank waits in an operation for as long as that takes and its processor is not busy. Operations
// follow each other, so each takes from the end of the one before until its own steps have ended;
// messages that were begun end in their `wait`.
#include "models/kernel/cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.hpp"
#include "base/index.hpp"
#include "models/decision/decisions.hpp"

namespace tutti::models::kernel {
namespace {

using collectives::Problem;
using collectives::StepId;

// The processor of one rank: how long it was busy until some moment.
class Busy {
 public:
  void add(const Bar& bar) {
    begins_.push_back(bar.begin);
    ends_.push_back(bar.busy);
    before_.push_back(sum_);
    sum_ += bar.busy - bar.begin;
  }
  double until(double moment) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), moment);
    if (after == begins_.begin()) return 0;
    const auto last = static_cast<std::size_t>(after - begins_.begin()) - 1;
    return before_[last] + std::min(moment, ends_[last]) - begins_[last];
  }

 private:
  std::vector<double> begins_, ends_, before_;  // ascending: of one processor
  double sum_ = 0;
};

// Adds up what one rank does.
class Account {
 public:
  Account(const Kernel& kernel, const Schedules& schedules, Rank rank)
      : operations_(kernel.ranks[index(rank)]),
        steps_(schedules.steps(rank)),
        ends_(operations_.size()) {}

  void add(const Bar& bar) {
    busy_.add(bar);
    const std::size_t at = steps_.operation_of(bar.step);
    const double time = bar.busy - bar.begin;
    (operations_[at].kind == Kind::compute ? computing_ : communicating_) += time;
    ends_[at] = std::max(ends_[at], bar.end);
  }

  // Calls wait(line, time) for each operation that waited.
  template <class Wait>
  Cost::OfRank close(double finished, const Wait& wait) {
    double now = 0, begun = 0;
    for (std::size_t at = 0; at < operations_.size(); ++at) {
      const Operation& some = operations_[at];
      const bool begins = some.kind == Kind::isend || some.kind == Kind::irecv;
      begun = begins ? std::max(begun, ends_[at]) : begun;
      const double end = std::max(now, some.kind == Kind::wait ? begun : begins ? now : ends_[at]);
      pass(some.line, now, end, wait);
      now = end;
    }
    if (!operations_.empty()) pass(operations_.back().line, now, finished, wait);
    return {.finished = finished,
            .computing = computing_,
            .communicating = communicating_,
            .waiting = waiting_};
  }

 private:
  template <class Wait>
  void pass(int line, double begin, double end, const Wait& wait) {
    constexpr double kRounding = 1e-9;
    const double idle = (end - begin) - (busy_.until(end) - busy_.until(begin));
    if (idle <= kRounding * (1 + end)) return;
    waiting_ += idle;
    wait(line, idle);
  }

  const std::vector<Operation>& operations_;
  const Steps& steps_;
  std::vector<double> ends_;
  Busy busy_;
  double computing_ = 0, communicating_ = 0, waiting_ = 0;
};

void account(const Kernel& kernel, const Schedules& schedules, Cost& cost) {
  std::vector<Account> accounts;
  accounts.reserve(kernel.ranks.size());
  for (Rank rank = 0; rank < kernel.P(); ++rank) accounts.emplace_back(kernel, schedules, rank);
  for (const Bar& bar : cost.result.bars) accounts[index(bar.rank)].add(bar);
  std::map<int, Cost::OfLine> lines;
  for (Rank rank = 0; rank < kernel.P(); ++rank) {
    std::map<int, double> mine;
    cost.ranks.push_back(accounts[index(rank)].close(
        cost.result.finished[index(rank)], [&](int line, double time) { mine[line] += time; }));
    Cost::OfRank& whole = cost.ranks.back();
    for (const auto& [line, time] : mine) {
      Cost::OfLine& of = lines[line];
      of.line = line;
      of.waiting += time;
      if (time > of.longest) of.longest = time, of.waits_longest = rank;
      if (time > whole.longest_wait) whole.longest_wait = time, whole.waits_in = line;
    }
  }
  for (const auto& [line, of] : lines) cost.lines.push_back(of);
  std::stable_sort(cost.lines.begin(), cost.lines.end(),
                   [](const auto& a, const auto& b) { return a.waiting > b.waiting; });
}

}  // namespace

Cost cost_of(const Kernel& kernel, const Platform& platform, SimulationOptions setting,
             const Choose& choose) {
  Schedules schedules(kernel, setting.node, choose, &platform);
  std::size_t steps = 0;
  const auto schedule_of = [&](Rank rank) {
    auto schedule = schedules.of(rank);
    steps += schedule.steps.size();
    if (steps > kMostStepsOfKernel)
      bad_configuration(
          fmt::format("all ranks together have more than {} steps", kMostStepsOfKernel));
    return schedule;
  };
  setting.record = setting.may_block = true;
  setting.computing = [&](Rank rank, StepId step) {
    return kernel.ranks[index(rank)][schedules.steps(rank).operation_of(step)].time;
  };
  Cost cost;
  cost.result = simulate(kernel.P(), schedule_of, platform, setting);
  if (!cost.result.blocked.empty()) schedules.deadlock(cost.result.blocked);
  account(kernel, schedules, cost);
  cost.choices = schedules.choices();
  return cost;
}

collectives::Choice chosen_by(const Platform& platform, const Problem& problem) {
  collectives::Facts facts =
      problem.node.empty() ? collectives::Facts{.P = problem.P, .max_ranks_per_node = problem.P}
                           : collectives::facts_of_nodes(problem.node.of_rank());
  const Cores cores = platform.cores.value_or(Cores{});
  facts.software_wire = facts.nodes > 1 && cores.move_packets();
  return Decisions(platform, facts).select(problem);
}

}  // namespace tutti::models::kernel
