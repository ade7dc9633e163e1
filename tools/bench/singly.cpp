// Calls that are timed one by one, under circumstances that a loop over one buffer hides: each with
// a fresh buffer, or with one rank that comes late.
#include <mpi.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "models/platform/statistics.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"

namespace tutti::tools {
namespace {

// Buffers that were used stay allocated for a while, so that a new one has another address, also
// after a registration of the old one was dropped.
class FreshBuffers {
 public:
  void give(std::vector<unsigned char>& buffer) {
    std::vector<unsigned char> fresh(buffer.size());
    held_ += buffer.size();
    used_.push_back(std::exchange(buffer, std::move(fresh)));
    for (; held_ > kMost && used_.size() > 2; used_.pop_front()) held_ -= used_.front().size();
  }

 private:
  static constexpr std::size_t kMost = std::size_t{32} << 20;
  std::deque<std::vector<unsigned char>> used_;
  std::size_t held_ = 0;
};

class SingleCalls {
 public:
  SingleCalls(Job& job, std::function<void()> call, bool cold)
      : job_(job), call_(std::move(call)), cold_(cold) {}

  // How late the late rank is: so many times what a call takes when all come together.
  void prepare(double late) {
    constexpr int kCalls = 15;
    std::vector<double> times;
    times.reserve(kCalls);
    for (int i = 0; i < kCalls; ++i) times.push_back(seconds_of_one(-1));
    MPI_Allreduce(MPI_IN_PLACE, times.data(), kCalls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    delay_ = late * models::median_of(std::move(times)).value;
  }

  // The ranks are late in turn. The time from the late rank's arrival on counts.
  void add(int number) {
    const int late = delay_ > 0 ? number % job_.P : -1;
    microseconds_.push_back((seconds_of_one(late) - delay_) * 1e6);
  }

  Timing result() { return timing_of(std::move(microseconds_), 1); }

 private:
  // From when this rank is told that all are there to the end of its call.
  double seconds_of_one(int late_rank) {
    if (cold_) {
      send_.give(job_.send);
      receive_.give(job_.receive);
    }
    must(tutti_barrier(job_.comm), "tutti_barrier");
    const double begin = MPI_Wtime();
    while (late_rank == job_.rank && MPI_Wtime() - begin < delay_) {
    }
    call_();
    return MPI_Wtime() - begin;
  }

  Job& job_;
  const std::function<void()> call_;
  const bool cold_;
  FreshBuffers send_, receive_;
  double delay_ = 0;  // seconds
  std::vector<double> microseconds_;
};

}  // namespace

BenchRow measure_singly(const BenchOptions& options, const std::string& collective,
                        std::int64_t bytes, tutti_comm comm) {
  Job job(collective, bytes, options.root, MPI_COMM_WORLD, comm, options.type, options.v_form);
  if (options.check) check(job);
  std::vector<SingleCalls> sides;
  sides.reserve(2);
  sides.emplace_back(
      job, [&job] { job.run_tutti(); }, options.cold);
  if (options.with_mpi)
    sides.emplace_back(
        job, [&job] { job.run_mpi(); }, options.cold);
  for (SingleCalls& side : sides) side.prepare(options.late);
  // A single call feels more than a batch of them.
  constexpr int kTimesAsMany = 8;
  for (int i = 0; i < kTimesAsMany * options.repetitions; ++i)
    for (SingleCalls& side : sides) side.add(i);
  BenchRow row;
  row.collective = collective;
  row.bytes = bytes;
  row.tutti = sides.front().result();
  if (options.with_mpi) row.mpi = sides.back().result();
  note_algorithm(row, comm);
  return row;
}

}  // namespace tutti::tools
