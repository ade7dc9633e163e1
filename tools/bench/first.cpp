// The cost of first calls, on connections that Tutti has not made yet and a communicator that the
// MPI has not used yet: a batch of them, the first of which are timed one by one, then batches of
// as many, in turn.
#include <mpi.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "models/platform/json_text.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"
#include "tools/bench/traffic.hpp"

namespace tutti::tools {
namespace {

// Duplicates MPI_COMM_WORLD.
class FreshComm {
 public:
  FreshComm() { MPI_Comm_dup(MPI_COMM_WORLD, &comm_); }
  ~FreshComm() { MPI_Comm_free(&comm_); }
  FreshComm(const FreshComm&) = delete;
  FreshComm& operator=(const FreshComm&) = delete;
  MPI_Comm get() const noexcept { return comm_; }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

// Makes `calls` calls in batches. Ranks meet in the MPI before each batch, since a barrier of Tutti
// would make connections.
class Beginner {
 public:
  Beginner(std::function<void()> call, int calls) : call_(std::move(call)), calls_(calls) {}

  void begin(tutti_comm comm) {
    std::vector<double> each(static_cast<std::size_t>(std::min(calls_, kTimed)));
    std::optional<double> mean;
    const Traffic sent = traffic_of([&] { mean = run(each); }, meet, comm);
    if (!mean) mean = run(each);  // nothing counts
    first_.batch = timing_of({*mean}, calls_);
    add(sent, first_.batch);
    MPI_Allreduce(MPI_IN_PLACE, each.data(), static_cast<int>(each.size()), MPI_DOUBLE, MPI_MAX,
                  MPI_COMM_WORLD);
    first_.each = std::move(each);
  }
  void go_on() { later_.push_back(run({})); }
  FirstCalls first() const { return first_; }
  Timing later(tutti_comm comm) {
    Timing timing = timing_of(later_, calls_);
    add(traffic_of([this] { run({}); }, meet, comm), timing);
    return timing;
  }

 private:
  static void meet() { MPI_Barrier(MPI_COMM_WORLD); }
  void add(const Traffic& sent, Timing& timing) const {
    if (!sent.known) return;
    timing.packets = sent.packets / calls_;
    timing.bytes = sent.bytes / calls_;
  }
  // Calls that are timed one by one. Not all: in a virtual machine it may take longer to read the
  // clock than to call.
  static constexpr int kTimed = 8;
  // Makes all calls. Returns microseconds a call, and those of each of the first ones in `each`.
  double run(std::span<double> each) {
    meet();
    const double begin = MPI_Wtime();
    double now = begin;
    for (double& microseconds : each) {
      const double before = now;
      call_();
      now = MPI_Wtime();
      microseconds = (now - before) * 1e6;
    }
    const int rest = calls_ - static_cast<int>(each.size());
    for (int i = 0; i < rest; ++i) call_();
    if (rest > 0) now = MPI_Wtime();
    return (now - begin) * 1e6 / calls_;
  }

  std::function<void()> call_;
  int calls_;
  FirstCalls first_;
  std::vector<double> later_;
};

}  // namespace

BenchRow measure_first(const BenchOptions& options, const std::string& collective,
                       std::int64_t bytes, tutti_comm comm) {
  constexpr int kFewestBatches = 5;
  const FreshComm fresh;
  Job job(collective, bytes, options.root, fresh.get(), comm, options.type);
  std::vector<Beginner> all;
  all.emplace_back([&job] { job.run_tutti(); }, options.first);
  if (options.with_mpi) all.emplace_back([&job] { job.run_mpi(); }, options.first);
  for (Beginner& one : all) one.begin(comm);
  const double begin = MPI_Wtime();
  int go_on = 1;
  for (int batch = 1; batch < std::max(options.repetitions, kFewestBatches) && go_on != 0;
       ++batch) {
    for (Beginner& one : all) one.go_on();
    const double most = options.seconds * static_cast<double>(all.size());
    go_on = batch < kFewestBatches || MPI_Wtime() - begin < most ? 1 : 0;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  BenchRow row;
  row.collective = collective;
  row.bytes = bytes;
  row.first = all.front().first();
  row.tutti = all.front().later(comm);
  if (options.with_mpi) {
    row.mpi_first = all.back().first();
    row.mpi = all.back().later(comm);
  }
  note_algorithm(row, comm);
  if (options.check) check(job);  // the very first calls were to be timed
  return row;
}

}  // namespace tutti::tools
