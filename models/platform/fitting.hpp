// Lines through measured points, the sizes at which they change, and where to measure next. Pure.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace tutti::models {

struct Sample {
  Bytes bytes = 0;
  double value = 0;
};

struct Line {
  double at_zero = 0, per_byte = 0;
  double operator()(Bytes bytes) const noexcept {
    return at_zero + per_byte * static_cast<double>(bytes);
  }
};

// The line with the least sum of squared relative errors; neither number is below zero. At least
// one sample; values above zero.
Line fit_line(std::span<const Sample> samples);

// How far the line is off, as a share of the value.
double relative_error(const Line& line, const Sample& sample) noexcept;

// A range of sizes in which one line fits.
struct FittedRange {
  Bytes least = 0, most = 0;  // the first and the last size that was measured in it
  Line line;
  Sample worst;      // the sample that the line fits least
  double error = 0;  // relative_error() there
};

// Cuts the samples (ascending in bytes) into ranges where another line begins: a range more must
// pay for itself (Bayesian information criterion), and has three samples at least. Throws
// Error{bad_configuration}, which begins with `what` and names the sizes, if there are fewer than
// two samples, a value is not above zero, or the lines are far off in most of a range.
std::vector<FittedRange> fit_ranges(std::string_view what, std::span<const Sample> samples,
                                    int most_ranges = 6);

// The size between two samples (ascending) at which the curve bends most: where a sample is off
// the straight line between its neighbours by more than `tolerance`, the middle of its wider side.
// Nothing: the curve is straight enough, or its neighbours are closer than a quarter of their size.
std::optional<Bytes> next_size(std::span<const Sample> samples, double tolerance);

// The number of messages that are free of the gap (LogfP, IB §4.3.2): `times` has, for n = 1, 2, …
// peers, the time until the last one has its message. The least f for which
//   L + n·o_s(n) + o_r                                   n ≤ f
//   L + o_s(n) + o_r + max{(n−1)·o_s(n), (n−f)·g}        n > f
// is nearest; `o_s` as the model has it: the first message `most`, each further one `least`.
struct BurstOverhead {
  double least = 0, most = 0;
  double operator()(int n) const noexcept { return least + (most - least) / n; }
};
// Least squares through the mean overhead of n messages, for n = 1, 2, ….
BurstOverhead fit_overhead(std::span<const double> means);
int fit_free_messages(std::span<const double> times, const BurstOverhead& o_s, double L, double o_r,
                      double g);

}  // namespace tutti::models
