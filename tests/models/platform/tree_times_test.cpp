// Trees are shaped by the parameters of the model in use, and a text says the same tree again.
#include "models/platform/tree_times.hpp"

#include <cmath>
#include <limits>

#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;
using collectives::Choice;
using collectives::Collective;

namespace {

constexpr collectives::Facts kFar{.P = 2, .nodes = 2}, kNear{.P = 2, .max_ranks_per_node = 2};

Choice written(const std::string& text, Collective collective = Collective::scatter) {
  const std::string name{collectives::name_of(collective)};
  return collectives::parse_choices(name + "=" + text).at(collective);
}

Platform of_two_levels() {
  Platform platform{.between = models::LogGP{.L = 3, .o_s = 1, .o_r = 2, .g = 1.5, .G = 0.25}};
  platform.within = models::LogGP{.L = 0.1, .o_s = 0.2, .o_r = 0.3, .g = 0.1, .G = 0};
  return platform;
}

}  // namespace

TEST_CASE("times of a tree: the ones that the model has, and no others", "[tree_times]") {
  const Platform platform = of_two_levels();
  CHECK(to_string(with_times(written("loggp"), platform, kFar)) == "loggp(L=6,g=1.5,G=0.25)");
  // Within nodes; the sum of three is written without its rounding error, and the processor takes
  // longer than the gap.
  CHECK(to_string(with_times(written("loggp"), platform, kNear)) == "loggp(L=0.6,g=0.2,G=0)");
  CHECK(to_string(with_times(written("loggp", Collective::gather), platform, kNear)) ==
        "loggp(L=0.6,g=0.3,G=0)");
  // A choice that names some keeps them, zero among them.
  CHECK(to_string(with_times(written("loggp(g=0)"), platform, kFar)) == "loggp(L=6,g=0,G=0.25)");
  CHECK(to_string(with_times(written("loggp(L=1,g=2,G=3)"), platform, kFar)) ==
        "loggp(L=1,g=2,G=3)");
  CHECK(to_string(with_times(written("binomial(k=2)"), platform, kFar)) == "binomial(k=2)");
  // One model for all messages.
  CHECK(to_string(with_times(written("loggp"), {.between = platform.between}, kNear)) ==
        "loggp(L=6,g=1.5,G=0.25)");
  // Ranks of one node that speak over the wire.
  auto near = kNear;
  near.wire_within = true;
  CHECK(to_string(with_times(written("loggp"), platform, near)) == "loggp(L=6,g=1.5,G=0.25)");
}

TEST_CASE("times of a tree: a text gives back the same numbers", "[tree_times]") {
  for (const double third : {1. / 3, 1e-7 / 3, 2e5 / 3, 0.1 + 0.2}) {
    const Platform platform{.between = models::LogGP{third, third, third, third, third / 1000}};
    const Choice filled = with_times(written("loggp"), platform, kFar);
    CHECK(filled.parameters.times.all_set());
    CHECK(written(to_string(filled)).parameters == filled.parameters);
    CHECK(filled.parameters.times.L == Approx(3 * third).epsilon(1e-11));
  }
}

TEST_CASE("times of a tree: models that do not determine them, and absurd ones", "[tree_times]") {
  CHECK_FALSE(tree_times(models::Hockney{50, 0.01}));
  CHECK(to_string(with_times(written("loggp"), {.between = models::Hockney{50, 0.01}}, kFar)) ==
        "loggp");
  CHECK(tree_times(models::LogP{20, 5, 6, 10}) == collectives::LogGP{.L = 31, .g = 10, .G = 0});
  const double inf = std::numeric_limits<double>::infinity();
  for (const double absurd : {1e308, inf, -5., std::nan("")}) {
    const Platform platform{.between = models::LogGP{absurd, absurd, absurd, absurd, absurd}};
    const Choice filled = with_times(written("loggp"), platform, kFar);
    CHECK(filled.parameters.times.all_set());
    CHECK(written(to_string(filled)).parameters == filled.parameters);
  }
}
