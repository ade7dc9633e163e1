// Edges are known, so they are written, and not inferred from bytes.
//
// Messages have numbers between two ranks, which both must find alike: first those of the program's
// own messages, in their order, then those of collectives, group by group (ranks of two groups may
// call them in different orders), and in a group in the order of its calls.
#include "models/kernel/schedules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/error.hpp"
#include "base/index.hpp"
#include "collectives/algorithms/conditions.hpp"
#include "collectives/schedule/segmented.hpp"
#include "collectives/selection/facts.hpp"
#include "models/platform/tree_times.hpp"

namespace tutti::models::kernel {
namespace {

using collectives::Edge;
using collectives::kNoStep;
using collectives::Problem;
using collectives::Schedule;
using collectives::Step;
using collectives::StepId;
using collectives::StepKind;

constexpr std::size_t kMostBlockedShown = 8;

// From 0 in the order of their first ranks; empty: all are on one.
std::vector<int> nodes_in(const std::vector<Rank>& group, const std::vector<int>& node) {
  std::map<int, int> numbers;
  std::vector<int> all;
  all.reserve(group.size());
  for (const Rank rank : group) {
    const int next = static_cast<int>(numbers.size());
    all.push_back(numbers.try_emplace(node[index(rank)], next).first->second);
  }
  if (numbers.size() == 1) all.clear();
  return all;
}

// The schedule of a rank while it is written.
class Writer {
 public:
  Writer(int P, Rank rank) {
    schedule_.P = P;
    schedule_.rank = rank;
  }
  StepId next() const noexcept { return static_cast<StepId>(schedule_.steps.size()); }

  // Waits for all blocking operations before it; `blocking`: those after it wait for it, too.
  void add(const Step& step, bool blocking) {
    const StepId id = next();
    if (gate_ != kNoStep) edges_.push_back({gate_, id});
    schedule_.steps.push_back(step);
    if (blocking)
      gate_ = id;
    else
      pending_.push_back(id);
  }
  void wait() {
    if (!pending_.empty()) join(std::exchange(pending_, {}));
  }
  // `step_of` makes each step of the part one of this schedule.
  template <class Make>
  void play(const Schedule& part, const std::vector<Edge>& edges, const Make& step_of) {
    if (part.steps.empty()) return;
    const StepId first = next();
    std::vector<StepId> last;
    auto edge = edges.begin();
    for (StepId id = 0; id < part.steps.size(); ++id) {
      const Step& step = part.steps[id];
      if (step.predecessors == 0 && gate_ != kNoStep) edges_.push_back({gate_, first + id});
      for (; edge != edges.end() && edge->after == id; ++edge)
        edges_.push_back({first + edge->before, first + id});
      schedule_.steps.push_back(step_of(step));
      if (step.successor_count == 0) last.push_back(first + id);
    }
    gate_ = kNoStep;
    join(last);
  }
  Schedule finish() {
    collectives::link(schedule_, edges_);
    return std::move(schedule_);
  }

 private:
  // A step that is done when these are, and the gate.
  void join(std::vector<StepId> before) {
    if (gate_ != kNoStep) before.push_back(gate_);
    const StepId id = next();
    for (const StepId some : before) edges_.push_back({some, id});
    schedule_.steps.push_back({});  // a copy of no bytes
    gate_ = id;
  }

  Schedule schedule_;
  std::vector<Edge> edges_;
  StepId gate_ = kNoStep;        // all later steps wait for it
  std::vector<StepId> pending_;  // messages that were begun
};

Step message(const Operation& operation, Counts& counts) {
  const bool sends = operation.kind == Kind::send || operation.kind == Kind::isend;
  Step step;
  step.kind = sends ? StepKind::send : StepKind::recv;
  step.peer = operation.peer;
  (sends ? step.source : step.target).length = operation.bytes;
  step.ordinal = counts.of(step)++;
  return step;
}

}  // namespace

std::size_t Steps::operation_of(StepId step) const noexcept {
  const auto after = std::upper_bound(first.begin(), first.end(), step);
  return begin + static_cast<std::size_t>(after - first.begin()) - 1;
}

Schedules::Schedules(const Kernel& kernel, const std::vector<int>& node, const Choose& choose,
                     const Platform* platform)
    : kernel_(kernel), steps_(kernel.ranks.size()) {
  for (const Call& call : kernel.calls) {
    const auto& group = kernel.groups[index(call.group)];
    Problem problem{{.collective = call.collective, .root = call.root, .bytes = call.bytes},
                    static_cast<int>(group.size())};
    problem.datagrams = false;
    problem.node = nodes_in(group, node);
    auto choice = call.choice.algorithm ? call.choice : choose(problem);
    if (platform)
      choice = with_times(choice, *platform, collectives::facts_of_nodes(problem.node.of_rank()));
    if (const auto reason = why_not(*choice.algorithm, problem, choice.parameters))
      bad_configuration(
          fmt::format("{}, {}: {}", to_string(kernel, call), to_string(choice), *reason));
    problems_.push_back(std::move(problem));
    choices_.push_back(choice);
  }
}

const Schedules::Part& Schedules::part(int call, Rank rank) {
  const auto& group = kernel_.groups[index(kernel_.calls[index(call)].group)];
  const auto rank_in_group =
      static_cast<Rank>(std::find(group.begin(), group.end(), rank) - group.begin());
  auto [found, is_new] = parts_.try_emplace({call, rank_in_group});
  Part& made = found->second;
  if (!is_new) return made;
  Problem problem = problems_[index(call)];
  problem.rank = rank_in_group;
  const auto& choice = choices_[index(call)];
  made.schedule = choice.algorithm->build(problem, choice.parameters);
  for (StepId id = 0; id < made.schedule.steps.size(); ++id)
    for (const StepId after : made.schedule.successors_of(id)) made.edges.push_back({id, after});
  std::stable_sort(made.edges.begin(), made.edges.end(),
                   [](const Edge& a, const Edge& b) { return a.after < b.after; });
  return made;
}

// Where the numbers of the collectives among the operations begin, by operation: behind those of
// the program's own messages.
std::map<std::size_t, Counts> Schedules::starts(Rank rank, std::size_t begin, std::size_t end) {
  const auto& all = kernel_.ranks[index(rank)];
  Counts counts;
  std::map<int, std::vector<std::size_t>> by_group;
  for (std::size_t i = begin; i < end; ++i) {
    if (all[i].peer >= 0) message(all[i], counts);
    if (all[i].kind == Kind::collective)
      by_group[kernel_.calls[index(all[i].call)].group].push_back(i);
  }
  std::map<std::size_t, Counts> starts;
  for (const auto& [number, operations] : by_group) {
    const auto& group = kernel_.groups[index(number)];
    for (const std::size_t i : operations) {
      Counts& start = starts[i];
      for (Step step : part(all[i].call, rank).schedule.steps)
        if (collectives::is_message(step.kind)) {
          step.peer = group[index(step.peer)];
          const auto at = counts.of(step)++;
          auto& known = collectives::receives(step.kind) ? start.received : start.sent;
          known.try_emplace(step.peer, at);
        }
    }
  }
  return starts;
}

Schedule Schedules::of(Rank rank, std::size_t begin, std::size_t end) {
  const auto& all = kernel_.ranks[index(rank)];
  auto starts = this->starts(rank, begin, end);
  Writer writer(kernel_.P(), rank);
  Counts own;
  Step computation;
  computation.kind = StepKind::reduce;
  Steps& steps = steps_[index(rank)];
  steps.begin = begin;
  steps.first.clear();
  for (std::size_t i = begin; i < end; ++i) {
    steps.first.push_back(writer.next());
    const Operation& some = all[i];
    if (some.kind == Kind::compute) writer.add(computation, true);
    if (some.kind == Kind::wait) writer.wait();
    if (some.peer >= 0)
      writer.add(message(some, own), some.kind == Kind::send || some.kind == Kind::recv);
    if (some.kind != Kind::collective) continue;
    const auto& group = kernel_.groups[index(kernel_.calls[index(some.call)].group)];
    const Part& made = part(some.call, rank);
    Counts& start = starts[i];
    writer.play(made.schedule, made.edges, [&](Step step) {
      if (!collectives::is_message(step.kind)) return step;
      step.peer = group[index(step.peer)];
      step.ordinal += start.of(step);
      return step;
    });
    if (writer.next() > collectives::kMostSteps)
      bad_configuration(fmt::format("line {}: rank {} has more than {} steps by then", some.line,
                                    rank, collectives::kMostSteps));
  }
  steps.first.push_back(writer.next());
  return writer.finish();
}

void Schedules::deadlock(const std::vector<Result::Blocked>& blocked) const {
  std::string text = "the program deadlocks";
  std::set<Rank> told;
  for (const auto& [rank, peer, step] : blocked) {
    if (!told.insert(rank).second) continue;
    if (told.size() > kMostBlockedShown) {
      text += "; and more";
      break;
    }
    const std::size_t at = steps(rank).operation_of(step);
    const Operation& some = kernel_.ranks[index(rank)][at];
    text +=
        fmt::format("{} rank {} waits for rank {} in line {} ({})", told.size() == 1 ? ":" : ";",
                    rank, peer, some.line, to_string(kernel_, some));
  }
  bad_configuration(std::move(text));
}

}  // namespace tutti::models::kernel
