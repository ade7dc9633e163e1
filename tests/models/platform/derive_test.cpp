// Readings made from known parameters, with noise, give these parameters again; and each model that
// is derived says of one message what was read.
#include "models/platform/derive.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "base/error.hpp"
#include "models/simulation/chance.hpp"
#include "models/platform/json.hpp"
#include "models/platform/platform.hpp"

#include <nlohmann/json.hpp>

using namespace tutti;
using namespace tutti::models;

namespace {

constexpr double kL = 4.5, kOs = 2.4, kOr = 1.1, kGap = 3.0, kG = 0.001;

// Readings of a LogGP machine, each off by up to the share `noise`.
Readings readings(double noise, std::uint64_t seed) {
  Chance chance(seed);
  const auto noisy = [&](double time) { return time * (1 + noise * (2 * chance.uniform() - 1)); };
  Readings all{.eager = 16384};
  for (Bytes m = 1; m <= 1 << 20; m *= 2) {
    const double bytes = static_cast<double>(m - 1) * kG;
    all.sizes.push_back({.bytes = m,
                         .round_trip = noisy(2 * (kL + kOs + kOr + bytes)),
                         .gap = noisy(kGap + bytes),
                         .o_s = noisy(kOs),
                         .o_r = noisy(kOr),
                         .sent = noisy(kOs + bytes / 2)});
  }
  return all;
}

template <class Some>
Some derived(const Readings& given) {
  return std::get<Some>(derive(Some::kName, given));
}

}  // namespace

TEST_CASE("derive: LogP, LogGP and LogGPS are found again under noise") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Readings given = readings(0.03, seed);
    const auto loggp = derived<models::LogGP>(given);
    CHECK(loggp.L == Approx(kL).epsilon(0.15));  // a difference
    CHECK(loggp.o_s == Approx(kOs).epsilon(0.04));
    CHECK(loggp.o_r == Approx(kOr).epsilon(0.04));
    CHECK(loggp.g == Approx(kGap).epsilon(0.05));
    CHECK(loggp.G == Approx(kG).epsilon(0.05));
    CHECK(derived<LogP>(given).g == loggp.g);
    CHECK(derived<LogGPS>(given).S == 16384);
    CHECK(derived<LogGPO>(given).O == Approx(0).margin(1e-5));
  }
}

TEST_CASE("derive: models over the message's time give it again") {
  const Readings given = readings(0, 1);
  for (const char* model : {"hockney", "hockney-table", "split-hockney", "piecewise", "plogp",
                            "lognp", "loggp", "loggps"}) {
    INFO(model);
    const Model found = derive(model, given);
    for (const Sample& sample : given.times())
      if (sample.bytes <= 16384)  // loggps: longer ones wait for the receiver
        CHECK(time_of(found, sample.bytes) == Approx(sample.value).epsilon(0.03));
  }
  // Parameters are read as they were written; this also requires a gap that covers the overheads.
  for (const std::string_view model : derivable())
    if (model != "logfp" && model != kFittedPLogP) {
      const Platform platform{.between = derive(model, given)};
      CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
    }
}

TEST_CASE("derive: tables go on beyond the largest size that was measured") {
  constexpr Bytes kLong = Bytes{1} << 30;
  for (const char* model : {"hockney-table", "plogp", "lognp"}) {
    INFO(model);
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const Model found = derive(model, readings(0.03, seed));
      CHECK(time_of(found, kLong) == Approx(kG * kLong).epsilon(0.15));
      // The gap covers the overheads here, too, or the parameters could not be read.
      const Platform platform{.between = found};
      CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
    }
  }
}

TEST_CASE("derive: LogfP from bursts to several peers") {
  Readings given = readings(0, 1);
  CHECK_THROWS_WITH(derive("logfp", given), Catch::Contains("three ranks"));
  const BurstOverhead o_s{0.5, 2.0};
  for (int n = 1; n <= 8; ++n)
    given.peers.push_back(
        {.o_s = o_s(n),
         .o_r = 1,
         .time = n <= 4 ? kL + n * o_s(n) + 1
                        : kL + o_s(n) + 1 + std::max((n - 1) * o_s(n), (n - 4) * kGap)});
  const auto logfp = derived<LogfP>(given);
  CHECK(logfp.f == 4);
  CHECK(logfp.o_s_min == Approx(0.5));
  CHECK(logfp.o_s_max == Approx(2.0));
  CHECK(logfp.o_r_max == Approx(1.0));
}

TEST_CASE("derive: the gap by the number of destinations, where it differs by more than noise") {
  Readings given = readings(0, 1);
  CHECK_FALSE(gap_by_destinations(given));
  const auto add = [&given](int n, double gap, double width) {
    given.destinations.push_back({n, gap, gap * (1 - width / 2), gap * (1 + width / 2)});
  };
  add(1, 2.0, 0.04);
  CHECK_FALSE(gap_by_destinations(given));
  add(2, 2.05, 0.04);
  add(4, 1.94, 0.001);  // sure to be another one, but by little
  add(8, 1.7, 0.4);     // or 2, by its interval
  CHECK_FALSE(gap_by_destinations(given));
  add(16, 1.0, 0.04);
  add(32, 0.1, 0.6);  // not sure enough
  add(64, -0.5, 0);
  add(65, 0.5, 0.04);
  const auto factor = gap_by_destinations(given);
  REQUIRE(factor);
  CHECK(factor->points() ==
        std::vector<Curve::Point>{{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 0.5}, {65, 0.25}});
  // It is read as it is written.
  Platform platform{.between = derive("loggp", given)};
  platform.gap_by_destinations.between = factor;
  CHECK(parse_platform(to_json(platform).dump()).gap_by_destinations.between == factor);
  // All are relative to the gap to one destination, which has to be known.
  given.destinations.front().low = -1;
  CHECK_FALSE(gap_by_destinations(given));
}

namespace {

// Readings of a PLogP machine, by OCC's formulas of tables 1 and 2, each off by up to `noise`.
Readings of_collectives(double noise, std::uint64_t seed) {
  Readings all = readings(noise, seed);
  Chance chance(seed);
  const auto noisy = [&](double time) { return time * (1 + noise * (2 * chance.uniform() - 1)); };
  for (const int P : {2, 3, 4, 8, 16}) {
    all.flat_barriers.push_back({P, 0, noisy(P * kGap + 2 * kL)});
    for (Bytes m = 1; m <= 1 << 20; m *= 16)
      all.chains.push_back({P, m, noisy((P - 1) * (kL + kGap + kG * static_cast<double>(m)))});
  }
  return all;
}

}  // namespace

TEST_CASE("derive: PLogP is fitted to barriers and chains (OCC 6.1)") {
  for (std::uint64_t seed = 0; seed <= 10; ++seed) {
    const double noise = seed == 0 ? 0 : 0.03;
    const Readings given = of_collectives(noise, seed);
    const auto fitted = std::get<PLogP>(derive(kFittedPLogP, given));
    CHECK(fitted.L == Approx(kL).epsilon(noise == 0 ? 1e-9 : 0.25));  // a difference
    CHECK(fitted.g(0) == Approx(kGap).epsilon(noise == 0 ? 1e-9 : 0.1));
    for (const Bytes m : {Bytes{4096}, Bytes{1} << 20, Bytes{1} << 30})
      CHECK(fitted.g(m) == Approx(kGap + kG * static_cast<double>(m)).epsilon(0.02 + 4 * noise));
    const auto direct = derived<PLogP>(given);
    CHECK(fitted.o_s(1024) == direct.o_s(1024));
    CHECK(fitted.o_r(1024) == direct.o_r(1024));
    const Platform platform{.between = fitted};
    CHECK(to_json(parse_platform(to_json(platform).dump())) == to_json(platform));
  }
}

TEST_CASE("derive: a fitted gap covers overheads of any size, and needs two numbers of ranks") {
  Readings given = of_collectives(0, 1);
  for (std::size_t i = 0; i < given.sizes.size(); ++i)
    given.sizes[i].o_s = i % 3 == 0 ? 50 : 2;  // spikes between the sizes of the chains
  const auto fitted = std::get<PLogP>(derive(kFittedPLogP, given));
  for (Bytes m = 0; m < 1 << 12; ++m) CHECK(fitted.g(m) >= fitted.o_s(m));
  Readings few = given;
  std::erase_if(few.flat_barriers, [](const auto& barrier) { return barrier.P > 2; });
  CHECK_THROWS_WITH(derive(kFittedPLogP, few), Catch::Contains("three ranks"));
  few = given;
  few.chains.clear();
  CHECK_THROWS_WITH(derive(kFittedPLogP, few), Catch::Contains("three ranks"));
  few = given;
  few.chains[0].time = 0;
  CHECK_THROWS_WITH(derive(kFittedPLogP, few), Catch::Contains("for 2 ranks and 1 bytes"));
}

TEST_CASE("derive: what cannot be derived is named") {
  CHECK_THROWS_WITH(derive("loggpp", readings(0, 1)), Catch::Contains("no model 'loggpp'"));
  Readings given = readings(0, 1);
  given.sizes[3].gap = 0;
  given.sizes[5].gap = -1;
  CHECK_THROWS_WITH(derive("loggp", given), Catch::Contains("g + (m-1)G does not converge") &&
                                                Catch::Contains("for 8, 32 bytes"));
  // Overheads that are more than half a round trip leave no latency, and not less than none.
  given = readings(0, 1);
  given.sizes[0].o_s = 100;
  CHECK(latency_of(given) == 0);
}
