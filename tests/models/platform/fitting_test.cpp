// Fits find the parameters from which the data were made, with noise, and say where they do not.
#include "models/platform/fitting.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "models/simulation/chance.hpp"
#include "models/platform/statistics.hpp"

using namespace tutti;
using namespace tutti::models;

namespace {

std::vector<Sample> samples_of(const std::function<double(Bytes)>& time, double noise,
                               std::uint64_t seed, Bytes most = 1 << 20) {
  Chance chance(seed);
  std::vector<Sample> all;
  for (Bytes m = 1; m <= most; m *= 2)
    all.push_back({m, time(m) * (1 + noise * (2 * chance.uniform() - 1))});
  return all;
}

std::string complaint(const std::vector<Sample>& samples) {
  try {
    fit_ranges("the gap", samples);
    return "none";
  } catch (const Error& error) {
    return error.message;
  }
}

}  // namespace

TEST_CASE("fitting: a line is found again under noise") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto samples =
        samples_of([](Bytes m) { return 3 + 0.002 * static_cast<double>(m); }, 0.05, seed);
    const Line line = fit_line(samples);
    CHECK(line.at_zero == Approx(3).epsilon(0.05));
    CHECK(line.per_byte == Approx(0.002).epsilon(0.05));
    CHECK(fit_ranges("it", samples).size() == 1);
  }
}

TEST_CASE("fitting: the sizes where the protocol changes are found") {
  const auto time = [](Bytes m) {
    const auto bytes = static_cast<double>(m);
    return m <= 1024 ? 2 + 0.004 * bytes : m <= 65536 ? 9 + 0.001 * bytes : 60 + 0.0005 * bytes;
  };
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("seed " << seed);
    const auto ranges = fit_ranges("it", samples_of(time, 0.03, seed));
    REQUIRE(ranges.size() == 3);
    CHECK(ranges[0].most == 1024);
    CHECK(ranges[1].least == 2048);
    CHECK(ranges[1].most == 65536);
    CHECK(ranges[0].line.at_zero == Approx(2).epsilon(0.05));
    CHECK(ranges[1].line.at_zero == Approx(9).epsilon(0.1));
    CHECK(ranges[1].line.per_byte == Approx(0.001).epsilon(0.1));
    CHECK(ranges[2].line.per_byte == Approx(0.0005).epsilon(0.1));
    CHECK(ranges[0].error < 0.06);
  }
}

TEST_CASE("fitting: no number is below zero") {
  const std::vector<Sample> falling = {{1, 10}, {1000, 9}, {2000, 8}};
  CHECK(fit_line(falling).per_byte == 0);
  const std::vector<Sample> steep = {{100, 1}, {200, 4}, {300, 9}};
  CHECK(fit_line(steep).at_zero == 0);
  CHECK(fit_line(steep).per_byte > 0);
}

TEST_CASE("fitting: what does not converge names the sizes") {
  CHECK_THAT(complaint({}), Catch::Contains("the fit of the gap does not converge: nothing"));
  CHECK_THAT(complaint({{64, 1}}), Catch::Contains("one size only, 64 bytes"));
  CHECK_THAT(complaint({{8, 1}, {64, 0}, {512, -1}}), Catch::Contains("for 64, 512 bytes"));
  // Up and down by factors: no line is near most of them.
  CHECK_THAT(complaint({{8, 1}, {16, 100}, {32, 1e-3}, {64, 100}, {128, 1e-3}}),
             Catch::Contains("off by more than 50 % at") && Catch::Contains("16, ") &&
                 Catch::Contains("between 8 and 128 bytes"));
}

TEST_CASE("fitting: the next size is where the curve bends") {
  const auto time = [](Bytes m) { return m <= 3000 ? 1.0 : 10.0; };
  std::vector<Sample> samples;
  for (Bytes m = 1; m <= 1 << 20; m *= 4) samples.push_back({m, time(m)});
  for (int i = 0; i < 100; ++i) {
    const auto size = next_size(samples, 0.1);
    if (!size) break;
    const auto at = std::find_if(samples.begin(), samples.end(),
                                 [&](const Sample& s) { return s.bytes > *size; });
    REQUIRE(std::prev(at)->bytes < *size);
    samples.insert(at, {*size, time(*size)});
  }
  CHECK(samples.size() < 24);
  Bytes last = 0, first = 0;
  for (const Sample& s : samples)
    if (s.value < 5)
      last = s.bytes;
    else if (first == 0)
      first = s.bytes;
  CHECK(first - last <= first / 4);
  CHECK_FALSE(next_size(std::vector<Sample>{{1, 1}, {1000, 2}}, 0.1));
}

TEST_CASE("fitting: LogfP's overheads and free messages are found again") {
  const BurstOverhead truth{0.5, 2.0};
  std::vector<double> means;
  for (int n = 1; n <= 8; ++n) means.push_back(truth(n));
  const BurstOverhead found = fit_overhead(means);
  CHECK(found.least == Approx(0.5));
  CHECK(found.most == Approx(2.0));
  CHECK(fit_overhead(std::vector<double>{3}).least == Approx(3));

  for (int f = 1; f <= 6; ++f) {
    Chance chance(static_cast<std::uint64_t>(f));
    std::vector<double> times;
    for (int n = 1; n <= 10; ++n) {
      const double time = n <= f ? 5 + n * truth(n) + 1
                                 : 5 + truth(n) + 1 + std::max((n - 1) * truth(n), (n - f) * 3.0);
      times.push_back(time * (1 + 0.005 * chance.uniform()));
    }
    INFO("f = " << f);
    CHECK(fit_free_messages(times, truth, 5, 1, 3) == f);
  }
}

TEST_CASE("statistics: the median, its interval, and outliers") {
  std::vector<double> values;
  for (int i = 1; i <= 99; ++i) values.push_back(i);
  Median median = median_of(values);
  CHECK(median.value == 50);
  CHECK(median.low == 40);  // the binomial quantile for 99 values
  CHECK(median.high == 60);
  CHECK(median.outliers == 0);
  values.back() = 1e6;
  values.front() = -1e6;
  median = median_of(values);
  CHECK(median.value == 50);
  CHECK(median.outliers == 2);
  CHECK(median_of({4}).low == 4);
  CHECK(median_of({4, 2}).value == 3);

  // The interval holds the true median about as often as it says.
  int held = 0;
  constexpr int kTimes = 2000;
  Chance chance(7);
  for (int i = 0; i < kTimes; ++i) {
    std::vector<double> some(21);
    for (double& value : some) value = chance.exponential();
    const Median m = median_of(some);
    held += m.low <= std::log(2.0) && std::log(2.0) <= m.high ? 1 : 0;
  }
  CHECK(held > 0.94 * kTimes);
}
