// How much of a non-blocking call is hidden behind a computation that takes as long as the call.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <ctime>
#include <functional>

#include "models/platform/statistics.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"
#include "tools/text.hpp"

namespace tutti::tools {
namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Computes for so many seconds of this thread's processor time, so that ranks which share a core do
// not compute at the same time for nothing; looks up from it about twenty times if `look` is there.
void compute(double seconds, const std::function<void()>& look) {
  constexpr int kLooks = 20;
  volatile double x = 1;
  const double begin = cpu_seconds();
  int looks = 0;
  for (double elapsed = 0; elapsed < seconds; elapsed = cpu_seconds() - begin) {
    for (int i = 0; i < 200; ++i) x = x * 1.0000001 + 1e-9;
    if (!look || elapsed * kLooks < looks * seconds) continue;
    look();
    ++looks;
  }
}

// The rank's work between the beginning of a call and the wait for its end.
enum class Between { nothing, computing, computing_and_tests };

class Side {
 public:
  Side(Job& job, bool of_mpi) : job_(job), of_mpi_(of_mpi) {}

  // Medians of the slowest rank's time.
  HiddenShares measure(int calls) {
    HiddenShares shares;
    between_ = Between::nothing;
    const double alone = median(calls, [this] { run(); });
    seconds_ = alone;
    const double work = median(calls, [this] { compute(seconds_, nullptr); });
    shares.microseconds = alone * 1e6;
    between_ = Between::computing;
    shares.untested = share(alone, work, median(calls, [this] { run(); }));
    between_ = Between::computing_and_tests;
    shares.tested = share(alone, work, median(calls, [this] { run(); }));
    return shares;
  }

 private:
  static double share(double call, double work, double together) {
    return std::clamp((call + work - together) / call, 0.0, 1.0);
  }
  static double median(int calls, const std::function<void()>& one) {
    std::vector<double> times;
    for (int i = 0; i < calls; ++i) {
      MPI_Barrier(MPI_COMM_WORLD);
      const double begin = MPI_Wtime();
      one();
      times.push_back(MPI_Wtime() - begin);
    }
    MPI_Allreduce(MPI_IN_PLACE, times.data(), calls, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return models::median_of(std::move(times)).value;
  }
  void run() {
    if (of_mpi_) {
      job_.mpi_call.between = [this](MPI_Request* request) {
        pass([request] {
          int done = 0;
          MPI_Test(request, &done, MPI_STATUS_IGNORE);
        });
      };
      job_.run_mpi();
    } else {
      job_.call.between = [this](tutti_request* request) {
        pass([request] {
          int done = 0;
          must(tutti_test(request, &done), "tutti_test");
        });
      };
      job_.run_tutti();
    }
  }
  void pass(const std::function<void()>& test) {
    if (between_ == Between::nothing) return;
    compute(seconds_, between_ == Between::computing ? std::function<void()>() : test);
  }

  Job& job_;
  const bool of_mpi_;
  Between between_ = Between::nothing;
  double seconds_ = 0;
};

}  // namespace

OverlapRow measure_overlap(const BenchOptions& options, const std::string& collective,
                           std::int64_t bytes, tutti_comm comm) {
  Job job(collective, bytes, options.root, MPI_COMM_WORLD, comm, options.type, VForm::none,
          CallForm::non_blocking);
  if (options.check) check(job);
  OverlapRow row{collective, bytes, Side(job, false).measure(options.repetitions), {}};
  if (options.with_mpi) row.mpi = Side(job, true).measure(options.repetitions);
  return row;
}

void print_overlap_row(const OverlapRow& row, bool first) {
  if (first)
    fmt::print(
        "\n{}, begun, then a computation as long as the call, then the wait\n"
        "{:>9}  {:>9} {:>9} {:>9}  {:>9} {:>9} {:>9}\n",
        row.collective, "size", "Tutti us", "hidden", "tests", "MPI us", "hidden", "tests");
  const auto text = [](const HiddenShares& s) {
    return fmt::format("{:>9} {:>8.0f}% {:>8.0f}%", column_text(s.microseconds), s.untested * 100,
                       s.tested * 100);
  };
  fmt::print("{:>9}  {}  {}\n", row.collective == "barrier" ? "-" : size_text(row.bytes),
             text(row.tutti), row.mpi ? text(*row.mpi) : "");
  std::fflush(stdout);
}

}  // namespace tutti::tools
