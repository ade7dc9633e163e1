// Lists the candidates for a point, with the times that models give them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/hash.hpp"
#include "collectives/algorithms/conditions.hpp"
#include "collectives/selection/facts.hpp"
#include "models/platform/tree_times.hpp"
#include "models/simulation/simulator.hpp"
#include "models/simulation/steps.hpp"
#include "tools/mapping.hpp"
#include "tools/parameters.hpp"
#include "tools/tune/tune.hpp"

namespace tutti::tools {
namespace {

using collectives::Algorithm;
using collectives::Choice;
using collectives::Collective;
using collectives::Parameters;
using collectives::Problem;

// Steps of all ranks together, above which a prediction takes too long.
constexpr double kMostStepsSimulated = 2e7;

Problem problem_of(Collective collective, const std::vector<int>& node, Bytes bytes) {
  Problem problem{{.collective = collective, .bytes = bytes}, static_cast<int>(node.size())};
  problem.node = node;
  if (reduces(collective)) problem.element = sizeof(int);
  return problem;
}

// Reductions of less than an element move nothing.
Bytes whole(Collective collective, Bytes bytes) {
  return reduces(collective) ? bytes / static_cast<Bytes>(sizeof(int)) * 4 : bytes;
}

std::vector<Parameters> parameters_of(const Algorithm& algorithm, const Problem& problem,
                                      const std::vector<Bytes>& wanted_segments) {
  std::vector<Parameters> all{{}};
  const auto times = [&](auto values, auto set) {
    std::vector<Parameters> more;
    for (const Parameters& one : all)
      for (const auto& value : values) {
        more.push_back(one);
        set(more.back(), value);
      }
    all = std::move(more);
  };
  if (algorithm.traits.k) times(std::vector<int>{1, 2, 3}, [](Parameters& p, int k) { p.k = k; });
  if (algorithm.traits.segment) {
    std::vector<Bytes> segments = wanted_segments;
    if (segments.empty()) segments = {0, Bytes{8} << 10, Bytes{64} << 10};
    // A segment that holds the whole message cuts nothing.
    for (Bytes& segment : segments) segment = segment < problem.bytes ? segment : 0;
    times(segments, [](Parameters& p, Bytes segment) { p.segment = segment; });
  }
  if (algorithm.traits.levels) {
    std::vector<const Algorithm*> across{nullptr};
    for (const Algorithm& some : collectives::algorithms())
      if (some.collective == collectives::across_of(algorithm.collective) && can_be_level(some))
        across.push_back(&some);
    times(across, [](Parameters& p, const Algorithm* some) { p.across.algorithm = some; });
  }
  return all;
}

// The parameters of this algorithm that the command line names, or all of them.
std::vector<Parameters> parameters_wanted(const Algorithm& algorithm, const Problem& problem,
                                          const Wanted& wanted) {
  if (wanted.algorithms.empty()) return parameters_of(algorithm, problem, wanted.segments);
  std::vector<Parameters> all;
  for (const std::string& text : wanted.algorithms) {
    const std::string_view name = std::string_view(text).substr(0, text.find('('));
    if (name != algorithm.name) continue;
    if (name == text) return parameters_of(algorithm, problem, wanted.segments);
    const auto choice =
        collectives::parse_choices(fmt::format("{}={}", name_of(problem.collective), text));
    all.push_back(choice.at(problem.collective).parameters);
  }
  return all;
}

std::uint64_t digest_of_schedules(Problem problem, const Choice& choice) {
  Hash hash;
  for (problem.rank = 0; problem.rank < problem.P; ++problem.rank)
    hash.add(choice.algorithm->build(problem, choice.parameters).digest());
  return hash.value();
}

// Covers as many ranks as take a moment; with more ranks, names tell candidates apart. A choice
// whose schedules differ by the completion has no equal among those that have the same by each.
std::uint64_t digest_of(const Problem& problem, const Choice& choice,
                        std::span<const Completion> completions) {
  constexpr int kMostRanks = 64;
  if (problem.P > kMostRanks || choice.algorithm->needs.has(collectives::Condition::datagrams))
    return Hash().add(to_string(choice)).value();
  if (!choice.algorithm->traits.times || completions.empty())
    return digest_of_schedules(problem, choice);
  const std::vector<int> node = problem.node.of_rank();
  const std::uint64_t first = digest_of_schedules(problem, completions[0](choice, node));
  Hash all;
  all.add(first);
  bool differ = false;
  for (const Completion& completed : completions.subspan(1)) {
    const std::uint64_t digest = digest_of_schedules(problem, completed(choice, node));
    differ = differ || digest != first;
    all.add(digest);
  }
  return differ ? all.value() : first;
}

}  // namespace

std::vector<Candidate> candidates_for(Collective collective, const std::vector<int>& node,
                                      Bytes bytes, bool datagrams, const Wanted& wanted,
                                      std::span<const Completion> completions) {
  Problem problem = problem_of(collective, node, whole(collective, bytes));
  problem.datagrams = datagrams;
  std::vector<Candidate> all;
  for (const Algorithm& algorithm : collectives::algorithms()) {
    if (algorithm.collective != collective) continue;
    for (const Parameters& parameters : parameters_wanted(algorithm, problem, wanted)) {
      if (why_not(algorithm, problem, parameters)) continue;
      const Choice choice{.algorithm = &algorithm, .parameters = parameters};
      const std::uint64_t digest = digest_of(problem, choice, completions);
      const bool known = std::any_of(all.begin(), all.end(),
                                     [&](const Candidate& some) { return some.digest == digest; });
      if (!known) all.push_back({choice, to_string(choice), digest, {}, {}});
    }
  }
  return all;
}

int add_candidate(Point& point, const std::vector<int>& node, const Choice& choice,
                  std::span<const Completion> completions) {
  const Problem problem = problem_of(point.collective, node, whole(point.collective, point.bytes));
  const Candidate added{choice, to_string(choice), digest_of(problem, choice, completions), {}, {}};
  const auto same =
      std::find_if(point.candidates.begin(), point.candidates.end(),
                   [&](const Candidate& some) { return some.digest == added.digest; });
  const auto number = static_cast<int>(same - point.candidates.begin());
  if (same == point.candidates.end())
    point.candidates.push_back(added);
  else
    *same = added;
  return number;
}

Oracle oracle_of(const models::Predictor& predictor, int most_calls, int sockets) {
  const auto completed = [predictor](Choice choice, const std::vector<int>& node) {
    const auto* const platform = std::get_if<models::Platform>(&predictor);
    return platform ? models::with_times(choice, *platform, collectives::facts_of_nodes(node))
                    : choice;
  };
  return {label_of(predictor),
          [predictor, most_calls, sockets, completed](
              const Point& point, const Candidate& candidate, const std::vector<int>& node) {
            Problem problem =
                problem_of(point.collective, node, whole(point.collective, point.bytes));
            const Choice choice = completed(candidate.choice, node);
            const auto schedule_of = [&](Rank rank) {
              problem.rank = rank;
              return choice.algorithm->build(problem, choice.parameters);
            };
            const double steps = models::steps_of_all(point.P, problem.root, schedule_of);
            if (steps > kMostStepsSimulated) return -1.0;
            const int calls = static_cast<int>(
                std::clamp(kMostStepsSimulated / std::max(steps, 1.0), 1.0, 1.0 * most_calls));
            return models::time_of(predictor, node, schedule_of, calls, sockets);
          },
          completed};
}

Oracle oracle_here(int most_calls, int sockets) {
  // By whether there are several nodes; made when a point asks for it.
  const auto made = std::make_shared<std::map<bool, Oracle>>();
  const auto oracle_for = [made, most_calls,
                           sockets](const std::vector<int>& node) -> const Oracle& {
    const bool several = *std::max_element(node.begin(), node.end()) > 0;
    auto found = made->find(several);
    if (found == made->end()) {
      PlatformHere here = parameters_here(several);
      fmt::print(stderr, "this machine, {}: {}, {}\n", several ? "several nodes" : "one node",
                 here.platform.name, here.from);
      require_sockets(sockets, here.platform);
      const models::Predictor predictor = std::move(here.platform);
      found = made->emplace(several, oracle_of(predictor, most_calls, sockets)).first;
    }
    return found->second;
  };
  return {
      "this machine",
      [oracle_for](const Point& point, const Candidate& candidate, const std::vector<int>& node) {
        return oracle_for(node).time(point, candidate, node);
      },
      [oracle_for](Choice choice, const std::vector<int>& node) {
        return oracle_for(node).completed(choice, node);
      }};
}

void predict(Point& point, const std::vector<int>& node, const std::vector<Oracle>& oracles) {
  for (Candidate& candidate : point.candidates)
    for (const Oracle& oracle : oracles)
      candidate.predicted.push_back(oracle.time(point, candidate, node));
}

std::vector<std::size_t> near_best(const Point& point, double margin) {
  std::vector<std::size_t> all;
  const int best = point.best_predicted(0);
  for (std::size_t i = 0; i < point.candidates.size(); ++i) {
    const double time = point.candidates[i].predicted[0];
    // Candidates that could not be predicted are measured.
    if (best < 0 || time < 0 ||
        time <= point.candidates[static_cast<std::size_t>(best)].predicted[0] * (1 + margin / 100))
      all.push_back(i);
  }
  return all;
}

int Point::best_measured() const noexcept {
  int best = -1;
  const auto better = [](const Candidate& one, const Candidate& other) {
    if (one.finalist != other.finalist) return one.finalist;
    return one.measured->value < other.measured->value;
  };
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].measured &&
        (best < 0 || better(candidates[i], candidates[static_cast<std::size_t>(best)])))
      best = static_cast<int>(i);
  return best;
}

int Point::best_predicted(std::size_t oracle) const noexcept {
  int best = -1;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (oracle >= candidates[i].predicted.size() || candidates[i].predicted[oracle] < 0) continue;
    if (best < 0 || candidates[i].predicted[oracle] <
                        candidates[static_cast<std::size_t>(best)].predicted[oracle])
      best = static_cast<int>(i);
  }
  return best;
}

std::optional<Penalty> Point::penalty(std::size_t oracle) const noexcept {
  const int best = best_measured(), trusted = best_predicted(oracle);
  if (best < 0 || trusted < 0) return std::nullopt;
  const auto& chosen = candidates[static_cast<std::size_t>(trusted)].measured;
  if (!chosen) return std::nullopt;
  const models::Median& least = *candidates[static_cast<std::size_t>(best)].measured;
  return Penalty{std::max(0.0, 100 * (chosen->value / least.value - 1)),
                 trusted == best ? decided() : !undecided(least, *chosen)};
}

std::optional<Penalty> Point::penalty(std::size_t oracle, std::size_t truth) const noexcept {
  const int best = best_predicted(truth), trusted = best_predicted(oracle);
  if (best < 0 || trusted < 0) return std::nullopt;
  const double taken = candidates[static_cast<std::size_t>(trusted)].predicted[truth];
  const double least = candidates[static_cast<std::size_t>(best)].predicted[truth];
  if (taken < 0 || least <= 0) return std::nullopt;
  return Penalty{std::max(0.0, 100 * (taken / least - 1))};
}

int Point::rival() const noexcept {
  const int best = best_measured();
  if (best < 0 || by_default < 0) return -1;
  const auto at = [&](int i) -> const Candidate& {
    return candidates[static_cast<std::size_t>(i)];
  };
  if (best != by_default) return at(by_default).measured ? by_default : -1;
  int next = -1;
  for (int i = 0; i < static_cast<int>(candidates.size()); ++i) {
    if (i == best || !at(i).measured || at(i).finalist != at(best).finalist) continue;
    if (next < 0 || at(i).measured->value < at(next).measured->value) next = i;
  }
  return next;
}

bool Point::decided() const noexcept {
  const int other = rival();
  if (other < 0) return true;
  return !undecided(*candidates[static_cast<std::size_t>(best_measured())].measured,
                    *candidates[static_cast<std::size_t>(other)].measured);
}

}  // namespace tutti::tools
