// Simulations in few words.
#pragma once

#include <catch2/catch.hpp>

#include <string_view>

#include "models/platform/json.hpp"
#include "models/platform/names.hpp"
#include "models/simulation/simulator.hpp"
#include "tests/collectives/ranks.hpp"

namespace tutti::models::test {

using namespace collectives;
using namespace collectives::test;

inline Platform platform_of(std::string_view name) {
  return parse_platform(find_published(name)->json);
}
inline Platform platform_of(const Model& model) { return {.between = model}; }

inline Result simulated(std::string_view algorithm, Problem problem, const Platform& platform,
                        const Parameters& parameters = {}, const SimulationOptions& setting = {}) {
  const auto schedule_of = [&](Rank rank) {
    problem.rank = rank;
    return find(problem.collective, algorithm)->build(problem, parameters);
  };
  return simulate(problem.P, schedule_of, platform, setting);
}

inline Approx near(double value) { return Approx(value).epsilon(1e-12); }

inline const LogGP kBoba{30.40, 8.15, 8.15, 8.683, 0.015};

}  // namespace tutti::models::test
