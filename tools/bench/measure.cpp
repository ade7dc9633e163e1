// Timing one collective at one size: Tutti and the surrounding MPI in turn in one run, after a
// check of the very call.
#include <fmt/format.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "collectives/schedule/problem.hpp"
#include "models/json_text.hpp"
#include "models/statistics.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"

namespace tutti::tools {
namespace {

using Call = std::function<void()>;

// Seconds of `calls` calls, begun together.
double batch(const Call& call, int calls, tutti_comm comm) {
  must(tutti_barrier(comm), "tutti_barrier");
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call();
  return MPI_Wtime() - begin;
}

struct Plan {
  int calls, repetitions;
};

// So many calls that a repetition lasts a millisecond at least, and not fewer than some: ranks that
// share a core leave the barrier one after another, which a single call would feel. Repetitions are
// given up first to stay within the limit. The same on all ranks.
Plan plan_for(const Call& call, const BenchOptions& options, tutti_comm comm) {
  constexpr int kFewestCalls = 8, kFewestRepetitions = 7;
  double first = batch(call, 1, comm);
  first = std::min(first, batch(call, 2, comm) / 2);
  MPI_Bcast(&first, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);  // all ranks make the same number of calls
  if (first < 2e-4) first = batch(call, 20, comm) / 20;
  const double calls =
      std::clamp(1e-3 / std::max(first, 1e-9), static_cast<double>(kFewestCalls), 20000.0);
  const double repetitions =
      std::min<double>(options.repetitions, options.seconds / (first * calls));
  int numbers[2] = {static_cast<int>(calls),
                    std::max(kFewestRepetitions, static_cast<int>(repetitions))};
  if (first * calls * kFewestRepetitions > options.seconds)
    numbers[0] = std::max(1, static_cast<int>(options.seconds / (first * kFewestRepetitions)));
  MPI_Bcast(numbers, 2, MPI_INT, 0, MPI_COMM_WORLD);
  return {numbers[0], numbers[1]};
}

struct Counters {
  double packets = 0, bytes = 0;
  bool present = false;
};

// Sent packets and bytes of all devices that the ranks use, each device once.
Counters read_counters(tutti_comm comm) {
  usleep(
      20'000);  // the kernel answers with what it has read before for 10 ms (hw_counters/lifespan)
  const auto facts = models::parse_json(describe(comm));
  struct Entry {
    char where[320];
    double packets, bytes;
    int present;
  } mine{};
  if (facts.contains("counters") && facts["counters"].contains("sent_pkts")) {
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    std::snprintf(mine.where, sizeof mine.where, "%s/%s", host,
                  facts["device"]["name"].get<std::string>().c_str());
    mine.packets = facts["counters"]["sent_pkts"].get<double>();
    mine.bytes = facts["counters"].value("sent_bytes", 0.0);
    mine.present = 1;
  }
  int P = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &P);
  std::vector<Entry> all(static_cast<std::size_t>(P));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, MPI_COMM_WORLD);
  Counters sum;
  std::set<std::string> seen;
  for (const Entry& e : all)
    if (e.present && seen.insert(e.where).second)
      sum = {sum.packets + e.packets, sum.bytes + e.bytes, true};
  return sum;
}

// Apart from the timing. What the counting itself sends (MPI over the same device) is measured by
// an empty run and taken off.
void count_traffic(const Call& call, tutti_comm comm, Timing& timing) {
  constexpr int kCalls = 200;
  const auto run = [&](int calls) {
    MPI_Barrier(MPI_COMM_WORLD);
    const Counters before = read_counters(comm);
    for (int i = 0; i < calls; ++i) call();
    must(tutti_barrier(comm), "tutti_barrier");  // the last acknowledgements
    MPI_Barrier(MPI_COMM_WORLD);
    const Counters after = read_counters(comm);
    return Counters{after.packets - before.packets, after.bytes - before.bytes, before.present};
  };
  const Counters empty = run(0);
  if (!empty.present) return;
  const int calls = timing.median > 2000 ? 20 : kCalls;
  const Counters full = run(calls);
  timing.packets = (full.packets - empty.packets) / calls;
  timing.bytes = (full.bytes - empty.bytes) / calls;
}

}  // namespace

void warm_up(const BenchOptions& options, tutti_comm comm) {
  constexpr double kSeconds = 0.1;
  int go_on = 1;
  for (const double begin = MPI_Wtime(); go_on != 0;) {
    for (int i = 0; i < 20; ++i) {
      must(tutti_barrier(comm), "tutti_barrier");
      if (options.with_mpi) MPI_Barrier(MPI_COMM_WORLD);
    }
    go_on = MPI_Wtime() - begin < kSeconds ? 1 : 0;
    MPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

Timing timing_of(std::vector<double> microseconds, int calls) {
  MPI_Allreduce(MPI_IN_PLACE, microseconds.data(), static_cast<int>(microseconds.size()),
                MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const models::Median median = models::median_of(std::move(microseconds));
  Timing timing;
  timing.median = median.value;
  timing.low = median.low;
  timing.high = median.high;
  timing.repetitions = median.count;
  timing.calls = calls;
  return timing;
}

void must(int code, const char* call) {
  if (code != TUTTI_SUCCESS)
    throw Error(
        static_cast<Code>(code),
        fmt::format("{}: {} ({})", call, tutti_last_error_message(), tutti_error_string(code)));
}

std::string describe(tutti_comm comm) {
  std::size_t needed = 0;
  must(tutti_describe(comm, nullptr, 0, &needed), "tutti_describe");
  std::string text(needed + 4096, '\0');
  must(tutti_describe(comm, text.data(), text.size(), &needed), "tutti_describe");
  text.resize(std::strlen(text.c_str()));
  return text;
}

BenchRow measure(const BenchOptions& options, const std::string& collective, std::int64_t bytes,
                 tutti_comm comm) {
  Job job(collective, bytes, options.root, MPI_COMM_WORLD, comm);
  if (options.check) check(job);
  const Call tutti = [&] { job.run_tutti(); }, mpi = [&] { job.run_mpi(); };
  tutti();
  const Plan tutti_plan = plan_for(tutti, options, comm);
  Plan mpi_plan{0, 0};
  if (options.with_mpi) {
    mpi();
    mpi_plan = plan_for(mpi, options, comm);
  }
  std::vector<double> tutti_times, mpi_times;
  for (int i = 0; i < std::max(tutti_plan.repetitions, mpi_plan.repetitions); ++i) {
    if (i < tutti_plan.repetitions)
      tutti_times.push_back(batch(tutti, tutti_plan.calls, comm) * 1e6 / tutti_plan.calls);
    if (i < mpi_plan.repetitions)
      mpi_times.push_back(batch(mpi, mpi_plan.calls, comm) * 1e6 / mpi_plan.calls);
  }
  BenchRow row;
  row.collective = collective;
  row.bytes = bytes;
  row.tutti = timing_of(std::move(tutti_times), tutti_plan.calls);
  count_traffic(tutti, comm, row.tutti);
  if (options.with_mpi) {
    row.mpi = timing_of(std::move(mpi_times), mpi_plan.calls);
    count_traffic(mpi, comm, *row.mpi);
  }
  const auto facts = models::parse_json(describe(comm));
  const auto& last = facts["communicator"]["collectives"][collective];
  row.algorithm = last.value("algorithm", "?");
  row.digest = last.value("digest", "?");
  return row;
}

}  // namespace tutti::tools
