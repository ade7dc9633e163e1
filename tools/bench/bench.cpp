// `tutti bench`: runs what is to be measured on all ranks, and lets rank 0 report.
#include "tools/bench/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/schedule/problem.hpp"
#include "models/platform/json_text.hpp"
#include "src/setup/configuration.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/hosts.hpp"
#include "tools/job_faults.hpp"
#include "tools/mpi_name.hpp"
#include "tools/progress_bar.hpp"

namespace tutti::tools {
namespace {

std::int64_t bytes_of_size(const std::string& text) {
  const auto size = parse_size(text);
  if (!size || *size < 0 || *size > INT32_MAX)
    throw Error(
        Code::bad_configuration,
        fmt::format("'{}' is not a size: write bytes, such as 4096, 64k or 1MiB, below 2 GiB (the "
                    "surrounding MPI counts in int)",
                    text));
  return *size;
}

std::vector<std::int64_t> sizes_of(const BenchOptions& options) {
  std::vector<std::int64_t> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(bytes_of_size(text));
  if (sizes.empty()) {
    const std::int64_t least = std::max<std::int64_t>(bytes_of_size(options.least), 1),
                       most = bytes_of_size(options.most);
    for (std::int64_t s = least; s < most; s *= 4) sizes.push_back(s);
    sizes.push_back(most);
  }
  return sizes;
}

// Which the user means. MPI has no operation on derived datatypes but the program's own.
std::vector<std::string> collectives_of(const BenchOptions& options) {
  using collectives::Collective;
  const bool typed = !options.type.constructor.empty();
  const auto moves_data = [](const std::string& name) {
    const auto which = collectives::collective_named(name);
    return which && *which != Collective::barrier && !collectives::reduces(*which);
  };
  std::vector<std::string> found = options.collectives;
  const bool all = std::ranges::find(found, "all") != found.end();
  if (all || (typed && found.empty())) {
    found = collectives_to_measure();
    if (typed) std::erase_if(found, [&](const std::string& name) { return !moves_data(name); });
  }
  const bool v = options.v_form != VForm::none;
  if (v && (found.empty() || all)) found = {"scatter", "gather", "allgather", "alltoall"};
  if (const auto other = std::ranges::find_if_not(found, has_v_form); v && other != found.end())
    throw Error(Code::bad_configuration,
                fmt::format("{} has no v-form, which --v-forms asks for", *other));
  if (found.empty()) found = {"barrier", "bcast", "allgather", "allreduce"};
  if (const auto other = std::ranges::find_if_not(found, moves_data); typed && other != found.end())
    throw Error(Code::bad_configuration,
                fmt::format("--type is for collectives that move data, which {} does not", *other));
  return found;
}

double slowest_ms(double seconds) {
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return seconds * 1e3;
}

// The largest of all ranks, each, and of all times that this is called.
void read_memory(BenchSetting& setting, tutti_comm comm) {
  const auto facts = models::parse_json(describe(comm));
  long long most[4] = {0, 0,
                       facts["address_bytes"].get<long long>() +
                           facts["communicator"]["address_bytes"].get<long long>(),
                       facts.value("grown_connections", 0LL)};
  setting.transports.clear();
  for (const auto& [kind, count] : facts["connections"].items()) {
    most[0] += count.get<long long>();
    most[1] += facts["connection_bytes"][kind].get<long long>();
    setting.transports += (setting.transports.empty() ? "" : " and ") + kind;
  }
  if (setting.transports.empty()) setting.transports = "none";
  if (facts.contains("device"))
    setting.device = fmt::format("{}, arrival by {}", facts["device"]["name"].get<std::string>(),
                                 facts["device"]["arrival"].get<std::string>());
  setting.nodes = facts["communicator"]["nodes"];
  setting.progress = facts["progress"].get<std::string>();
  MPI_Allreduce(MPI_IN_PLACE, most, 4, MPI_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
  setting.connections = std::max<std::int64_t>(setting.connections, most[0]);
  setting.connection_bytes = std::max<std::int64_t>(setting.connection_bytes, most[1]);
  setting.address_bytes = std::max<std::int64_t>(setting.address_bytes, most[2]);
  setting.grown = std::max<std::int64_t>(setting.grown, most[3]);
}

// Ends Tutti, and with it all connections, and begins anew.
void start_again(tutti_comm& comm) {
  must(tutti_comm_free(&comm), "tutti_comm_free");
  must(tutti_finalize(), "tutti_finalize");
  init_for_calls_in_a_row();
  must(tutti_comm_create(MPI_COMM_WORLD, &comm), "tutti_comm_create");
}

// Calls are timed one by one, not in batches.
bool singly(const BenchOptions& options) { return options.cold || options.late > 0; }

void refuse_what_goes_not_together(const BenchOptions& options) {
  const bool v = options.v_form != VForm::none;
  const bool first = options.first > 0;
  const bool blocking = options.form == CallForm::blocking;
  const auto refuse = [](const char* why) { throw Error(Code::bad_configuration, why); };
  if (options.overlap && (!options.json.empty() || !options.svg.empty() || first || v))
    refuse("--overlap goes with none of --json, --svg, --first and --v-forms");
  if (!blocking && (v || first))
    refuse("--form goes neither with --v-forms nor with --first, whose calls are blocking");
  if (singly(options) && (first || options.overlap || !blocking))
    refuse("--cold and --late go with none of --first, --overlap and --form");
}

BenchSetting setting_of(const BenchOptions& options) {
  BenchSetting setting;
  MPI_Comm_size(MPI_COMM_WORLD, &setting.ranks);
  if (options.root < 0 || options.root >= setting.ranks)
    throw Error(Code::bad_root, fmt::format("--root {}: there is no such rank among {}",
                                            options.root, setting.ranks));
  setting.mpi = mpi_name();
  setting.type = options.type;
  setting.first = options.first;
  setting.v_form = options.v_form;
  setting.form = options.form;
  setting.cold = options.cold;
  setting.late = options.late;
  return setting;
}

// Starts Tutti, and times that.
tutti_comm start(BenchSetting& setting) {
  double begin = MPI_Wtime();
  init_for_calls_in_a_row();
  setting.init_ms = slowest_ms(MPI_Wtime() - begin);
  begin = MPI_Wtime();
  tutti_comm comm = TUTTI_COMM_NULL;
  must(tutti_comm_create(MPI_COMM_WORLD, &comm), "tutti_comm_create");
  setting.create_ms = slowest_ms(MPI_Wtime() - begin);
  must(tutti_barrier(comm), "tutti_barrier");
  read_memory(setting, comm);
  return comm;
}

std::unique_ptr<RawWire> raw_wire(tutti_comm comm) {
  const auto facts = models::parse_json(describe(comm));
  if (!facts.contains("device"))
    throw Error(Code::no_device,
                "--raw needs an RDMA device that is in use; set TUTTI_TRANSPORT=verbs");
  const auto& device = facts["device"];
  return std::make_unique<RawWire>(device["name"].get<std::string>(), device["port"].get<int>(),
                                   device["gid_index"].get<int>());
}

// The points of measurement: each collective at each size.
class Points {
 public:
  explicit Points(const BenchOptions& options)
      : collectives_(collectives_of(options)), sizes_(sizes_of(options)) {}

  std::size_t count() const {
    std::size_t count = 0;
    each([&](const auto&...) { ++count; });
    return count;
  }
  // Calls `measure(collective, bytes, is the collective's first)`.
  template <typename Measure>
  void each(const Measure& measure) const {
    for (const std::string& collective : collectives_) {
      const bool sized = collective != "barrier";
      if (!sized) measure(collective, std::int64_t{0}, true);
      for (std::size_t i = 0; sized && i < sizes_.size(); ++i)
        measure(collective, sizes_[i], i == 0);
    }
  }

 private:
  std::vector<std::string> collectives_;
  std::vector<std::int64_t> sizes_;
};

void measure_overlaps(const BenchOptions& options, const BenchSetting& setting,
                      const Points& points, tutti_comm comm, int rank) {
  if (rank == 0 && !setting.progress.empty())
    fmt::print("  progress while ranks compute: by {}\n", setting.progress);
  points.each([&](const std::string& collective, std::int64_t bytes, bool first) {
    const OverlapRow row = measure_overlap(options, collective, bytes, comm);
    if (rank == 0) print_overlap_row(row, first);
  });
}

std::vector<BenchRow> measure_rows(const BenchOptions& options, BenchSetting& setting,
                                   const Points& points, tutti_comm& comm, int rank) {
  const bool fresh = options.first > 0;
  const auto measured = fresh ? measure_first : singly(options) ? measure_singly : measure;
  const std::size_t count = points.count();
  std::vector<BenchRow> rows;
  rows.reserve(count);
  ProgressBar bar("measuring");
  points.each([&](const std::string& collective, std::int64_t bytes, bool first) {
    if (fresh) start_again(comm);
    rows.push_back(measured(options, collective, bytes, comm));
    read_memory(setting, comm);
    if (rank != 0) return;
    (fresh ? print_first_row : print_row)(rows.back(), first);
    bar.show(rows.size(), count);
  });
  return rows;
}

void report(const BenchOptions& options, const BenchSetting& setting,
            const std::vector<BenchRow>& rows, const std::optional<RawRow>& raw) {
  if (options.first > 0) print_first_calls(rows);
  print_tally(tally_of(rows), options.first > 0 ? "later: " : "");
  if (options.first == 0 && !singly(options)) print_warm_up(rows);
  if (raw) print_raw(*raw, setting, rows);
  print_memory(setting);
  if (!options.json.empty()) write_json(options.json, setting, rows, raw);
  if (!options.svg.empty()) write_svg(options.svg, setting, rows);
}

void run_all(const BenchOptions& options, int rank) {
  BenchSetting setting = setting_of(options);
  refuse_what_goes_not_together(options);
  const Points points(options);
  setting.hosts = hosts_of_job();
  tutti_comm comm = start(setting);
  warm_up(options, comm);
  setting.barrier = measure_barrier(options, comm);
  if (rank == 0) print_header(setting);

  // Before and after the collectives, so that a machine that changes its pace favours neither.
  const auto wire = options.raw ? raw_wire(comm) : nullptr;
  if (wire) wire->run(options.seconds);
  std::vector<BenchRow> rows;
  if (options.overlap)
    measure_overlaps(options, setting, points, comm, rank);
  else
    rows = measure_rows(options, setting, points, comm, rank);
  std::optional<RawRow> raw;
  if (wire) {
    wire->run(options.seconds);
    raw = wire->result();
  }
  if (rank == 0 && !options.overlap) report(options, setting, rows, raw);
  must(tutti_comm_free(&comm), "tutti_comm_free");
  must(tutti_finalize(), "tutti_finalize");
}

}  // namespace

std::vector<std::string> collectives_to_measure() {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < collectives::kCollectives; ++c)
    if (const auto collective = static_cast<collectives::Collective>(c);
        !is_of_neighbours(collective))
      names.emplace_back(name_of(collective));
  return names;
}

void init_for_calls_in_a_row(std::vector<std::string> settings, int calls) {
  if (load_configuration({}).calls_in_a_row == 0)
    settings.emplace_back(fmt::format("calls_in_a_row={}", calls));
  std::vector<const char*> texts;
  texts.reserve(settings.size() + 1);
  for (const std::string& setting : settings) texts.push_back(setting.c_str());
  texts.push_back(nullptr);
  tutti_options options{};
  options.size = sizeof options;
  options.settings = texts.data();
  must(tutti_init(&options), "tutti_init");
}

int run_bench(const BenchOptions& options) {
  const auto check_options = [&](RankInJob) {
    load_configuration({});
    sizes_of(options);
    collectives_of(options);
    refuse_what_goes_not_together(options);
  };
  return run_in_job("bench", check_options, [&](RankInJob here) {
    if (!options.kernels)
      run_all(options, here.rank);
    else if (here.rank == 0)
      bench_kernels(options.sizes.empty()
                        ? std::vector<std::int64_t>{64, 8 << 10, 256 << 10, 8 << 20}
                        : sizes_of(options),
                    options.repetitions);
    return true;
  });
}

}  // namespace tutti::tools
