// tutti_init to tutti_finalize; tutti_describe and tutti_explain.
#include "src/api/library.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/hash.hpp"
#include "base/no_size_signal.hpp"
#include "models/decision/shipped.hpp"
#include "models/platform/json_text.hpp"
#include "src/api/note.hpp"
#include "src/data/gpu_memory.hpp"
#include "src/data/mpi_lock.hpp"
#include "src/data/require_mpi.hpp"
#include "src/calibration/calibration.hpp"
#include "src/news/hang_report.hpp"
#include "transport/bootstrap_mpi.hpp"

namespace tutti {
namespace {

std::mutex g_setup;  // init and finalize

// A rank's own library, which its forked children lack. They have a copy of its state, its inboxes
// and queue pairs: their messages would be taken for the rank's.
struct ProcessState {
  std::atomic<Library*> library{nullptr};
  bool is_rank = false;
};
ProcessState g_before_init;
std::atomic<ProcessState*> g_own{&g_before_init};

// Once: in a page that the kernel empties in each child, however it was forked (Linux 4.14). It
// stays to the end of the process, as exit handlers may call Tutti.
void get_own_page() {
  if (g_own != &g_before_init) return;
  void* const page = mmap(nullptr, sizeof(ProcessState), PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw std::bad_alloc();
  madvise(page, sizeof(ProcessState), MADV_WIPEONFORK);
  g_own = ::new (page) ProcessState{.is_rank = true};
}

void must_not_be_forked() {
  const ProcessState* const own = g_own;
  if (own != &g_before_init && !own->is_rank)
    throw Error(Code::unsupported,
                "this process was forked from a rank; only the rank itself may call Tutti");
}

// Not destroyed at the end of the program: that would undo, in a child that was forked and exits,
// what belongs to its parent.
std::unique_ptr<Library>& g_library = *new std::unique_ptr<Library>;

std::vector<std::string> settings_of(const tutti_options* options) {
  std::vector<std::string> settings;
  if (!options) return settings;
  if (options->size != sizeof(tutti_options))
    throw Error(Code::bad_configuration,
                fmt::format("tutti_options.size is {} and should be sizeof(tutti_options) = {}; "
                            "zero the structure, then set it",
                            options->size, sizeof(tutti_options)));
  if (options->settings)
    for (const char* const* setting = options->settings; *setting; ++setting)
      settings.emplace_back(*setting);
  return settings;
}

// Ranks that disagree about these could wait for each other for ever: better no start.
void agree_on_settings(const Configuration& configuration, const std::string& table,
                       transport::Bootstrap& bootstrap) {
  std::vector<std::uint64_t> mine;
  const auto add = [&](std::string_view text) { mine.push_back(Hash().add(text).value()); };
  for (const Setting& setting : settings())
    if (setting.same_on_all) add(setting.name == "table" ? table : setting.show(configuration));
  std::vector<std::uint64_t> all(mine.size() * static_cast<std::size_t>(bootstrap.size()));
  bootstrap.allgather(mine.data(), mine.size() * sizeof mine[0], all.data());
  std::size_t place = 0;
  for (const Setting& setting : settings()) {
    if (!setting.same_on_all) continue;
    for (std::size_t other = place; other < all.size(); other += mine.size())
      if (all[other] != all[place])
        throw Error(Code::bad_configuration,
                    fmt::format("the setting `{}` must be the same on all ranks, and rank {} of "
                                "MPI_COMM_WORLD differs from rank 0; here "
                                "it is '{}'",
                                setting.name, other / mine.size(), setting.show(configuration)));
    ++place;
  }
}

// Where lines of this level go. A line that cannot be built or written is lost: calls do not fail
// for their log.
Log log_for(const tutti_options* options, LogLevel level, int rank) {
  const std::string_view what = level == LogLevel::warn ? "warning: " : "";
  if (options && options->log)
    return [what, call = options->log, context = options->log_context](std::string_view line) {
      try {
        const Callback callback;
        call(context, fmt::format("{}{}", what, line).c_str());
      } catch (const std::bad_alloc&) {
      }
    };
  return [what, rank](std::string_view line) {
    try {
      const std::string text = fmt::format("tutti[{}]: {}{}\n", rank, what, line);
      const NoSizeSignal no_signal;
      std::fwrite(text.data(), 1, text.size(), stderr);  // fmt::print would throw
    } catch (const std::bad_alloc&) {
    }
  };
}

std::unique_ptr<Library> start(const tutti_options* options, const Manner& manner) {
  transport::MpiBootstrap bootstrap(MPI_COMM_WORLD, mpi_lock);
  get_own_page();
  auto state = std::make_unique<Library>(manner);
  state->configuration = load_configuration(settings_of(options));
  const auto log_of = [&](LogLevel least) {
    return state->configuration.log < least ? Log() : log_for(options, least, bootstrap.rank());
  };
  state->warn = log_of(LogLevel::warn);
  report_long_waits(*state, bootstrap, bootstrap.rank(), manner.starts_in);
  bootstrap.confirm();  // a rank without memory would leave the others alone in the next call
  state->mpi.open();
  // Nobody means them, so the level of the log does not count. Once in a process.
  static bool told = false;
  if (bootstrap.rank() == 0 && !std::exchange(told, true))
    for (const std::string& warning : state->configuration.warnings)
      log_for(options, LogLevel::warn, 0)(warning);
  ReadRules read = read_rules(state->configuration);
  state->rules = std::move(read.rules);
  agree_on_settings(state->configuration, read.table, bootstrap);
  state->scratch.keep_at_most(state->configuration.scratch_bytes);
  look_for_gpu_driver();
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  state->engine = std::make_unique<Engine>(
      state->configuration, bootstrap,
      Engine::Options{.threads = manner.always_locks || level == MPI_THREAD_MULTIPLE,
                      .functions_anywhere = level == MPI_THREAD_MULTIPLE,
                      .datagrams = collectives::wants_datagrams(state->rules),
                      .log = log_of(LogLevel::info),
                      .warn = state->warn,
                      .drive_others = std::cref(state->mpi),
                      .drives_while = &state->mpi.windows,
                      .scratch = &state->scratch});
  const Engine& engine = *state->engine;
  const bool wire = engine.placement().nodes() > 1 || engine.wire_on_nodes();
  const std::string_view kind = models::wire_of(wire, engine.software_wire());
  const auto warn = [&](std::string_view line) { engine.log().warn(line); };
  if (const std::string line = say_who_started(bootstrap.size()); !line.empty()) warn(line);
  AgreedPlatform agreed = agree_on_platform(state->configuration, kind, bootstrap, warn);
  const auto choose_by = [&](models::Platform machine) {
    state->selection.emplace(state->rules, for_program(std::move(machine), state->configuration));
  };
  choose_by(std::move(agreed.platform));
  if (agreed.to_measure)
    choose_by(calibrate(*state->engine, bootstrap, *state->selection, kind, warn));
  if (engine.log().enabled())
    engine.log().write(fmt::format("algorithms are chosen by the model {} ({})",
                                   state->selection->platform().name,
                                   state->selection->platform().source));
  bootstrap.confirm();
  return state;
}

}  // namespace

Library* library() noexcept {
  return g_own.load(std::memory_order_acquire)->library.load(std::memory_order_acquire);
}

void report_long_waits(const Library& state, transport::MpiBootstrap& bootstrap, int world_rank,
                       std::string place) {
  if (!state.warn) return;
  bootstrap.report_long_wait(
      std::chrono::milliseconds(state.configuration.report_after_ms),
      [warn = state.warn, world_rank, place = std::move(place)](RunningClock::duration waited) {
        try {
          warn(fmt::format(
              "rank {} of MPI_COMM_WORLD has been in {} for {}. It waits for others; MPI "
              "does not say for which, but they print no such line{}",
              world_rank, place, seconds(waited), kWhereToRead));
        } catch (const std::bad_alloc&) {  // the line is lost
        }
      });
}

void attend_while_waiting(Library& state, transport::MpiBootstrap& bootstrap, std::string place) {
  Engine& engine = *state.engine;
  report_long_waits(state, bootstrap, engine.rank(), std::move(place));
  bootstrap.while_waiting([&engine] {
    const auto lock = engine.enter();
    engine.calls().progress(true);
  });
}

void throw_no_library() {
  must_not_be_forked();
  throw Error(Code::not_initialized,
              "call tutti_init first; nothing works before it or after tutti_finalize");
}

void throw_in_callback() {
  throw Error(Code::unsupported,
              "this is called from a callback of Tutti's, the operation of a reduction or the "
              "function that takes the log; callbacks may not call Tutti");
}

int initialize(const tutti_options* options, const Manner& manner) noexcept {
  try {
    must_not_be_forked();
    if (Callback::runs_on_this_thread()) throw_in_callback();
    const std::lock_guard lock(g_setup);
    if (g_library)
      throw Error(Code::already_initialized,
                  "tutti_init was called before; call tutti_finalize first");
    must_have_own_mpi();
    require_mpi();
    g_library = start(options, manner);
    g_own.load()->library.store(g_library.get(), std::memory_order_release);
    return TUTTI_SUCCESS;
  } catch (...) {
    return code_of_exception();
  }
}

namespace {

// Names of devices come from outside: bytes that are no UTF-8 are replaced, not an error.
void give(const nlohmann::json& members, char* text, std::size_t size, std::size_t* needed) {
  if (!text && size != 0) throw Error(Code::bad_buffer, "`text` is NULL and `size` is not 0");
  const std::string json = models::json_text(members);
  if (needed) *needed = json.size();
  if (size == 0) return;
  const std::size_t length = std::min(json.size(), size - 1);
  std::memcpy(text, json.data(), length);
  text[length] = '\0';
}

nlohmann::json description(Library& state, tutti_comm comm) {
  nlohmann::json members = state.engine->describe();
  members["version"] =
      fmt::format("{}.{}.{}", TUTTI_VERSION_MAJOR, TUTTI_VERSION_MINOR, TUTTI_VERSION_PATCH);
  const KeptTypes& kept = state.datatypes.kept();
  members["datatypes"] = {{"read", kept.read()}, {"kept", kept.kept()}};
  members["scratch_bytes_kept"] = state.scratch.kept();
  members["requests"] = state.pending.places();
  if (comm != TUTTI_COMM_NULL) members.update(communicator_of(comm).describe());
  return members;
}

}  // namespace
}  // namespace tutti

using namespace tutti;

// Here, as no program uses Tutti without this file. Notes are aligned to four bytes or eight.
alignas(4) [[gnu::section(".note.tutti"), gnu::used]] static constinit const Note g_note;

int tutti_init(const tutti_options* options) { return initialize(options, {}); }

int tutti_finalize(void) {
  // Its last look may need the engine's lock.
  const int ended =
      guard<Enter::by_itself>([](const Library& state) { state.engine->calls().end_thread(); });
  if (ended != TUTTI_SUCCESS) return ended;
  const int code = guard([](Library& state) {
    const std::lock_guard lock(g_setup);
    state.pending.clear();
    state.engine->disconnect();
    free_all_communicators();
    g_own.load()->library.store(nullptr, std::memory_order_release);
  });
  // Outside of guard(), which still held the engine's lock.
  if (code == TUTTI_SUCCESS) g_library.reset();
  return code;
}

int tutti_describe(tutti_comm comm, char* text, size_t size, size_t* needed) {
  return guard([&](Library& state) { give(description(state, comm), text, size, needed); });
}

int tutti_explain(tutti_comm comm, const char* collective, MPI_Count bytes, char* text, size_t size,
                  size_t* needed) {
  return guard([&](Library&) {
    const Communicator& communicator = communicator_of(comm);
    if (!collective) throw Error(Code::bad_configuration, "`collective` is NULL; write \"bcast\"");
    give(communicator.explain(collective, bytes), text, size, needed);
  });
}
