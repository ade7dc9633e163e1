// Least squares, and the cutting of samples into ranges by dynamic programming. Pure.
#include "models/platform/fitting.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/error.hpp"

namespace tutti::models {
namespace {

constexpr std::size_t kFewestInRange = 3;
// Errors below this are noise, however well a line fits: without it two samples more would always
// make a range of their own.
constexpr double kNoise = 0.02;
// A line that is off by more at most sizes of its range says nothing about them.
constexpr double kFarOff = 0.5;

double square(double x) { return x * x; }

double squares(const Line& line, std::span<const Sample> samples) {
  double sum = 0;
  for (const Sample& sample : samples) sum += square(relative_error(line, sample));
  return sum;
}

// The best line through the origin, or the best constant.
Line through_origin(std::span<const Sample> samples) {
  double above = 0, below = 0;
  for (const Sample& s : samples) {
    const double x = static_cast<double>(s.bytes) / s.value;
    above += x;
    below += square(x);
  }
  return {0, below > 0 ? above / below : 0};
}
Line constant(std::span<const Sample> samples) {
  double above = 0, below = 0;
  for (const Sample& s : samples) {
    above += 1 / s.value;
    below += 1 / square(s.value);
  }
  return {above / below, 0};
}

[[noreturn]] void no_fit(std::string_view what, const std::string& why) {
  throw Error(Code::bad_configuration,
              fmt::format("the fit of {} does not converge: {}", what, why));
}

std::string sizes_of(const std::vector<Bytes>& sizes) {
  return fmt::format("{} bytes", fmt::join(sizes, ", "));
}

void must_be_usable(std::string_view what, std::span<const Sample> samples) {
  if (samples.size() < 2)
    no_fit(what, samples.empty()
                     ? "nothing was measured"
                     : fmt::format("there is one size only, {} bytes", samples[0].bytes));
  std::vector<Bytes> bad;
  for (const Sample& s : samples)
    if (!std::isfinite(s.value) || s.value <= 0) bad.push_back(s.bytes);
  if (!bad.empty()) no_fit(what, "no time above zero was measured for " + sizes_of(bad));
}

FittedRange fitted(std::span<const Sample> samples) {
  FittedRange range{samples.front().bytes, samples.back().bytes, fit_line(samples), {}, -1};
  for (const Sample& s : samples) {
    const double error = relative_error(range.line, s);
    if (error <= range.error) continue;
    range.worst = s;
    range.error = error;
  }
  return range;
}

void must_fit(std::string_view what, std::span<const Sample> samples) {
  const Line line = fit_line(samples);
  std::vector<Bytes> far;
  for (const Sample& s : samples)
    if (relative_error(line, s) > kFarOff) far.push_back(s.bytes);
  if (2 * far.size() > samples.size())
    no_fit(what,
           fmt::format("between {} and {} bytes the line is off by more than {:.0f} % at {}",
                       samples.front().bytes, samples.back().bytes, 100 * kFarOff, sizes_of(far)));
}

// The end of each range, for the partition into `count` ranges with the least sum of squares.
struct Partition {
  double squares = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> ends;
};

// By the number of ranges, from 1.
std::vector<Partition> partitions(std::span<const Sample> samples, std::size_t most) {
  const std::size_t n = samples.size();
  std::vector<std::vector<double>> cost(n + 1, std::vector<double>(n + 1));
  for (std::size_t begin = 0; begin < n; ++begin)
    for (std::size_t end = begin + 1; end <= n; ++end) {
      const auto part = samples.subspan(begin, end - begin);
      cost[begin][end] = squares(fit_line(part), part);
    }
  std::vector<Partition> best(n + 1), all;  // of the first so many samples
  for (std::size_t end = 1; end <= n; ++end) best[end] = {cost[0][end], {end}};
  all.push_back(best[n]);
  for (std::size_t count = 2; count <= most && count * kFewestInRange <= n; ++count) {
    std::vector<Partition> next(n + 1);
    for (std::size_t end = count * kFewestInRange; end <= n; ++end)
      for (std::size_t cut = (count - 1) * kFewestInRange; cut + kFewestInRange <= end; ++cut) {
        const double sum = best[cut].squares + cost[cut][end];
        if (sum >= next[end].squares) continue;
        next[end] = {sum, best[cut].ends};
        next[end].ends.push_back(end);
      }
    best = std::move(next);
    all.push_back(best[n]);
  }
  return all;
}

}  // namespace

double relative_error(const Line& line, const Sample& sample) noexcept {
  return std::abs(line(sample.bytes) - sample.value) / sample.value;
}

Line fit_line(std::span<const Sample> samples) {
  double w = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const Sample& s : samples) {
    const double weight = 1 / square(s.value), bytes = static_cast<double>(s.bytes);
    w += weight;
    x += weight * bytes;
    y += weight * s.value;
    xx += weight * bytes * bytes;
    xy += weight * bytes * s.value;
  }
  const double determinant = w * xx - x * x;
  if (determinant <= 1e-12 * w * xx) return constant(samples);  // one size
  const Line line{(y * xx - x * xy) / determinant, (w * xy - x * y) / determinant};
  if (line.at_zero >= 0 && line.per_byte >= 0) return line;
  const Line steep = through_origin(samples), flat = constant(samples);
  return squares(steep, samples) < squares(flat, samples) ? steep : flat;
}

std::vector<FittedRange> fit_ranges(std::string_view what, std::span<const Sample> samples,
                                    int most_ranges) {
  must_be_usable(what, samples);
  const auto n = static_cast<double>(samples.size());
  const auto all = partitions(samples, static_cast<std::size_t>(most_ranges));
  const Partition* best = nullptr;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < all.size(); ++i) {
    // Two numbers of each line, and the place of the cut.
    const double parameters = 3 * static_cast<double>(i + 1) - 1;
    const double criterion =
        n * std::log(all[i].squares / n + square(kNoise)) + parameters * std::log(n);
    if (criterion >= least) continue;
    least = criterion;
    best = &all[i];
  }
  std::vector<FittedRange> ranges;
  std::size_t begin = 0;
  for (const std::size_t end : best->ends) {
    const auto part = samples.subspan(begin, end - begin);
    must_fit(what, part);
    ranges.push_back(fitted(part));
    begin = end;
  }
  return ranges;
}

std::optional<Bytes> next_size(std::span<const Sample> samples, double tolerance) {
  std::optional<Bytes> found;
  double most = tolerance;
  for (std::size_t i = 1; i + 1 < samples.size(); ++i) {
    const Sample &before = samples[i - 1], &here = samples[i], &after = samples[i + 1];
    const double share = static_cast<double>(here.bytes - before.bytes) /
                         static_cast<double>(after.bytes - before.bytes);
    const double straight = before.value + share * (after.value - before.value);
    const double off = std::abs(here.value - straight) / std::max(here.value, 1e-12);
    if (off <= most) continue;
    const bool left = here.bytes * here.bytes > before.bytes * after.bytes;
    const Bytes low = left ? before.bytes : here.bytes, high = left ? here.bytes : after.bytes;
    if (high - low <= std::max<Bytes>(high / 4, 1)) continue;
    most = off;
    found = low + (high - low) / 2;
  }
  return found;
}

BurstOverhead fit_overhead(std::span<const double> means) {
  // A line in x = 1/n.
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (std::size_t i = 0; i < means.size(); ++i) {
    const double inverse = 1 / static_cast<double>(i + 1);
    n += 1;
    x += inverse;
    y += means[i];
    xx += square(inverse);
    xy += inverse * means[i];
  }
  const double determinant = n * xx - x * x;
  if (determinant <= 1e-12) return {y / n, y / n};
  const double slope = (n * xy - x * y) / determinant, at_infinity = (y - slope * x) / n;
  if (at_infinity < 0) return {0, xy / xx};
  return {at_infinity, std::max(0.0, at_infinity + slope)};
}

int fit_free_messages(std::span<const double> times, const BurstOverhead& o_s, double L, double o_r,
                      double g) {
  int best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (int f = 1; f <= static_cast<int>(times.size()); ++f) {
    double sum = 0;
    for (int n = 1; n <= static_cast<int>(times.size()); ++n) {
      const double time = n <= f ? L + n * o_s(n) + o_r
                                 : L + o_s(n) + o_r + std::max((n - 1) * o_s(n), (n - f) * g);
      sum += square(time / times[static_cast<std::size_t>(n - 1)] - 1);
    }
    if (sum >= least * (1 - 1e-9)) continue;
    least = sum;
    best = f;
  }
  return best;
}

}  // namespace tutti::models
