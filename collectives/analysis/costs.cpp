// Counts what schedules do. Pure.
#include "collectives/analysis/costs.hpp"

#include <algorithm>
#include <vector>

#include "collectives/analysis/all_ranks.hpp"
#include "collectives/analysis/naming.hpp"
#include "collectives/analysis/neighbourhoods.hpp"
#include "collectives/analysis/rounds.hpp"

namespace tutti::collectives {
namespace {

std::vector<int> ranks_of(Over over) {
  std::vector<int> all;
  for (int P = over == Over::nodes ? 8 : 2; P <= 33; P += over == Over::nodes ? 4 : 1)
    all.push_back(P);
  if (over != Over::many_k) all.push_back(64);
  return all;
}

}  // namespace

Costs count(const Algorithm& algorithm, const Problem& problem, const Parameters& parameters) {
  const std::vector<Schedule> all = schedules_of_all_ranks(algorithm, problem, parameters);
  World world(all);
  Costs costs;
  costs.rounds = rounds(world, algorithm.traits.k ? parameters.k : kAnyPorts);
  costs.one_port = rounds(world, 1);
  for (const Schedule& schedule : all) {
    Bytes sent = 0;
    for (const Step& step : schedule.steps) {
      if (step.kind != StepKind::send) continue;
      ++costs.messages;
      sent += step.source.length;
    }
    costs.total += sent;
    costs.sent = std::max(costs.sent, sent);
    costs.scratch = std::max(costs.scratch, schedule.scratch_bytes);
  }
  return costs;
}

Problem problem_of(const Algorithm& algorithm, int P, Over over) {
  Problem problem{{.collective = algorithm.collective,
                   .bytes = algorithm.collective == Collective::barrier ? 0 : kLongBlock},
                  P};
  for (int rank = 0; over == Over::nodes && rank < P; ++rank) problem.node.push_back(rank / 4);
  const Torus torus = even_torus(P, 2);
  if (torus.front() == torus.back() && P > 4) give_needed_neighbours(algorithm, problem);
  return problem;
}

Formulas formulas(const Algorithm& algorithm, Over over) {
  std::vector<Point> rounds, one_port, messages, sent, total, scratch;
  for (int k = over == Over::many_k ? 2 : 1; k <= (over == Over::many_k ? 4 : 1); ++k) {
    for (const int P : ranks_of(over)) {
      const Problem problem = problem_of(algorithm, P, over);
      if (why_not(algorithm, problem, {.k = k})) continue;
      const Costs costs = count(algorithm, problem, {.k = k});
      const auto add = [&](std::vector<Point>& points, double value) {
        points.push_back({P, k, value});
      };
      const auto in_blocks = [](Bytes bytes) {
        return static_cast<double>(bytes) / static_cast<double>(kLongBlock);
      };
      add(rounds, costs.rounds);
      add(one_port, costs.one_port);
      add(messages, static_cast<double>(costs.messages));
      add(sent, in_blocks(costs.sent));
      add(total, in_blocks(costs.total));
      add(scratch, in_blocks(costs.scratch));
    }
  }
  const Naming number{.nodes = over == Over::nodes},
      bytes{.bytes = true, .nodes = over == Over::nodes};
  return {name_points(rounds, number), name_points(one_port, number), name_points(messages, number),
          name_points(sent, bytes),    name_points(total, bytes),     name_points(scratch, bytes)};
}

}  // namespace tutti::collectives
