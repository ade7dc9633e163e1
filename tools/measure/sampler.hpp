// Repetition: until the medians are known well, or the time is used up.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include "models/platform/statistics.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

// The interval of a median is narrow if it is this share of it.
inline constexpr double kNarrow = 0.05;

// The microseconds since then.
double since(std::chrono::steady_clock::time_point begin);

// The microseconds of a call, less what reading the clock takes.
double timed(const std::function<void()>& call);

// All members of the communicator take part; what is measured, its rank 0 measures.
class Sampler {
 public:
  // `batch`: microseconds of calls that are timed together at least; by default so many that the
  // clock is exact enough.
  Sampler(tutti_comm comm, double seconds, double batch = 100)
      : comm_(comm), seconds_(seconds), batch_(batch) {}
  // The microseconds of so many calls, one entry for each quantity.
  using Batch = std::function<std::vector<double>(int calls)>;
  // The medians of one call, one for each quantity; meaningful at rank 0 only.
  std::vector<models::Median> sample(const Batch& batch);
  int agreed(int value);  // rank 0's

 private:
  const tutti_comm comm_;
  const double seconds_;  // for each sample
  const double batch_;
};

}  // namespace tutti::tools
