// Timing one collective at one size: Tutti and the surrounding MPI in turn in one run, after a
// check of the very call.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "collectives/schedule/problem.hpp"
#include "models/platform/json_text.hpp"
#include "models/platform/statistics.hpp"
#include "tools/bench/bench.hpp"
#include "tools/bench/job.hpp"
#include "tools/bench/traffic.hpp"

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

// As many calls as make a repetition last a millisecond, and not fewer than some: ranks that share
// a core leave the barrier one after another, which a single call would feel. Repetitions are
// given up first to stay within the limit. All ranks get one result.
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

struct WarmUp {
  double seconds;
  bool steady;
};

// Calls until their time is steady: connections are made and grow, memory is touched, caches fill,
// all of which makes later calls faster. Steady is a time that no batch has undercut for as long as
// it took to get there. All ranks get one result.
WarmUp make_steady(const Call& call, int calls, const BenchOptions& options, tutti_comm comm) {
  constexpr double kFaster = 0.95;
  const double most = options.seconds / 2, least = std::min(0.02, most);
  double elapsed = 0, fastest = 0, reached = 0;
  do {
    double seconds = batch(call, calls, comm);
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    elapsed += seconds;
    if (reached == 0 || seconds < kFaster * fastest) {
      fastest = seconds;
      reached = elapsed;
    } else if (elapsed >= std::max(2 * reached, least)) {
      return {elapsed, true};
    }
  } while (elapsed < most);
  return {elapsed, false};
}

// Apart from the timing.
void count_traffic(const Call& call, tutti_comm comm, Timing& timing) {
  constexpr int kCalls = 200;
  const int calls = timing.median > 2000 ? 20 : kCalls;
  // The last acknowledgements.
  const Call ends = [comm] { must(tutti_barrier(comm), "tutti_barrier"); };
  const Traffic sent = traffic_of(
      [&] {
        for (int i = 0; i < calls; ++i) call();
        ends();
      },
      ends, comm);
  if (!sent.known) return;
  timing.packets = sent.packets / calls;
  timing.bytes = sent.bytes / calls;
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

namespace {

// One of the calls that take turns.
struct Contender {
  Call call;
  Plan plan{0, 0};
  WarmUp warmed{0, false};
  std::vector<double> times{};  // microseconds a call, of each repetition

  // The time of the calls is known once they are warm.
  void prepare(const BenchOptions& options, tutti_comm comm) {
    call();
    warmed = make_steady(call, plan_for(call, options, comm).calls, options, comm);
    plan = plan_for(call, options, comm);
  }
  void take_turn(int repetition, tutti_comm comm) {
    if (repetition < plan.repetitions)
      times.push_back(batch(call, plan.calls, comm) * 1e6 / plan.calls);
  }
  Timing result(tutti_comm comm) {
    Timing timing = timing_of(std::move(times), plan.calls);
    timing.warm_up_ms = warmed.seconds * 1e3;
    timing.steady = warmed.steady;
    count_traffic(call, comm, timing);
    return timing;
  }
};

}  // namespace

Timing measure_barrier(const BenchOptions& options, tutti_comm comm) {
  Contender barrier{[comm] { must(tutti_barrier(comm), "tutti_barrier"); }};
  barrier.prepare(options, comm);
  for (int i = 0; i < barrier.plan.repetitions; ++i) barrier.take_turn(i, comm);
  return timing_of(std::move(barrier.times), barrier.plan.calls);
}

BenchRow measure(const BenchOptions& options, const std::string& collective, std::int64_t bytes,
                 tutti_comm comm) {
  Job job(collective, bytes, options.root, MPI_COMM_WORLD, comm, options.type, options.v_form,
          options.form);
  std::optional<Job> plain_job;
  if (!options.type.constructor.empty() || options.form != CallForm::blocking)
    plain_job.emplace(collective, bytes, options.root, MPI_COMM_WORLD, comm, TypeWish{},
                      options.v_form);
  if (options.check) check(job);
  if (options.check && plain_job) check(*plain_job);
  Contender tutti{[&] { job.run_tutti(); }}, mpi{[&] { job.run_mpi(); }},
      plain{[&] { plain_job->run_tutti(); }};
  std::vector<Contender*> all{&tutti};
  if (options.with_mpi) all.push_back(&mpi);
  if (plain_job) all.push_back(&plain);
  int repetitions = 0;
  for (Contender* const one : all) {
    one->prepare(options, comm);
    repetitions = std::max(repetitions, one->plan.repetitions);
  }
  for (int i = 0; i < repetitions; ++i)
    for (Contender* const one : all) one->take_turn(i, comm);
  BenchRow row;
  row.collective = collective;
  row.bytes = bytes;
  row.tutti = tutti.result(comm);
  if (options.with_mpi) row.mpi = mpi.result(comm);
  if (plain_job) row.plain = plain.result(comm);
  note_algorithm(row, comm);
  return row;
}

void note_algorithm(BenchRow& row, tutti_comm comm) {
  const auto facts = models::parse_json(describe(comm));
  const auto& last = facts["communicator"]["collectives"][row.collective];
  row.algorithm = last.value("algorithm", "?");
  row.digest = last.value("digest", "?");
}

}  // namespace tutti::tools
