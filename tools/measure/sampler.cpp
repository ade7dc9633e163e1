// Times batches of calls, which all ranks begin together.
#include "tools/measure/sampler.hpp"

#include <algorithm>
#include <chrono>

#include "tools/bench/bench.hpp"

namespace tutti::tools {
namespace {

using Clock = std::chrono::steady_clock;

// The time of reading the clock twice.
double clock_cost() {
  static const double cost = [] {
    std::vector<double> all(101);
    for (double& one : all) one = since(Clock::now());
    return models::median_of(all).value;
  }();
  return cost;
}

}  // namespace

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

double timed(const std::function<void()>& call) {
  const auto begin = Clock::now();
  call();
  return std::max(0.0, since(begin) - clock_cost());
}

int Sampler::agreed(int value) {
  must(tutti_bcast(&value, 1, MPI_INT, 0, comm_), "tutti_bcast");
  return value;
}

std::vector<models::Median> Sampler::sample(const Batch& batch) {
  constexpr int kMostCalls = 16384, kFewest = 11, kMost = 201;
  const auto begin = Clock::now();
  int calls = 1;
  batch(1);  // connects
  while (agreed(timed([&] { batch(calls); }) < batch_ && calls < kMostCalls ? 1 : 0) != 0)
    calls *= 2;
  std::vector<std::vector<double>> times;
  std::vector<models::Median> medians;
  for (int go_on = 1; go_on != 0;) {
    must(tutti_barrier(comm_), "tutti_barrier");
    const auto taken = batch(calls);
    times.resize(taken.size());
    medians.resize(taken.size());
    bool narrow = true;
    for (std::size_t i = 0; i < taken.size(); ++i) {
      times[i].push_back(taken[i] / calls);
      medians[i] = models::median_of(times[i]);
      narrow = narrow && medians[i].width() <= kNarrow;
    }
    const auto count = static_cast<int>(times[0].size());
    const bool over = since(begin) > seconds_ * 1e6;
    go_on = count < models::kFewestForInterval || (count < kFewest && !over) ||
                    (!narrow && !over && count < kMost)
                ? 1
                : 0;
    go_on = agreed(go_on);
  }
  return medians;
}

}  // namespace tutti::tools
