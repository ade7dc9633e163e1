// Judges choices: simulates the candidates of a cell one by one. Pure.
#include "models/judgement.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "models/decision/candidates.hpp"
#include "models/decision/decisions.hpp"
#include "models/platform/tree_times.hpp"
#include "models/simulation/simulator.hpp"
#include "models/simulation/steps.hpp"

namespace tutti::models {
namespace {

using collectives::Choice;
using collectives::Collective;
using collectives::Facts;
using collectives::Problem;

constexpr int kCoresToSpare = 1 << 20;

// One call is simulated, so what is chosen for one call is judged.
Platform for_one_call(Platform platform) {
  if (platform.budget) platform.budget->calls = 1;
  return platform;
}

// The simulator lets no message wait for a core. So the choice is that of nodes which have cores to
// spare for the packets.
Facts facts_of(const std::vector<int>& node, const Platform& platform) {
  Facts facts = collectives::facts_of_nodes(node);
  facts.software_wire = facts.nodes > 1 && platform.cores.value_or(Cores{}).move_packets();
  if (facts.software_wire) facts.cores = kCoresToSpare;
  return facts;
}

bool is_same(const Choice& a, const Choice& b) noexcept {
  return a.algorithm == b.algorithm && a.parameters == b.parameters;
}

class Judge {
 public:
  Judge(const Cell& cell, const Platform& platform)
      : platform_(for_one_call(platform)),
        node_(nodes_of(cell.layout, cell.P(), cell.ranks_per_node, cell.seed)),
        socket_(sockets_of(node_, cell.sockets)),
        problem_{{.collective = cell.collective, .bytes = cell.bytes}, cell.P()},
        facts_(facts_of(node_, platform_)),
        decisions_(platform_, facts_) {
    if (cell.collective == Collective::barrier) problem_.bytes = 0;
    if (cell.nodes > 1) problem_.node = node_;
  }

  Choice chosen() { return decisions_.select(problem_); }
  std::vector<Choice> candidates(bool all_parameters) {
    std::vector<Choice> all;
    for (const Candidate& candidate : decisions_.candidates(problem_))
      if (candidate.excluded.empty()) all.push_back(candidate.choice);
    if (!all_parameters) return all;
    const std::vector<Choice> best = all;
    for (const Choice& plain : plain_candidates(problem_.collective)) {
      const Choice choice = with_times(plain, platform_, facts_);
      const bool is_best =
          std::ranges::any_of(best, [&](const Choice& one) { return is_same(one, choice); });
      if (!is_best && !why_not(*choice.algorithm, problem_, choice.parameters) &&
          choice.parameters.segment * 2 <= std::max<Bytes>(problem_.bytes, 0) &&
          choice.parameters.k < std::max(2, problem_.P))
        all.push_back(choice);
    }
    return all;
  }
  double steps(const Choice& choice) const {
    return steps_of_all(problem_.P, problem_.root,
                        [&](Rank rank) { return schedule_of(choice, rank); });
  }
  Judgement::Played play(const Choice& choice) const {
    const auto result = simulate(problem_.P, [&](Rank rank) { return schedule_of(choice, rank); },
                                 platform_, {.node = node_, .socket = socket_});
    return {choice, estimate_of(choice, problem_.bytes, platform_, facts_).latency, result.time};
  }

 private:
  collectives::Schedule schedule_of(const Choice& choice, Rank rank) const {
    Problem mine = problem_;
    mine.rank = rank;
    return choice.algorithm->build(mine, choice.parameters);
  }

  const Platform platform_;
  const std::vector<int> node_, socket_;
  Problem problem_;
  const Facts facts_;
  Decisions decisions_;
};

}  // namespace

Judgement judge(const Cell& cell, const Platform& platform, const JudgeOptions& options) {
  Judge judge(cell, platform);
  Judgement judgement;
  judgement.chosen = judgement.best = judge.play(judge.chosen());
  judgement.played = 1;
  for (const Choice& choice : judge.candidates(options.all_parameters)) {
    if (is_same(choice, judgement.chosen.choice)) continue;
    if (judge.steps(choice) > options.most_steps) {
      judgement.left_out.push_back(choice);
      continue;
    }
    ++judgement.played;
    const auto played = judge.play(choice);
    if (played.simulated < judgement.best.simulated) judgement.best = played;
  }
  return judgement;
}

Judgement::Played play(const Cell& cell, const Platform& platform, const Choice& choice) {
  return Judge(cell, platform).play(choice);
}

}  // namespace tutti::models
