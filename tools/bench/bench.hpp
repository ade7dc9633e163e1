// The measurements of the bench and its parts: command.cpp reads the command line, measure.cpp
// times, report.cpp prints, plot.cpp draws.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/platform/statistics.hpp"
#include "tools/bench/forms.hpp"
#include "tools/bench/layouts.hpp"
#include "tools/bench/v_forms.hpp"
#include "tools/busy.hpp"
#include "tutti/tutti.h"

namespace tutti::tools {

struct BenchOptions {
  std::vector<std::string> collectives;  // empty: some
  // Bytes as the user wrote them; empty: powers of four from least to most.
  std::vector<std::string> sizes;
  std::string least = "8", most = "1M";
  int repetitions = 21;
  double seconds = 1.0;  // at most, for each library and point
  int root = 0;
  int first = 0;  // how many calls on fresh connections are a batch; 0: measure warm calls
  bool check = true, with_mpi = true, raw = false, kernels = false, overlap = false;
  bool cold = false;  // each call has fresh buffers
  double late = 0;    // one rank comes late, by so many times what a call takes
  TypeWish type;
  VForm v_form = VForm::none;
  CallForm form = CallForm::blocking;
  std::string json, svg;
};

// Microseconds a call: the median of the repetitions' maxima over ranks, and its 95 % confidence
// interval.
struct Timing {
  double median = 0, low = 0, high = 0;
  int repetitions = 0, calls = 0;  // calls in each repetition
  std::optional<double> packets,
      bytes;  // per operation, all ranks together; only where a device counts
  // How long calls were made until their time was steady; or it was not within half of the limit.
  double warm_up_ms = 0;
  bool steady = true;
};

// The first calls.
struct FirstCalls {
  std::vector<double> each;  // the first few: microseconds, each of the slowest rank
  Timing batch;              // all of them
};

struct BenchRow {
  std::string collective, algorithm, digest;
  std::int64_t bytes = 0;  // of one block where there are blocks, else of the message
  Timing tutti;
  std::optional<Timing> mpi;
  // Tutti's blocking call on as many bytes without gaps; null: that is `tutti`.
  std::optional<Timing> plain;
  // With BenchOptions::first, beside later batches in `tutti` and `mpi`.
  std::optional<FirstCalls> first, mpi_first;
};

// Plain RDMA writes between ranks 0 and 1: microseconds for 8 bytes one way, and for 1 MiB with 16
// in flight.
struct RawRow {
  Timing write, stream;
};

class RawWire {
 public:
  // Over the device that Tutti uses. Collective over MPI_COMM_WORLD, as all below. Throws Error.
  RawWire(const std::string& device, int port, int gid_index);
  ~RawWire();
  void run(double seconds);  // adds repetitions
  RawRow result() const;

 private:
  struct Ends;
  std::unique_ptr<Ends> ends_;  // of ranks 0 and 1
  std::vector<double> latencies_, streams_;
};

struct BenchSetting {
  int ranks = 0;
  std::string mpi, transports, device, progress;
  TypeWish type;  // of the buffers
  VForm v_form = VForm::none;
  CallForm form = CallForm::blocking;
  bool cold = false;  // this and `late`: see BenchOptions
  double late = 0;
  int nodes = 0, first = 0;           // see BenchOptions
  double init_ms = 0, create_ms = 0;  // of the slowest rank
  // For the rank that has most: connections, those that have grown, and bytes that are held.
  std::int64_t connections = 0, grown = 0, connection_bytes = 0, address_bytes = 0;
  std::vector<Host> hosts;  // at rank 0, as they were before anything was measured
  Timing barrier;           // of Tutti, before anything else
};

// `tutti bench`: all that the options ask for, between MPI_Init and MPI_Finalize. Ends the job
// where one rank fails.
int run_bench(const BenchOptions& options);
std::vector<std::string> collectives_to_measure();
// Calls that are timed follow each other, and algorithms are chosen for so many, unless the user
// has set `calls_in_a_row`: as many as the choices of docs/measured.md were made for.
inline constexpr int kCallsInARow = 4;
// tutti_init() with these settings and that one. Collective over MPI_COMM_WORLD. Throws Error.
void init_for_calls_in_a_row(std::vector<std::string> settings = {}, int calls = kCallsInARow);
// Both libraries, until what is slow only in a job's first moments is over (first touches,
// connections, clocks): over rxe the first 50 ms are a quarter slower. Collective over
// MPI_COMM_WORLD.
void warm_up(const BenchOptions& options, tutti_comm comm);
// Tutti's barrier, by which one can see how steady the machine is. Collective over MPI_COMM_WORLD.
Timing measure_barrier(const BenchOptions& options, tutti_comm comm);
// Throws Error on a wrong result or a failed call. Collective over MPI_COMM_WORLD.
BenchRow measure(const BenchOptions& options, const std::string& collective, std::int64_t bytes,
                 tutti_comm comm);
// Measures the first calls, which are checked afterwards. Nothing may have been sent on `comm`,
// nor on another communicator since tutti_init().
BenchRow measure_first(const BenchOptions& options, const std::string& collective,
                       std::int64_t bytes, tutti_comm comm);
// With BenchOptions::cold or late: calls are timed one by one.
BenchRow measure_singly(const BenchOptions& options, const std::string& collective,
                        std::int64_t bytes, tutti_comm comm);
// How much of a call is hidden behind a computation that takes as long: 0 to 1.
struct HiddenShares {
  double microseconds = 0;          // of the call alone, begun and waited for at once
  double untested = 0, tested = 0;  // without a call meanwhile, and with some tests
};
struct OverlapRow {
  std::string collective;
  std::int64_t bytes;
  HiddenShares tutti;
  std::optional<HiddenShares> mpi;
};
// Throws Error. Collective over MPI_COMM_WORLD.
OverlapRow measure_overlap(const BenchOptions& options, const std::string& collective,
                           std::int64_t bytes, tutti_comm comm);
void print_overlap_row(const OverlapRow& row, bool first);
// Adds what ran the last call of the row's collective.
void note_algorithm(BenchRow& row, tutti_comm comm);
// Times of the repetitions on this rank, in microseconds. Collective over MPI_COMM_WORLD.
Timing timing_of(std::vector<double> microseconds, int calls);
// Every operation on every type, without communication: prints a table. Throws Error.
void bench_kernels(const std::vector<std::int64_t>& sizes, int repetitions);
std::string describe(tutti_comm comm);  // tutti_describe as a string
void must(int code, const char* call);  // throws Error with Tutti's message

// Three significant digits, in the unit that the column is in (microseconds).
std::string column_text(double us);
std::string place_of(const BenchSetting& setting);  // "2 ranks on 1 node"
void print_header(const BenchSetting& setting);
void print_row(const BenchRow& row, bool first);
// With BenchOptions::first.
void print_first_row(const BenchRow& row, bool first);
// Tutti against the MPI. Where it is undecided neither is the faster one.
models::Tally tally_of(const std::vector<BenchRow>& rows);
// `where`: what the rows are of, as the beginning of the sentence.
void print_tally(const models::Tally& tally, const char* where);
// How long it took until times were steady.
void print_warm_up(const std::vector<BenchRow>& rows);
// How the first calls compare with the MPI's, and with later ones.
void print_first_calls(const std::vector<BenchRow>& rows);
void print_memory(const BenchSetting& setting);
// Time of 8 bytes over the bare wire, and how near the rows come to it.
void print_raw(const RawRow& raw, const BenchSetting& setting, const std::vector<BenchRow>& rows);
void write_json(const std::string& path, const BenchSetting& setting,
                const std::vector<BenchRow>& rows, const std::optional<RawRow>& raw);
void write_svg(const std::string& path, const BenchSetting& setting,
               const std::vector<BenchRow>& rows);

}  // namespace tutti::tools
