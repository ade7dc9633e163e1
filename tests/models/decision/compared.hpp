// Estimates beside the simulator, on a platform of adapters.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/analysis/all_ranks.hpp"
#include "models/decision/candidates.hpp"
#include "models/decision/decisions.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json.hpp"
#include "models/platform/names.hpp"
#include "models/simulation/simulator.hpp"

namespace tutti::tests {

// Nodes with one adapter each, which their ranks share.
inline models::Platform adapter() {
  models::Platform platform;
  platform.within = models::LogGP{.L = 0.03, .o_s = 0.03, .o_r = 0.03, .g = 0.04, .G = 2e-5};
  platform.between = models::LogGP{.L = 0.73, .o_s = 0.2, .o_r = 0.2, .g = 0.2, .G = 4e-5};
  platform.reduce_per_byte = 1e-5;
  platform.shared_ports = true;
  return platform;
}

struct Compared {
  std::string name;
  double estimate, simulated;                   // us
  double estimated_leaving, simulated_leaving;  // bytes, from the busiest node to others
};

// The node of each rank, if ranks of a node follow each other.
inline std::vector<int> in_blocks(int P, int per_node) {
  std::vector<int> node;
  for (int rank = 0; rank < P; ++rank) node.push_back(rank / per_node);
  return node;
}

inline collectives::Problem problem_of(collectives::Collective collective, int P, int per_node,
                                       Bytes bytes) {
  collectives::Problem problem{{.collective = collective, .bytes = bytes}, P};
  if (collective == collectives::Collective::barrier) problem.bytes = 0;
  if (per_node < P) problem.node = in_blocks(P, per_node);
  return problem;
}

// The estimate of a choice, and what is simulated. Ranks of a node follow each other.
inline Compared compared_on(std::string_view text, collectives::Collective collective, int nodes,
                            int per_node, Bytes bytes, const models::Platform& platform) {
  const int P = nodes * per_node;
  const auto rule = std::string(collectives::name_of(collective)) + "=" + std::string(text);
  const collectives::Choice choice = collectives::parse_choices(rule).begin()->second;
  const collectives::Problem problem = problem_of(collective, P, per_node, bytes);
  const auto schedule_of = [&](Rank rank) {
    return choice.algorithm->build(problem_of_rank(problem, rank), choice.parameters);
  };
  const auto estimate = models::estimate_of(choice, problem.bytes, platform, {P, nodes, per_node});
  const auto result = models::simulate(P, schedule_of, platform, {.node = in_blocks(P, per_node)});
  Bytes leaving = 0;
  for (const auto& node : result.nodes) leaving = std::max(leaving, node.sent.bytes);
  return {std::string(text), estimate.latency, result.time, estimate.leaving,
          static_cast<double>(leaving)};
}

// Each rank has a node of its own.
inline Compared compared_alone(std::string_view text, collectives::Collective collective, int P,
                               Bytes bytes, const models::Platform& platform) {
  return compared_on(text, collective, P, 1, bytes, platform);
}

// Shipped or published parameters, as jobs have them.
inline models::Platform platform_named(std::string_view name) {
  if (const models::Platform* const shipped = models::find_shipped(name)) return *shipped;
  const std::string published(models::find_published(name)->json);
  return models::completed(models::parse_platform(published), "hardware");
}

}  // namespace tutti::tests
