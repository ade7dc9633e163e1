// `tutti bench`: reads what is to be measured, runs it on all ranks, and lets rank 0 report.
#include "tools/bench/bench.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.hpp"
#include "base/text.hpp"
#include "collectives/schedule/problem.hpp"
#include "models/json_text.hpp"
#include "src/job/configuration.hpp"
#include "tools/command_line.hpp"
#include "tools/commands.hpp"
#include "tools/hosts.hpp"
#include "tools/mpi_name.hpp"
#include "tools/progress_bar.hpp"

namespace tutti::tools {
namespace {

std::int64_t size_of(const std::string& text) {
  const auto size = parse_size(text);
  if (!size || *size < 0 || *size > INT32_MAX)
    throw Error(Code::bad_configuration,
                fmt::format("'{}' is no size: write bytes, with k, M or G, below 2 GiB (the "
                            "surrounding MPI counts in int)",
                            text));
  return *size;
}

std::vector<std::int64_t> sizes_of(const BenchOptions& options) {
  std::vector<std::int64_t> sizes;
  for (const std::string& text : options.sizes) sizes.push_back(size_of(text));
  if (sizes.empty()) {
    const std::int64_t least = std::max<std::int64_t>(size_of(options.least), 1),
                       most = size_of(options.most);
    for (std::int64_t s = least; s < most; s *= 4) sizes.push_back(s);
    sizes.push_back(most);
  }
  return sizes;
}

std::vector<std::string> names_of_collectives() {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < collectives::kCollectives; ++c)
    if (const auto collective = static_cast<collectives::Collective>(c);
        !is_of_neighbours(collective))
      names.emplace_back(name_of(collective));
  return names;
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
    found = names_of_collectives();
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

void run_all(const BenchOptions& options, int rank) {
  BenchSetting setting;
  MPI_Comm_size(MPI_COMM_WORLD, &setting.ranks);
  setting.mpi = mpi_name();
  if (options.root < 0 || options.root >= setting.ranks)
    throw Error(Code::bad_root, fmt::format("--root {}: there is no such rank among {}",
                                            options.root, setting.ranks));
  setting.type = options.type;
  setting.first = options.first;
  setting.v_form = options.v_form;
  setting.form = options.form;
  setting.cold = options.cold;
  setting.late = options.late;
  if (options.overlap && (!options.json.empty() || !options.svg.empty() || options.first > 0 ||
                          options.v_form != VForm::none))
    throw Error(Code::bad_configuration,
                "--overlap goes with none of --json, --svg, --first and --v-forms");
  if (options.form != CallForm::blocking && (options.v_form != VForm::none || options.first > 0))
    throw Error(Code::bad_configuration,
                "--form goes neither with --v-forms nor with --first, whose calls are blocking");
  const bool singly = options.cold || options.late > 0;
  if (singly && (options.first > 0 || options.overlap || options.form != CallForm::blocking))
    throw Error(Code::bad_configuration,
                "--cold and --late go with none of --first, --overlap and --form");
  const std::vector<std::int64_t> sizes = sizes_of(options);
  const std::vector<std::string> wanted = collectives_of(options);

  setting.hosts = hosts_of_job();
  double begin = MPI_Wtime();
  init_for_calls_in_a_row();
  setting.init_ms = slowest_ms(MPI_Wtime() - begin);
  begin = MPI_Wtime();
  tutti_comm comm = TUTTI_COMM_NULL;
  must(tutti_comm_create(MPI_COMM_WORLD, &comm), "tutti_comm_create");
  setting.create_ms = slowest_ms(MPI_Wtime() - begin);
  must(tutti_barrier(comm), "tutti_barrier");
  read_memory(setting, comm);
  warm_up(options, comm);
  setting.barrier = measure_barrier(options, comm);
  if (rank == 0) print_header(setting);

  // Before and after the collectives, so that a machine that changes its pace favours neither.
  std::optional<RawWire> wire;
  if (options.raw) {
    const auto facts = models::parse_json(describe(comm));
    if (!facts.contains("device"))
      throw Error(Code::no_device,
                  "--raw needs an RDMA device that is in use; set TUTTI_TRANSPORT=verbs");
    const auto& device = facts["device"];
    wire.emplace(device["name"].get<std::string>(), device["port"].get<int>(),
                 device["gid_index"].get<int>());
    wire->run(options.seconds);
  }
  std::vector<BenchRow> rows;
  if (options.overlap) {
    if (rank == 0 && !setting.progress.empty())
      fmt::print("  progress while ranks compute: by {}\n", setting.progress);
    for (const std::string& collective : wanted)
      for (const std::int64_t bytes :
           collective == "barrier" ? std::vector<std::int64_t>{0} : sizes) {
        const OverlapRow row = measure_overlap(options, collective, bytes, comm);
        if (rank == 0) print_overlap_row(row, bytes == sizes.front() || bytes == 0);
      }
  } else {
    ProgressBar bar("measuring");
    std::size_t done = 0;
    const std::size_t total = wanted.size() * sizes.size();
    for (const std::string& collective : wanted) {
      bool first = true;
      for (const std::int64_t bytes :
           collective == "barrier" ? std::vector<std::int64_t>{0} : sizes) {
        if (options.first > 0) start_again(comm);
        const auto measured = options.first > 0 ? measure_first : singly ? measure_singly : measure;
        rows.push_back(measured(options, collective, bytes, comm));
        read_memory(setting, comm);
        if (rank == 0) (options.first > 0 ? print_first_row : print_row)(rows.back(), first);
        first = false;
        if (rank == 0) bar.show(++done, total);
      }
    }
  }
  std::optional<RawRow> raw;
  if (wire) {
    wire->run(options.seconds);
    raw = wire->result();
  }
  if (rank == 0 && !options.overlap) {
    if (options.first > 0) print_first_calls(rows);
    print_tally(tally_of(rows), options.first > 0 ? "later: " : "");
    if (options.first == 0 && !singly) print_warm_up(rows);
    if (raw) print_raw(*raw, setting, rows);
    print_memory(setting);
    if (!options.json.empty()) write_json(options.json, setting, rows, raw);
    if (!options.svg.empty()) write_svg(options.svg, setting, rows);
  }
  must(tutti_comm_free(&comm), "tutti_comm_free");
  must(tutti_finalize(), "tutti_finalize");
}

int run_bench(const BenchOptions& options) {
  MPI_Init(nullptr, nullptr);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    if (!options.kernels)
      run_all(options, rank);
    else if (rank == 0)
      bench_kernels(options.sizes.empty()
                        ? std::vector<std::int64_t>{64, 8 << 10, 256 << 10, 8 << 20}
                        : sizes_of(options),
                    options.repetitions);
  } catch (const std::exception& error) {
    end_job("bench", rank, error);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace

void init_for_calls_in_a_row(std::vector<std::string> settings) {
  // As many as the choices of docs/measured.md were made for.
  if (load_configuration({}).calls_in_a_row == 0) settings.emplace_back("calls_in_a_row=4");
  std::vector<const char*> texts;
  texts.reserve(settings.size() + 1);
  for (const std::string& setting : settings) texts.push_back(setting.c_str());
  texts.push_back(nullptr);
  tutti_options options{};
  options.size = sizeof options;
  options.settings = texts.data();
  must(tutti_init(&options), "tutti_init");
}

void end_job(const char* command, int rank, const std::exception& error) {
  fmt::print(stderr, "tutti {}, rank {}: {}\n", command, rank, error.what());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void add_bench(CommandLine& line) {
  auto options = std::make_shared<BenchOptions>();
  const Command command = line.command("bench",
                                       "under mpiexec: Tutti and the surrounding MPI, in turn in "
                                       "one run, each result checked before it is timed");
  const std::vector<std::string> names = names_of_collectives();
  std::vector<std::string> allowed = names;
  allowed.emplace_back("all");
  command
      .option("--collective", options->collectives,
              fmt::format("{}, or all (default: barrier,bcast,allgather,allreduce; with --type all "
                          "that move data)",
                          fmt::join(names, ", ")))
      .comma_separated()
      .one_of(allowed);
  command
      .option("-m,--bytes", options->sizes,
              "sizes in bytes, such as 8,1k,64k,1M (default: times four from --min to --max)")
      .comma_separated();
  command.older_name("--sizes", options->sizes);
  command.option("--min", options->least, "smallest size").show_default();
  command.option("--max", options->most, "largest size").show_default();
  command
      .option("--repetitions", options->repetitions, "batches of calls for each library and point")
      .show_default()
      .between(5, 10000);
  command.option("--time-limit", options->seconds, "seconds at most for each library and point")
      .show_default()
      .between(0.001, 3600.0);
  command
      .option("--first", options->first,
              "the first so many calls on fresh connections, and later batches of as many")
      .between(1, 1'000'000);
  command.option("--root", options->root, "root of the rooted collectives").show_default();
  command.flag("--check,!--no-check", options->check, "check results before timing (default)");
  command.flag("!--no-mpi", options->with_mpi, "leave the surrounding MPI out");
  command
      .option("--type", options->type.constructor,
              fmt::format("buffers of a derived datatype: {}; a third column has the time without "
                          "gaps",
                          fmt::join(type_constructors(), ", ")))
      .one_of(type_constructors());
  command.option("--piece", options->type.piece, "bytes between two gaps of --type")
      .show_default()
      .between(1, 1 << 20);
  const auto side = std::make_shared<std::string>(type_sides().front());
  command
      .option("--type-side", *side,
              fmt::format("where the datatype is: {}", fmt::join(type_sides(), ", ")))
      .show_default()
      .one_of(type_sides());
  const auto form = std::make_shared<std::string>(kCallForms.front());
  command
      .option("--form", *form,
              fmt::format("which form of the calls: {}; a third column has the blocking one",
                          fmt::join(kCallForms, ", ")))
      .show_default()
      .one_of({kCallForms.begin(), kCallForms.end()});
  command.flag(
      "--overlap", options->overlap,
      "how much of a non-blocking call is hidden behind a computation as long as the call: "
      "without a call meanwhile, and with some tests (TUTTI_PROGRESS=thread: by a thread)");
  command.flag("--cold", options->cold,
               "calls are timed one by one, and each has fresh buffers, at other addresses");
  command
      .option("--late", options->late,
              "calls are timed one by one, from when a rank arrives that comes late by so many "
              "times what a call takes; the ranks do so in turn")
      .between(0.0, 1000.0);
  const auto v = std::make_shared<std::string>();
  command
      .option("--v-forms", *v,
              fmt::format("scatterv, gatherv, allgatherv, alltoallv instead, with blocks that are "
                          "{} (the last two: the last rank's first)",
                          fmt::join(v_forms(), ", ")))
      .one_of(v_forms());
  command.flag("--raw", options->raw,
               "also plain RDMA writes between ranks 0 and 1, as a floor to judge by");
  command.flag(
      "--kernels", options->kernels,
      "operations instead of collectives: each on each type, here and by MPI_Reduce_local");
  command.option("--json", options->json, "write everything to this file");
  command.option("--svg", options->svg, "draw a picture into this file");
  command.footer(
      "Example:\n  mpiexec -n 2 tutti bench --collective allgather --max 64k --svg allgather.svg");
  command.runs([options, side, v, form] {
    options->form =
        static_cast<CallForm>(std::ranges::find(kCallForms, *form) - kCallForms.begin());
    if (!v->empty())
      options->v_form =
          static_cast<VForm>(std::ranges::find(v_forms(), *v) - v_forms().begin() + 1);
    options->type.side =
        static_cast<TypeSide>(std::ranges::find(type_sides(), *side) - type_sides().begin());
    return run_bench(*options);
  });
}

}  // namespace tutti::tools
