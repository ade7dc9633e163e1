// TAU table 7.1, and what two models of one message must agree on.
#include "models/platform/conversion.hpp"

#include "base/error.hpp"
#include "tests/models/predicted.hpp"

using namespace tutti;
using namespace tutti::models;
using namespace tutti::models::test;

namespace {

template <class To>
To made(const Model& from) {
  return std::get<To>(converted(from, To::kName).value());
}

const models::LogGP kMetropolis{1.683, 0.1095, 0.1095, 1.649, 0.0001923};
const models::LogGP kLusitania{0.500, 0.350, 0.350, 0.120, 0.0009890};

}  // namespace

TEST_CASE("conversion: plogp from loggp by TAU table 7.1") {
  const models::PLogP boba = made<models::PLogP>(kBoba);
  CHECK(boba.L == near(30.40 - 8.683 + 2 * 8.15));
  CHECK(boba.g(1) == near(8.683));
  CHECK(boba.g(1 << 20) == Approx(8.683 + ((1 << 20) - 1) * 0.015).epsilon(1e-9));
  CHECK(boba.o_s(1 << 20) == 8.15);
  // The table read forwards gives what it was made from.
  const models::LogGP back = made<models::LogGP>(boba);
  CHECK(back.L == near(30.40));
  CHECK(back.g == near(8.683));
  CHECK(back.G == Approx(0.015).epsilon(1e-9));
}

TEST_CASE("conversion: a message takes as long under both models") {
  const models::LogGPO overhead{4, 1, 2, 3, 0.001, 0.002};
  const models::SplitHockney bunyip{24, 180, 0.0103125, 0.132875};
  const Model all[] = {kBoba,    kMetropolis, models::LogP{20, 5, 6, 10},
                       overhead, bunyip,      models::LogfP{5, 0.5, 2, 0.5, 1.5, 3, 4}};
  for (const Model& from : all)
    for (const Model& blank : models::models()) {
      const auto to = converted(from, name_of(blank));
      if (!to) continue;
      // A model that knows no bytes cannot say what they cost.
      const bool bytes =
          !std::holds_alternative<models::LogP>(*to) && !std::holds_alternative<models::LogfP>(*to);
      INFO(name_of(from) << " to " << name_of(*to));
      CHECK(time_of(*to, 1) == Approx(time_of(from, 1)).epsilon(0.001));
      if (bytes) CHECK(time_of(*to, 1 << 20) == Approx(time_of(from, 1 << 20)).epsilon(1e-5));
    }
}

TEST_CASE("conversion: a gap that covers no overhead becomes one that does") {
  const models::PLogP made_of = made<models::PLogP>(kLusitania);
  for (const Bytes m : {1, 100, 200, 300, 1000, 100000}) {
    CHECK(made_of.g(m) >= made_of.o_s(m));
    CHECK(made_of.g(m) ==
          Approx(std::max(0.350, 0.120 + static_cast<double>(m - 1) * 0.0009890)).margin(0.001));
  }
  CHECK(time_of(made_of, 1) == near(time_of(Model{kLusitania}, 1)));
}

TEST_CASE("conversion: what parameters do not say is not made up") {
  CHECK(!converted(models::Hockney{50, 0.01}, "loggp"));
  CHECK(!converted(kBoba, "loggps"));
  CHECK(!converted(kBoba, "lognp"));
  CHECK(!converted(kBoba, "split-hockney"));
  // A port that is busy for longer than a message is on its way has no latency in PLogP.
  CHECK(!converted(models::LogGP{1, 1, 1, 10, 0}, "plogp"));
  CHECK_THROWS_AS(converted(kBoba, "logpg"), Error);
}

TEST_CASE("conversion: a file's model changes before the other one, which keeps what is its own") {
  const std::string_view boba = find_published("boba")->json;
  const auto changed = [&](const Changes& changes) {
    return parse_platform(boba, changes).between;
  };
  CHECK(time_of(changed({.model = "plogp"}), 1) == near(30.40 + 2 * 8.15));
  CHECK(std::get<models::PLogP>(changed({.model = "plogp", .parameters = {{"L", 40}}})).L ==
        near(40 - 8.683 + 2 * 8.15));
  CHECK(std::get<models::Hockney>(changed({.model = "hockney", .parameters = {{"beta", 0.5}}}))
            .beta(0) == 0.5);
  CHECK(
      std::get<models::LogGPO>(changed({.model = "loggp-overhead", .parameters = {{"O", 1}}})).O ==
      1);
  CHECK_THROWS_WITH(changed({.model = "lognp"}),
                    Catch::Contains("parameters.transfers: is missing"));
}
