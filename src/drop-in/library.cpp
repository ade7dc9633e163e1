// Tutti behind the entries: from MPI_Init to MPI_Finalize.
#include "src/api/library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/files.hpp"
#include "base/nearest.hpp"
#include "base/text.hpp"
#include "src/drop-in/beneath.hpp"
#include "src/drop-in/communicators.hpp"
#include "src/drop-in/in_flight.hpp"
#include "src/drop-in/interface.h"
#include "src/drop-in/names.hpp"
#include "src/drop-in/persistent.hpp"
#include "src/drop-in/statistics.hpp"
#include "src/drop-in/taking.hpp"

namespace tutti::drop_in {
namespace {

const tutti_drop_in_entries* g_entries = nullptr;
std::string& g_statistics_file = *new std::string;  // empty: none
bool g_prints_statistics = false;

void say_that_mpi_is_alone(const char* begin, const char* why) {
  std::fprintf(stderr, "tutti: the program runs with its MPI alone: %s%s\n", begin, why);
}

void write_statistics() {
  if (!g_prints_statistics) return;
  const std::string table = statistics_table(g_entries->passed);
  std::fwrite(table.data(), 1, table.size(), stderr);
  if (g_statistics_file.empty()) return;
  write_file(g_statistics_file, statistics_json(g_entries->passed) + '\n');
}

// Now, not when a job of hours has ended.
void try_statistics_file() try {
  if (g_prints_statistics && !g_statistics_file.empty()) must_be_writable(g_statistics_file);
} catch (const Error& error) {
  std::fprintf(stderr,
               "tutti: warning: %s; the setting `stats` (TUTTI_STATS) names this file, and the job "
               "goes on without it\n",
               error.message.c_str());
  g_statistics_file.clear();
}

// In MPI_Finalize, which calls MPI functions of the program no more: from now on, every collective
// is the MPI's.
void end() noexcept {
  finish_calls();
  g_entries->stopped();
  close_persistent();
  close_communicators();
  try {
    write_statistics();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tutti: no statistics: %s\n", error.what());
  }
  tutti_finalize();
}

// Rank 0 says what the first rank with a cause of its own says. Collective.
void explain_failure(bool has_cause, const char* cause, int rank) {
  int size = 1;
  PMPI_Comm_size(world(), &size);
  int mine = has_cause ? rank : size, first = size;
  PMPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, world());
  std::array<char, 1024> text{};
  std::snprintf(text.data(), text.size(), "%s", cause);
  if (first < size)
    PMPI_Bcast(text.data(), static_cast<int>(text.size()), MPI_BYTE, first, world());
  if (rank > 0) return;
  std::array<char, 32> who{};
  if (first > 0 && first < size) std::snprintf(who.data(), who.size(), "rank %d: ", first);
  say_that_mpi_is_alone(who.data(), text.data());
}

// The calls whose names the setting lists, in any form. Throws Error{bad_configuration}.
Calls calls_named(std::string_view list) {
  if (list.empty()) return Calls().set();
  Calls calls;
  while (!list.empty()) {
    const auto comma = std::min(list.find(','), list.size());
    const std::string_view name = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    const Calls named = calls_of(name);
    if (named.none())
      throw Error(Code::bad_configuration,
                  fmt::format("the setting `only`: {}",
                              no_such("collective", name, names_of_collectives())));
    calls |= named;
  }
  return calls;
}

// Equal on all ranks, as the settings are. Throws Error{bad_configuration}.
void take_settings(const Configuration& configuration, int rank) {
  calls_taken = calls_named(configuration.only);
  statistics_wanted = !configuration.stats.empty() && configuration.stats != "0";
  g_prints_statistics = statistics_wanted && rank == 0;
  if (configuration.stats != "1") g_statistics_file = configuration.stats;
  try_statistics_file();
}

}  // namespace

bool reserve_counts(Communicator& comm) noexcept {
  try {
    if (comm.counts.empty()) comm.counts.resize(4 * static_cast<std::size_t>(comm.size));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool looks_at_counts(const Communicator& comm, int root) noexcept {
  const Library* const state = library();
  return comm.rank == root || (state && state->configuration.counts == Counts::all);
}

}  // namespace tutti::drop_in

using namespace tutti;
using namespace tutti::drop_in;

int tutti_drop_in_start(const tutti_drop_in_entries* entries,
                        tutti_function functions[TUTTI_CALLS]) {
  g_entries = entries;
  const char* const missing = find_beneath(*entries);
  int rank = 0;
  PMPI_Comm_rank(world(), &rank);
  if (missing) {  // on all ranks alike: they have the same MPI
    if (rank == 0) say_that_mpi_is_alone("it has no ", missing);
    return 0;
  }
#ifdef OPEN_MPI
  constexpr bool kEqualBuffers = true;
#else
  constexpr bool kEqualBuffers = false;
#endif
  const int code = initialize(nullptr, {.always_locks = true,
                                        .lenient = true,
                                        .equal_buffers = kEqualBuffers,
                                        .starts_in = "MPI_Init"});
  if (code != TUTTI_SUCCESS) {
    explain_failure(code != TUTTI_ERR_BOOTSTRAP, tutti_last_error_message(), rank);
    return 0;
  }
  const int settled = guard<Enter::by_itself>([&](Library& library) {
    take_settings(library.configuration, rank);
    open_persistent(library);
    const Configuration& settings = library.configuration;
    // With `reproducible` the bits of all sums are Tutti's; and `check` is of all calls.
    open_communicators(
        {end, world(), self(),
         settings.reproducible || settings.compares_calls ? 0 : settings.drop_in_from - 1});
  });
  int mine = settled == TUTTI_SUCCESS, all = 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, world());
  if (!all) {
    explain_failure(!mine, mine ? "" : tutti_last_error_message(), rank);
    tutti_finalize();
    return 0;
  }
  // Its state is there before its first copy.
  int code_of_world = MPI_SUCCESS;
  find_communicator(world(), code_of_world);
  add_movements(functions);
  add_reductions(functions);
  add_duplicates(functions);
  add_frees(functions);
  add_windows(functions);
  add_messages(functions);
  add_waits(functions);
  add_nonblocking(functions);
  add_persistent(functions);
  add_requests(functions);
  return 1;
}
